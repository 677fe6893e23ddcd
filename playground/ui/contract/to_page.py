"""Values that the server gives to the page's panels: dictionaries, as Gradio carries them, with typed fields.

The types of the scripts, assets/page/messages.d.ts, are made from these by `python -m tests.contract`.
"""

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from msgspec import Meta

from playground.views.bars import Chart
from playground.views.race.energy import EnergyValue
from playground.views.race.lane import LaneRun
from playground.views.race.standings import Column, Named, Standings


class LinkParts(TypedDict, total=False):
    """Parts of a link to a run: `run` names one that the page has, `setup` has settings to repeat one."""

    run: str
    setup: str


class Line(TypedDict):
    """A line for messages, with a bar below it while there is a `total`."""

    text: Annotated[str, Meta(description="in English")]
    said: Annotated[list[Any], Meta(description="its sentences, keyed where they are words of the server")]
    kind: Literal["quiet", "error"]
    instead_of: NotRequired[Annotated[str, Meta(description="said only where the key that stands there begins so")]]
    dropped: NotRequired[Annotated[list[Any], Meta(description="words of a link that the server left out")]]
    link: NotRequired[LinkParts | None]
    done: NotRequired[int]
    total: NotRequired[int]


class Beside(TypedDict):
    """A whole run against plain decoding of the same prompt, by runs of both in turns."""

    tokens: Annotated[int, Meta(description="of the run")]
    ms: Annotated[float, Meta(description="of the method, the median of its runs")]
    plain_ms: Annotated[float, Meta(description="of plain decoding for as many tokens, the median of its runs")]
    runs: Annotated[int, Meta(description="of each side")]
    low: Annotated[float, Meta(description="lowest quotient of a plain run and one of the method, of those shown")]
    high: float
    shown: Annotated[int, Meta(description="quotients from low to high; the outermost of many runs are left out")]
    count: Annotated[int, Meta(description="quotients in all")]
    even: Annotated[bool, Meta(description="about as fast, or the runs do not tell")]


class PlayerValue(TypedDict):
    """A run in the player, as far as it has come."""

    run: Annotated[str, Meta(description="an id of its own")]
    format: str
    version: int
    live: bool
    link: LinkParts | None
    first: Annotated[int, Meta(description="how many chunks came before these")]
    chunks: Annotated[list[str], Meta(description="JSON arrays of events")]
    figures: str | None
    estimate: Annotated[Any, Meta(description="of the energy that the run would take, once it has ended")]
    plain: Annotated[list[float] | None, Meta(description="seconds at which plain decoding had each token")]
    again: Annotated[list[float] | None, Meta(description="seconds at the end of each round, in its median run")]
    beside: Beside | None
    tried: Annotated[list[tuple[int, float]] | None, Meta(description="draft length, ratio to plain decoding")]
    error: Annotated[list[Any] | None, Meta(description="sentences on what ended it early")]
    ended: bool
    made_here: NotRequired[bool]
    branch_of: NotRequired[Annotated[str, Meta(description="id of the run that it branches from")]]


class MeasuredLane(Named):
    """The runs of an entry so far, in tokens/s."""

    rates: list[float]


class Measuring(TypedDict):
    """A race in progress."""

    runs: Annotated[int, Meta(description="of each entry, once it has ended")]
    lanes: list[MeasuredLane]


class NoRace(TypedDict):
    """A race that is measured, if any; without one the race before is shown again."""

    race: None
    measuring: NotRequired[Measuring]


class LaneValue(Named):
    """An entry in the replay, with the median of its repeats; none where it failed, or none was kept."""

    failed: str | None
    run: LaneRun | None


class Lanes(TypedDict):
    """The replay of a race on a prompt."""

    place: Annotated[int, Meta(description="of the prompt")]
    lanes: list[LaneValue]
    lanes_note: str


class RaceValue(Lanes):
    """A race that has ended."""

    race: Annotated[str, Meta(description="an id of its own")]
    recorded: Annotated[str, Meta(description="where and when, of one that is kept with the page")]
    verdict: list[str]
    conditions: str
    beside: dict[str, Any] | None
    standings: Standings
    chart: Chart
    energy: EnergyValue | None
    prompts: list[str]


class SweepRun(TypedDict):
    """A run of a setting."""

    run: int
    prompt: int
    seed: int
    failed: str | None
    cells: dict[str, Any]


class SweepSetting(Named):
    """A row of the table: medians over the runs of a setting."""

    num_failed: int
    failed: Annotated[str | None, Meta(description="why all of its runs did")]
    run: Annotated[int | None, Meta(description="the median one")]
    fronts: Annotated[list[str], Meta(description="ids of the charts on whose front it is")]
    cells: dict[str, Any]
    runs: list[SweepRun]


class SweepValue(TypedDict):
    """A sweep, as far as it has come."""

    sweep: Annotated[str, Meta(description="its id, by which the browser finds it again")]
    recorded: str
    done: int
    total: int
    headline: str
    conditions: str
    charts: list[Chart]
    labels: str
    notes: list[str]
    columns: list[Column]
    settings: list[SweepSetting]


ListKind = Literal["strict", "relaxed", "none"]  # The verification makes the list.


class ItemName(TypedDict):
    """An item of the shop."""

    id: int
    name: str


class ListedItem(ItemName):
    """An item of a list; `hit` where the user bought it next."""

    about: str
    log_prob: float
    hit: bool


class RecommendedList(TypedDict):
    """A list, its run, and its overlap with the list of beam search."""

    kind: ListKind
    title: str
    chunk: Annotated[str, Meta(description="a JSON array of events")]
    same: bool
    shared: int
    facts: Annotated[dict[str, float], Meta(description="calls, steps and milliseconds of its run, see `facts_of`")]
    items: list[ListedItem]


class RecommendValue(TypedDict):
    """The three lists for a history, measured together."""

    run: str
    recorded: str
    format: str
    version: int
    names: Annotated[dict[str, str], Meta(description="short, by the tokens of an identifier or of its beginning")]
    bought_next: list[ItemName]
    lists: list[RecommendedList]


class NumberCell(TypedDict):
    """A number, another one below it, and a tooltip."""

    text: str
    below: NotRequired[str]
    title: NotRequired[str]


class NumberRow(TypedDict):
    """A row of a table of numbers."""

    title: str
    chosen: NotRequired[bool]
    cells: list[NumberCell]


class NumberTable(TypedDict):
    """A table of numbers below the stage."""

    title: str
    note: str
    groups: Annotated[list[tuple[str, int]], Meta(description="title and number of columns")]
    columns: list[str]
    rows: list[NumberRow]


class History(TypedDict):
    """Items in the order in which they were bought, and their names."""

    items: list[int]
    names: dict[str, str]
