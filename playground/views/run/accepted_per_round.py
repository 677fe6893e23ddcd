"""Tokens of each round: its accepted drafts, and the token that ended it."""

from __future__ import annotations

from playground.metrics.acceptance import RoundAcceptance, accepted_per_round
from playground.trace.events import Trace
from playground.views.bars import Bars, Kind

# origin -> its name, in stacking order
KINDS = {"accepted": "accepted draft", "correction": "correction", "bonus": "bonus", "plain": "plain"}


def accepted_per_round_data(trace: Trace) -> list[RoundAcceptance]:
    """The emitted tokens of every round, by origin."""
    return accepted_per_round(trace)


def accepted_per_round_bars(data: list[RoundAcceptance]) -> Bars:
    """One bar a round, as high as the tokens it emitted: accepted drafts below, the extra token on top."""
    if not data:
        return Bars("round", "round", "emitted tokens", empty="No round was finished.")
    kinds = []
    for origin, name in KINDS.items():
        rounds = [(each, _emitted(each, origin)) for each in data if _emitted(each, origin)]
        if rounds:
            at, values = [each.round for each, _ in rounds], [emitted for _, emitted in rounds]
            kinds.append(Kind(name, origin, at, values, [_said(each, emitted, name) for each, emitted in rounds]))
    return Bars("round", "round", "emitted tokens", [each.round for each in data], kinds)


def _said(each: RoundAcceptance, emitted: int, name: str) -> str:
    return f"round {each.round}: {emitted} {name}; {each.num_drafted} drafted, {each.num_judged} judged"


def _emitted(each: RoundAcceptance, origin: str) -> int:
    return each.emitted_drafts if origin == "accepted" else each.extras.count(origin)
