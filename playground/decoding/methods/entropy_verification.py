"""Entropy verification: speculative sampling that rejects less where the target is unsure. Lossy.

    frontier --q--> x1 --q--> x2 --q--> x3           draft, one token after the other
       p            p         p         p            one target call scores every position
       t = min(exp(-alpha H(p)), most), at every drafted position
       u1 < p/(t q)?    u2 < p/(t q)?    ...         accept up to the first rejection
                              \\-> y ~ max(0, p - q)  correction there; a bonus y ~ p if all were kept

Paper: entropy verification of vLLM Ascend,
    docs.vllm.ai/projects/ascend/en/latest/user_guide/feature_guide/speculative_decoding (no paper read).
Differs from the paper: the entropy is that of the target as the run warps it, where the server takes the unwarped one.
    Its block verification by the same factor is left out.
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
from playground.decoding.verification.lossy import entropy
from playground.decoding.verifying import verify_chain


@dataclass(frozen=True, slots=True)
class Options(method.Options):
    """Draft length, and how much more is accepted."""

    draft_length: int = length_option()
    alpha: float = option(
        0.4,
        label="Alpha",
        help="p/q is divided by exp(-alpha entropy): more accepts more where the target is unsure. 0 leaves the limit "
        "alone.",
        low=0,
        high=10,
        step=0.1,
    )
    most: float = option(
        0.95,
        label="Limit",
        help="p/q is divided by this at most, also where the target is sure. 1 with alpha 0 is speculative sampling.",
        low=0.05,
        high=1,
        step=0.05,
    )


class EntropyVerification(DecodingMethod):
    """Accepts more drafts than speculative sampling where the target is unsure."""

    title = "Entropy verification"
    paper = (
        "Entropy verification of vLLM Ascend, "
        "docs.vllm.ai/projects/ascend/en/latest/user_guide/feature_guide/speculative_decoding"
    )
    reproduces = "none"

    def draft(self, setting: Setting) -> Draft:
        """Draw a chain token by token from the draft model."""
        return draft_chains(setting, self.options.draft_length, draft_samplers(setting))

    def verify(self, setting: Setting, draft: Draft) -> Verdict:
        """One target call over the chain, then the tests from its start."""
        return verify_chain(setting, draft, partial(entropy.judge, alpha=self.options.alpha, most=self.options.most))
