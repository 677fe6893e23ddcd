"""Static ensemble: speculative sampling, but for a mixture of target and draft model. Lossy, by a known amount.

    frontier --q--> x1 --q--> x2 --q--> x3           draft, one token after the other
       p            p         p         p            one target call scores every position
       v = w p + (1 - w) q, at every drafted position
       u1 < v/q?    u2 < v/q?    ...                 accept up to the first rejection
                              \\-> y ~ max(0, v - q)  correction there; a bonus y ~ p if all were kept

Paper: Wang et al. 2026, DIVERSED: Relaxed Speculative Decoding via Dynamic Ensemble Verification, arXiv 2604.07622,
    the static ensemble.
Differs from the paper: the bonus is drawn from p, as the draft model was not asked there. One weight for every token;
    the paper's own method learns one for each.
"""

from dataclasses import dataclass
from functools import partial

from playground.decoding import method
from playground.decoding.drafting.draft import Draft
from playground.decoding.drafting.growth import length_option
from playground.decoding.drafting.samplers import draft_chains, draft_samplers
from playground.decoding.method import DecodingMethod, option
from playground.decoding.setting import Setting
from playground.decoding.verdict import Verdict
from playground.decoding.verification.lossy import ensemble
from playground.decoding.verifying import verify_chain


@dataclass(frozen=True, slots=True)
class Options(method.Options):
    """Draft length, and weight of the target."""

    draft_length: int = length_option()
    weight: float = option(
        0.5,
        label="Weight of the target",
        help="w: 1 is speculative sampling, 0 accepts every draft. Drafts are rejected w times as often as then, and "
        "the distribution is 1 - w of the way from the target's to the draft model's.",
        low=0,
        high=1,
        step=0.05,
    )


class StaticEnsemble(DecodingMethod):
    """Verifies drafts against a mixture of target and draft model, so that fewer are rejected."""

    title = "Static ensemble"
    paper = "Wang et al. 2026, DIVERSED, arXiv 2604.07622"
    reproduces = "none"

    def draft(self, setting: Setting) -> Draft:
        """Draw a chain token by token from the draft model."""
        return draft_chains(setting, self.options.draft_length, draft_samplers(setting))

    def verify(self, setting: Setting, draft: Draft) -> Verdict:
        """One target call over the chain, then the tests from its start."""
        return verify_chain(setting, draft, partial(ensemble.judge, weight=self.options.weight))
