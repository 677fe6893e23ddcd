"""Tokens of each round: its accepted drafts, and the token that ended it."""

from playground.metrics.acceptance import RoundAcceptance
from playground.views.bars import Bars, Kind
from playground.words import Word, Words, word

# origin -> its name, in stacking order
KINDS = {
    "accepted": word("chart_accepted_draft"),
    "correction": word("chart_correction"),
    "bonus": word("chart_bonus"),
    "plain": word("chart_plain"),
}


def accepted_per_round_bars(data: list[RoundAcceptance]) -> Bars:
    """One bar a round, as high as the tokens it emitted: accepted drafts below, the extra token on top."""
    x, y = word("chart_round"), word("chart_emitted_tokens")
    if not data:
        return Bars("round", x, y, empty=word("chart_no_round"))
    kinds = []
    for origin, name in KINDS.items():
        rounds = [(each, _emitted(each, origin)) for each in data if _emitted(each, origin)]
        if rounds:
            at, values = [each.round for each, _ in rounds], [emitted for _, emitted in rounds]
            said = Words(_said(each, emitted, origin) for each, emitted in rounds)
            kinds.append(Kind(name, origin, at, values, said))
    return Bars("round", x, y, [each.round for each in data], kinds)


def _said(each: RoundAcceptance, emitted: int, origin: str) -> Word:
    counts = {"count": emitted, "drafted": each.num_drafted, "tested": each.num_tested}
    return word(f"chart_said_{origin}", round=each.round, **counts)


def _emitted(each: RoundAcceptance, origin: str) -> int:
    return each.emitted_drafts if origin == "accepted" else each.extras.count(origin)
