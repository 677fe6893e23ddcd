"""Typical acceptance: keep the draft model's best guesses as long as the target finds them plausible. Lossy.

    frontier --best--> x1 --best--> x2 --best--> x3      draft, the draft model's most likely token each time
       p               p            p            p       one target call scores every position
       p(x1) > min(epsilon, delta exp(-H(p)))?  ...      no coins; keep up to the first that fails
                                      \\-> y ~ p          one more token from the target

Paper: Cai et al. 2024, Medusa: Simple LLM Inference Acceleration Framework with Multiple Decoding Heads, arXiv
    2401.10774, "typical acceptance".
Differs from the paper: a draft model writes one chain, where Medusa's heads write a tree; the token after the accepted
    ones is drawn from p, where Medusa takes the most likely (at temperature 0 both are the same).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from playground.decoding import method
from playground.decoding.drafting import grow_level, length_option, most_likely
from playground.decoding.method import DecodingMethod, option
from playground.decoding.round import Draft, Setting, Verdict
from playground.decoding.verification import typical
from playground.decoding.verification.prefix import keep_prefix


@dataclass(frozen=True, slots=True)
class Options(method.Options):
    """Draft length, and how plausible a token must be."""

    draft_length: int = length_option()
    epsilon: float = option(
        0.09, label="Epsilon", help="Probability that always suffices; lower accepts more.", low=0, high=1, step=0.01
    )
    delta: float = option(
        0.3,
        label="Delta",
        help="Times exp(-entropy): a lower bar where the target is unsure.",
        low=0,
        high=1,
        step=0.01,
    )


class TypicalAcceptance(DecodingMethod):
    """Draft greedily, keep what the target finds typical."""

    title = "Typical acceptance (Medusa)"
    summary = "Lossy: keeps the draft model's guesses as long as the target finds them plausible."
    paper = "Cai et al. 2024, Medusa, arXiv 2401.10774"
    lossless = False
    reproduces = "none"
    needs_draft_model = True
    Options = Options

    def draft(self, setting: Setting) -> Draft:
        """The draft model's greedy chain."""
        draft, level = Draft(), setting.frontier
        for _ in range(min(self.options.draft_length, setting.room - 1)):  # the last token is the target's own
            level = grow_level(setting, draft, level, most_likely)
        return draft

    def verify(self, setting: Setting, draft: Draft) -> Verdict:
        """One target call over the chain, then the bar at each position."""
        chain, options = draft.nodes(), self.options
        reading = setting.target.read([*setting.frontier, *chain])
        tokens = [setting.tree.tokens[node] for node in chain]
        bar = {"epsilon": options.epsilon, "delta": options.delta}
        rulings = typical.judge(reading.probs[:-1], tokens, **bar)
        return keep_prefix(
            setting, draft, reading, rulings, partial(typical.workings, reading.probs[:-1], rulings, **bar)
        )
