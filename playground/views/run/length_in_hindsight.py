"""Best draft length of each round, now that it is known what was kept of it."""

from playground.metrics.hindsight import Hindsight, RoundHindsight
from playground.views.bars import Bars, Chart, Kind, bar_chart
from playground.words import Word, Words, paragraph, word

NOTHING = word("chart_no_drafts_yet")


def hindsight_chart(data: Hindsight | None) -> Chart:
    """Chart one bar a round, as high as what it drafted: enough below, too many on top."""
    rounds = data.rounds if data else ()
    enough = [(each, each.accepted) for each in rounds]
    too_many = [(each, each.drafted - each.accepted) for each in rounds]
    kinds = [
        _kind(word("chart_enough"), "accepted", enough),
        _kind(word("chart_too_many"), "draft", too_many),
    ]
    bars = Bars(
        axis="round",
        x=word("chart_round"),
        y=word("chart_drafted_levels"),
        places=[each.number for each in rounds],
        kinds=[kind for kind in kinds if kind.at],
        empty="" if data else NOTHING,
    )
    header = [word("chart_round"), word("chart_drafted_levels"), word("chart_enough")]
    header += [word("chart_drafting_ms"), word("chart_wasted_ms")]
    body = [
        [each.number, each.drafted, each.accepted, f"{each.draft_s * 1000:.2f}", f"{each.wasted_s * 1000:.2f}"]
        for each in rounds
    ]
    return bar_chart("length_in_hindsight", word("chart_hindsight"), say_hindsight(data), bars, header, body)


def say_hindsight(data: Hindsight | None) -> Word:
    """Sentences on the run with the best draft of every round, and on which of that is counted."""
    if data is None:
        return NOTHING
    rounds = len(data.rounds)
    counted = word(
        "chart_hindsight_counted",
        accepted=data.accepted,
        drafted=data.drafted,
        calls=rounds,
        best=f"{data.best.length:.1f}",
        actual=f"{data.actual.length:.1f}",
    )
    fixed = data.fixed and word("chart_hindsight_fixed", length=f"{data.fixed.length:g}", gain=f"{data.fixed.gain:.2f}")
    whole = word("chart_hindsight_whole", whole=data.whole, rounds=rounds) if data.whole else ""
    return paragraph(counted, _estimates(data), fixed or "", whole)


def _estimates(data: Hindsight) -> str:
    """Sentence on what the best drafts would have saved; empty where that is nothing."""
    gain = time = ""
    if data.actual.cost > data.best.cost:
        gain = word("chart_hindsight_gain", best=f"{data.best.gain:.2f}", actual=f"{data.actual.gain:.2f}")
    if data.wasted_s:
        best, actual = (f"{seconds * 1000:.0f}" for seconds in (data.best_s, data.seconds))
        time = word("chart_hindsight_time", best=best, actual=actual)
    if gain and time:
        return word("chart_hindsight_estimates", gain=gain, time=time)
    return word("chart_hindsight_estimate", saved=gain or time) if gain or time else ""


def _kind(name: Word, look: str, rounds: list[tuple[RoundHindsight, int]]) -> Kind:
    there = [(each, value) for each, value in rounds if value]
    said = Words(_said(each) for each, _ in there)
    return Kind(name, look, [each.number for each, _ in there], [value for _, value in there], said)


def _said(each: RoundHindsight) -> Word:
    if each.is_whole:
        return word("chart_said_whole", round=each.number, drafted=each.drafted)
    return word("chart_said_enough", round=each.number, drafted=each.drafted, accepted=each.accepted)
