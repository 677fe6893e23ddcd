"""Acceptance of drafts by how likely the draft model found them: bars with intervals, and what was expected."""

from playground.metrics.reliability import Reliability
from playground.views.bars import Bars, Chart, Kind, bar_chart, percent, percent_between
from playground.words import Word, Words, listed, word


def reliability_chart(data: list[Reliability]) -> Chart:
    """Chart accepted / tested with 95 % intervals; a stroke marks the mean acceptance probability."""
    filled = [
        (index, each, each.rate, each.expected, each.interval)
        for index, each in enumerate(data, 1)
        if each.rate is not None and each.expected is not None and each.interval is not None
    ]
    at = [index for index, *_ in filled]
    counted = Kind(
        name=word("chart_counted", tries=word("chart_tested")),
        look="counted",
        at=at,
        values=[round(rate, 4) for _, _, rate, _, _ in filled],
        said=Words(word("chart_said_q", **_counts(each), share=f"{rate:.1%}") for _, each, rate, _, _ in filled),
        low=[round(low, 4) for *_, (low, _) in filled],
        high=[round(high, 4) for *_, (_, high) in filled],
    )
    expected = Kind(
        name=word("chart_expected"),
        look="overlap",
        at=at,
        values=[round(share, 4) for _, _, _, share, _ in filled],
        said=Words(
            word("chart_said_expected", span=_span(each), share=f"{share:.1%}") for _, each, _, share, _ in filled
        ),
    )
    bars = Bars(
        axis="q",
        x=word("chart_x_q"),
        y=word("chart_per_draw"),
        places=list(range(1, len(data) + 1)),
        kinds=[counted] if filled else [],
        strokes=expected if filled else None,
        below=[f"{each.num_accepted}/{each.num_tested}" for each in data],
        share=True,
        empty="" if filled else word("chart_none_by_q"),
        labels=[f"{'<' if each.high < 1 else ''}{each.high * 100:.0f}%" for each in data],
    )
    header = [word("chart_q"), word("chart_tested"), word("chart_accepted")]
    header += [word("chart_rate", tries=word("chart_tested")), word("chart_interval"), word("chart_expected_share")]
    body = []
    for each in data:
        shares = percent(each.rate), percent_between(each.interval), percent(each.expected)
        body.append([_span(each), each.num_tested, each.num_accepted, *shares])
    return bar_chart("reliability", word("chart_reliability"), _summary(data), bars, header, body)


def _summary(data: list[Reliability]) -> Word:
    filled = [each for each in data if each.num_tested]
    if not filled:
        return word("chart_none_by_q")
    ends = dict.fromkeys((filled[0], filled[-1]))
    parts = [word("chart_share_of_q", **_counts(each), share=percent(each.rate)) for each in ends]
    return word("chart_of_drafts", parts=listed(parts))


def _counts(each: Reliability) -> dict[str, object]:
    return {"span": _span(each), "accepted": each.num_accepted, "tested": each.num_tested}


def _span(each: Reliability) -> str:
    """Write an interval of q in percent."""
    return percent_between((each.low, each.high))
