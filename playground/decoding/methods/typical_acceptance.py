"""Typical acceptance: accept the draft model's best tokens while their target probability is high enough. Lossy.

    frontier --best--> x1 --best--> x2 --best--> x3      draft, the draft model's most likely token each time
       p               p            p            p       one target call scores every position
       p(x1) > min(epsilon, delta exp(-H(p)))?  ...      deterministic; accept up to the first that fails
                                      \\-> y ~ p          one more token from the target

Paper: Cai et al. 2024, Medusa: Simple LLM Inference Acceleration Framework with Multiple Decoding Heads, arXiv
    2401.10774, "typical acceptance".
Differs from the paper: a draft model writes one chain, where Medusa's heads write a tree; the token after the accepted
    ones is drawn from p, where Medusa takes the most likely (at temperature 0 both are the same). Medusa's
    next round begins with that token and keeps it unconditionally; here it ends the round before.
"""

from dataclasses import dataclass

from playground.decoding import method
from playground.decoding.drafting.draft import Draft
from playground.decoding.drafting.growth import BEST_GUESS, grow, length_option
from playground.decoding.method import DecodingMethod, option
from playground.decoding.setting import Setting
from playground.decoding.verdict import Verdict
from playground.decoding.verification.lossy import typical
from playground.decoding.verifying import close_chain, read


@dataclass(frozen=True, slots=True)
class Options(method.Options):
    """Draft length, and the threshold's parameters."""

    draft_length: int = length_option()
    epsilon: float = option(
        0.2,
        label="Epsilon",
        help="Probability that always suffices; lower accepts more. Medusa takes 0.09.",
        low=0,
        high=1,
        step=0.01,
    )
    delta: float = option(
        0.6,
        label="Delta",
        help="Times exp(-entropy): a lower bar where the target is unsure. Medusa takes 0.3, which rejects hardly "
        "anything here.",
        low=0,
        high=1,
        step=0.01,
    )


class TypicalAcceptance(DecodingMethod):
    """Accepts the draft model's tokens as long as the target finds them plausible."""

    title = "Typical acceptance (Medusa)"
    paper = "Cai et al. 2024, Medusa, arXiv 2401.10774"
    reproduces = "none"

    def draft(self, setting: Setting) -> Draft:
        """Draft the draft model's greedy chain."""
        draft = Draft()
        for parents in setting.parents_by_depth(draft, self.options.draft_length):
            grow(setting, draft, parents, BEST_GUESS)
        return draft

    def verify(self, setting: Setting, draft: Draft) -> Verdict:
        """One target call over the chain, then the bar at each position."""
        reading, tokens = read(setting, draft), [setting.tree.tokens[node] for node in draft.nodes()]
        ruling = typical.judge(reading.probs, tokens, epsilon=self.options.epsilon, delta=self.options.delta)
        return close_chain(setting, draft, reading, ruling)
