"""Time of each round: in the draft model, in the target model, and everywhere else."""

from playground.trace.events import Committed
from playground.views.bars import Bars, Chart, Kind, bar_chart, percent
from playground.words import Word, Words, counted, listed, word

# look -> (field, its name), in stacking order
PHASES = {
    "target": ("verify_s", word("chart_verify")),
    "draft": ("draft_s", word("chart_draft")),
    "other": ("other_s", word("chart_rest")),
}


def times_chart(times: list[Committed]) -> Chart:
    """Chart one bar a round, as high as its measured milliseconds, stacked by phase."""
    kinds = []
    for look, (field, name) in PHASES.items():
        rounds = [(each.round, getattr(each, field) * 1000) for each in times if getattr(each, field)]
        if rounds:
            said = Words(word(f"chart_said_{look}", round=number, ms=f"{ms:.2f}") for number, ms in rounds)
            values = [round(milliseconds, 3) for _, milliseconds in rounds]
            kinds.append(Kind(name, look, [number for number, _ in rounds], values, said))
    empty = "" if times else word("chart_no_round")
    bars = Bars("round", word("chart_round"), word("chart_time_ms"), [each.round for each in times], kinds, empty=empty)
    phases = [*(name for _, name in PHASES.values()), word("chart_sum")]
    header = [word("chart_round"), *(word("chart_in_ms", name=name) for name in phases)]
    fields = [*(field for field, _ in PHASES.values()), "seconds"]
    body = [[each.round, *(f"{getattr(each, field) * 1000:.2f}" for field in fields)] for each in times]
    return bar_chart("time_per_round", word("chart_times"), _summary(times), bars, header, body)


def _summary(times: list[Committed]) -> Word:
    total = sum(each.seconds for each in times)
    if not times:
        return word("chart_no_round_yet")
    rounds = counted("rounds", len(times))
    if not total:
        return word("chart_no_time", rounds=rounds)
    shares = {look: sum(getattr(each, field) for each in times) for look, (field, _) in PHASES.items()}
    parts = [word(f"chart_share_{look}", share=percent(s / total)) for look, s in shares.items() if s]
    return word("chart_took", rounds=rounds, time=seconds_in_words(total), parts=listed(parts))


def seconds_in_words(seconds: float) -> str:
    """Write a time in seconds or milliseconds."""
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.3g} ms"
