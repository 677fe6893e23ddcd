"""Speed-up over plain decoding, of beams over plain beams: each entry as a point with its interval, and the line
at 1.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import plotly.graph_objects as go

from playground.views.race.against import against_of
from playground.views.race.standings import NamedRow
from playground.views.theme import COLOURS, INK, add_intervals, blank_figure, note
from playground.words import word

Standing = Literal["faster", "slower", "open", "baseline"]

PLAIN_TITLE = "Autoregressive"

ROW = 30  # px of height per entry
# standing -> (name in the legend, colour, symbol)
_LOOKS: dict[Standing, tuple[str, str, str]] = {
    "faster": (word("race_faster"), COLOURS["accepted"], "circle"),
    "open": (word("race_open"), COLOURS["not_tested"], "circle-open"),
    "slower": (word("race_slower"), COLOURS["rejected"], "x"),
    "baseline": (word("race_baseline"), INK, "square"),
}

_HOVER = word(
    "race_speed_up_hover",
    entry="%{y}",
    times="%{x:.2f}×",
    over="%{customdata[2]}",
    interval="%{customdata[0]}",
    pairs="%{customdata[1]}",
    end="<extra></extra>",
)


class SpeedUp(NamedTuple):
    """One entry's speed-up over what it is rated against."""

    title: str
    median: float
    low: float | None  # The 95 % interval begins there; None where there are too few prompts.
    high: float | None
    pairs: int
    is_baseline: bool = False
    over: str = PLAIN_TITLE  # the title of what it is timed against

    @property
    def standing(self) -> Standing:
        """Side of 1 that the interval is on."""
        if self.is_baseline:
            return "baseline"
        if self.low is None or self.high is None or self.low <= 1 <= self.high:
            return "open"
        return "faster" if self.low > 1 else "slower"


def speed_up_data(rows: Sequence[NamedRow]) -> list[SpeedUp]:
    """Return the entries that have a speed-up, fastest first."""
    titles = {row["label"]: row["title"] for row in rows}
    speed_ups = [
        SpeedUp(
            row["title"],
            ratio["median"],
            ratio["low"],
            ratio["high"],
            ratio["pairs"],
            against_of(row) == row["label"],
            titles.get(against_of(row), PLAIN_TITLE),
        )
        for row in rows
        if (ratio := row.get("speed_up"))
    ]
    return sorted(speed_ups, key=lambda each: -each.median)


def speed_up_figure(data: list[SpeedUp]) -> go.Figure:
    """Draw a point per entry, the fastest on top, with its 95 % interval as a line."""
    height = 118 + ROW * max(len(data), 2)
    figure = blank_figure(x=word("race_speed_up_axis"), y="", height=height)
    if not data:
        return note(figure, word("race_no_speed_up"))
    for standing, (name, colour, symbol) in _LOOKS.items():
        entries = [each for each in data if each.standing == standing]
        if entries:
            hover_values = [[_interval(each), each.pairs, each.over] for each in entries]
            add_intervals(figure, name, (colour, symbol), entries, hover_values, _HOVER)
    figure.add_vline(x=1, line={"color": INK, "width": 1.5, "dash": "dot"})
    figure.update_xaxes(showgrid=True, rangemode="tozero", ticksuffix="×")
    titles = [each.title for each in data]
    return figure.update_yaxes(categoryorder="array", categoryarray=titles[::-1], type="category", showgrid=False)


def _interval(each: SpeedUp) -> str:
    if each.low is None:
        return word("race_no_interval")
    return word("race_interval", low=f"{each.low:.2f}", high=f"{each.high:.2f}")
