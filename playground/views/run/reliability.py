"""Acceptance of drafts by how likely the draft model found them: bars with intervals, and what was expected."""

from playground.metrics.reliability import Reliability
from playground.views.bars import Bars, Kind
from playground.words import Words, word

X, Y = word("chart_x_q"), word("chart_per_draw")
NOTHING = word("chart_none_by_q")


def span(each: Reliability) -> str:
    """Write an interval of q in percent."""
    return f"{each.low * 100:.0f}–{each.high * 100:.0f}%"


def reliability_bars(data: list[Reliability]) -> Bars:
    """Bars of accepted / tested with 95 % intervals; a stroke marks the mean acceptance probability."""
    filled = [
        (index, each, each.rate, each.expected, each.interval)
        for index, each in enumerate(data, 1)
        if each.rate is not None and each.expected is not None and each.interval is not None
    ]
    if not filled:
        return Bars("q", X, Y, share=True, empty=NOTHING)
    at = [index for index, *_ in filled]
    counted = Kind(
        name=word("chart_counted", tries=word("chart_tested")),
        look="counted",
        at=at,
        values=[round(rate, 4) for _, _, rate, _, _ in filled],
        said=Words(
            word(
                "chart_said_q",
                span=span(each),
                accepted=each.num_accepted,
                tested=each.num_tested,
                share=f"{rate:.1%}",
            )
            for _, each, rate, _, _ in filled
        ),
        low=[round(low, 4) for *_, (low, _) in filled],
        high=[round(high, 4) for *_, (_, high) in filled],
    )
    expected = Kind(
        name=word("chart_expected"),
        look="overlap",
        at=at,
        values=[round(expected, 4) for _, _, _, expected, _ in filled],
        said=Words(
            word("chart_said_expected", span=span(each), share=f"{expected:.1%}") for _, each, _, expected, _ in filled
        ),
    )
    return Bars(
        axis="q",
        x=X,
        y=Y,
        places=list(range(1, len(data) + 1)),
        kinds=[counted],
        strokes=expected,
        below=[f"{each.num_accepted}/{each.num_tested}" for each in data],
        share=True,
        labels=[f"{'<' if each.high < 1 else ''}{each.high * 100:.0f}%" for each in data],
    )
