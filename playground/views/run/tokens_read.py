"""Tokens that the target read in each round: for the first time, again after a rejected draft, and in copies."""

from playground.metrics.tokens_read import RoundReading
from playground.views.bars import Bars, Chart, Kind, bar_chart
from playground.words import Word, Words, word

# Each look has its field and name, in stacking order.
KINDS = {
    "target": ("first", word("chart_read_first")),
    "rejected": ("again", word("chart_read_again")),
    "other": ("copied", word("chart_read_copied")),
}


def tokens_read_chart(readings: list[RoundReading]) -> Chart:
    """Chart one bar a round, as high as the tokens that the target read; a target with a tree mask reads the first."""
    kinds = []
    for look, (field, name) in KINDS.items():
        there = [(each.round, getattr(each, field)) for each in readings if getattr(each, field)]
        said = Words(word(f"chart_said_read_{field}", round=number, count=count) for number, count in there)
        kinds.append(Kind(name, look, [number for number, _ in there], [count for _, count in there], said))
    rounds, shown = [each.round for each in readings], [kind for kind in kinds if kind.at]
    bars = Bars("round", word("chart_round"), word("chart_read_tokens"), rounds, shown)
    header = [word("chart_round"), *(name for _, name in KINDS.values()), word("chart_calls"), word("chart_paths")]
    body = [[each.round, each.first, each.again, each.copied, each.calls, each.rows] for each in readings]
    return bar_chart("tokens_read", word("chart_read"), _summary(readings), bars, header, body)


def _summary(readings: list[RoundReading]) -> Word:
    first, again, copied, calls = (
        sum(getattr(each, field) for each in readings) for field in ("first", "again", "copied", "calls")
    )
    numbers = {"first": first, "again": again, "copied": copied, "calls": calls, "rounds": len(readings)}
    return word("chart_read_summary", read=first + again + copied, **numbers)
