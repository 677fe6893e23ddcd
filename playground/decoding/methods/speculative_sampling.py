"""Speculative sampling: a draft model writes a chain ahead, the target verifies all of it in one call.

    frontier --q--> x1 --q--> x2 --q--> x3           draft, one token after the other
       p            p         p         p            one target call scores every position
       u1 < p/q?    u2 < p/q?    ...                 accept up to the first rejection
                              \\-> y ~ max(0, p - q)  correction there; a bonus y ~ p if all were kept

Paper: Leviathan et al. 2023, Fast Inference from Transformers via Speculative Decoding, arXiv 2211.17192, Algorithm 1;
    found at the same time by Chen et al. 2023, arXiv 2302.01318, Algorithm 2.
Differs from the paper: the draft stops at an end-of-text token, and is cut so that a round cannot overrun the budget.
    The acceptance test is strict (u < p/q), so a token of target probability 0 is never accepted.
"""

from dataclasses import dataclass

from playground.decoding.drafting import lengths
from playground.decoding.drafting.draft import Draft
from playground.decoding.drafting.growth import length_option
from playground.decoding.drafting.samplers import factor_option
from playground.decoding.method import DecodingMethod
from playground.decoding.setting import Setting
from playground.decoding.verdict import Verdict
from playground.decoding.verification import speculative
from playground.decoding.verifying import verify_chain


@dataclass(frozen=True, slots=True)
class Options(lengths.Options):
    """Draft length, and a draft temperature of its own."""

    draft_length: int = length_option(low=0)
    draft_temperature_factor: float = factor_option()


class SpeculativeSampling(DecodingMethod):
    """A small draft model writes a few tokens ahead; the target verifies them all in one call."""

    title = "Speculative sampling"
    paper = "Leviathan et al. 2023, Fast Inference from Transformers via Speculative Decoding, arXiv 2211.17192"
    reproduces = "target sampling"
    drafts = "chain"

    def draft(self, setting: Setting) -> Draft:
        """Draw a chain token by token from the draft model."""
        return lengths.sampled_chain(setting, self.options, factor=self.options.draft_temperature_factor)

    def verify(self, setting: Setting, draft: Draft) -> Verdict:
        """One target call over the chain, then the tests from its start."""
        return verify_chain(setting, draft, speculative.judge)
