"""Time of each round: in the draft model, in the target model, and everywhere else."""

from playground.trace.events import Committed
from playground.views.bars import Bars, Kind
from playground.words import Words, word

# look -> (field, its name), in stacking order
PHASES = {
    "target": ("verify_s", word("chart_verify")),
    "draft": ("draft_s", word("chart_draft")),
    "other": ("other_s", word("chart_rest")),
}


def time_per_round_bars(data: list[Committed]) -> Bars:
    """One bar a round, as high as its measured milliseconds, stacked by phase."""
    x, y = word("chart_round"), word("chart_time_ms")
    if not data:
        return Bars("round", x, y, empty=word("chart_no_round"))
    kinds = []
    for look, (field, name) in PHASES.items():
        rounds = [(each.round, getattr(each, field) * 1000) for each in data if getattr(each, field)]
        if rounds:
            said = Words(word(f"chart_said_{look}", round=number, ms=f"{ms:.2f}") for number, ms in rounds)
            values = [round(milliseconds, 3) for _, milliseconds in rounds]
            kinds.append(Kind(name, look, [number for number, _ in rounds], values, said))
    return Bars("round", x, y, [each.round for each in data], kinds)
