"""Verdicts of the lossy rules: a prefix of a chain is kept by a threshold, and one token drawn from the plain target.

Without coins, and without a residual: that is what makes them lossy, and what they have in common. They differ only in
the threshold, and hand over its rulings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from playground.decoding.round import Draft, Judgement, Reading, Setting, Verdict, Workings
from playground.decoding.sampling import categorical

if TYPE_CHECKING:
    from playground.trace.events import Outcome

CERTAIN = {"accepted": 1.0, "rejected": 0.0, "unjudged": None}


class Ruling(NamedTuple):
    """What a threshold says of one drafted token, and why."""

    outcome: Outcome
    reason: str


def keep_prefix(
    setting: Setting, draft: Draft, reading: Reading, rulings: list[Ruling], workings: Workings | None = None
) -> Verdict:
    """The accepted tokens, then one drawn from p.

    Args:
        setting: the round's setting.
        draft: a chain of N tokens.
        reading: the target after the frontier and after each drafted token.
        rulings: (N,) accepted ones first.
        workings: what a lens may show of the thresholds.
    """
    shown = [workings] if workings else []
    chain, tokens = draft.nodes(), setting.tree.tokens
    judgements = [
        Judgement(
            node,
            ruling.outcome,
            float(reading.probs[place, tokens[node]]),
            float(draft.probs[setting.tree.parents[node]][tokens[node]]),
            CERTAIN[ruling.outcome],
            None,
            ruling.reason,
        )
        for place, (node, ruling) in enumerate(zip(chain, rulings, strict=True))
    ]
    path = chain[: sum(ruling.outcome == "accepted" for ruling in rulings)]
    if path and tokens[path[-1]] in setting.eos_ids:
        return Verdict(reading, judgements, path, None, "bonus", None, workings=shown)
    probs = reading.probs[len(path)]  # (V,)
    token = categorical(probs, setting.verify_rng.random())
    origin = "plain" if not chain else "bonus" if len(path) == len(chain) else "correction"
    return Verdict(reading, judgements, path, token, origin, probs, workings=shown)
