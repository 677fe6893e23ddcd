"""A chart of bars over rounds or depths as plain data; assets/shared/plots/bars.js draws it."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any, NotRequired, TypedDict, cast

from msgspec import Meta

DASH = "–"  # a number that does not exist


@dataclass(frozen=True, slots=True)
class Kind:
    """Bars of one kind, or horizontal strokes: at most one at each place."""

    name: str
    look: str  # The style sheet knows it: "accepted", "draft", ...
    at: Sequence[int]
    values: Sequence[float]
    said: Sequence[str]  # the text of each bar's tooltip
    low: Sequence[float] = ()  # ends of an interval, where there is one
    high: Sequence[float] = ()


@dataclass(frozen=True, slots=True)
class Bars:
    """A chart: what its axes show, and the kinds of bars, stacked in this order."""

    axis: str  # The player marks its cursor on "round" and "depth".
    x: str  # titles, with units
    y: str
    places: Sequence[int] = ()
    kinds: Sequence[Kind] = ()
    strokes: Kind | None = None
    below: Sequence[str] = ()  # a second line under each place's number
    share: bool = False  # values are shares of one, on an axis from 0 to 100 %
    empty: str = ""  # why nothing is there
    labels: Sequence[str] = ()  # under the places, instead of their numbers


class Chart(TypedDict):
    """A chart, and its numbers as a table."""

    id: str
    title: str
    summary: Annotated[str, Meta(description="read aloud")]
    bars: NotRequired[Any]
    figure: NotRequired[Annotated[Any, Meta(description="a plotly figure in place of bars")]]
    rows: dict[str, list[Any]]


def bar_chart(id: str, title: str, summary: str, bars: Bars, header: list[Any], body: list[list[Any]]) -> Chart:
    """Return a chart of bars as JSON data."""
    return chart(id, title, summary, header, body, bars=asdict(bars))


def chart(id: str, title: str, summary: str, header: list[Any], body: list[Any], **picture: Any) -> Chart:
    """Return a chart of another picture, such as a plotly `figure`."""
    rows = {"header": header, "body": body}
    return cast("Chart", {"id": id, "title": title, "summary": summary, **picture, "rows": rows})


def percent(share: float | None) -> str:
    """Write a share, without decimals."""
    return DASH if share is None else f"{share * 100:.0f}%"


def percent_between(interval: tuple[float, float] | None) -> str:
    """Write an interval of shares, without decimals."""
    return f"{interval[0] * 100:.0f}–{percent(interval[1])}" if interval else DASH
