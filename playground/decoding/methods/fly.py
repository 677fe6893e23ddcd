"""FLy: a rejected draft is held where the target is unsure, and kept if the drafts after it pass. Lossy.

    frontier --q--> x1 --q--> x2 --q--> x3 --q--> x4       draft, one token after the other
       p            p         p         p                 one target call scores every position
       u1 < p/q     u2 >= p/q: held, as H(top 3 of p) > threshold
                              u3 < p/q  u4 < p/q           both pass, so x2 stays, too
                                             \\-> y ~ p     else x2 is rejected: y ~ max(0, p - q) in its place

Paper: FLy verification of vLLM, docs.vllm.ai/en/latest/features/speculative_decoding/fly (no paper read).
Differs from the paper: drafts are tested by speculative sampling at any temperature; at temperature 0 that is agreement
    with the target's best token, as there. The window is shorter where the draft ends, and a last draft is never kept.
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
from playground.decoding.verification.lossy import deferred
from playground.decoding.verifying import verify_chain


@dataclass(frozen=True, slots=True)
class Options(method.Options):
    """Draft length, and when a rejected draft is held and kept."""

    draft_length: int = length_option()
    threshold: float = option(
        0.3,
        label="Entropy threshold",
        help="A rejected draft is held where the entropy of the target's three likeliest tokens is above this.",
        low=0,
        high=1.1,
        step=0.05,
        unit="nats",
    )
    window: int = option(
        6, label="Window", help="Drafts after a held one that have to pass, as far as there are any.", low=1, high=16
    )


class FLy(DecodingMethod):
    """Draft a chain, and let what follows decide on a draft that failed where the target was unsure."""

    title = "FLy"
    summary = "Keeps a rejected draft where the target was unsure and the drafts after it pass."
    paper = "FLy verification of vLLM, docs.vllm.ai/en/latest/features/speculative_decoding/fly"
    reproduces = "none"
    needs_draft_model = True
    Options = Options

    def draft(self, setting: Setting) -> Draft:
        """Draw a chain token by token from the draft model."""
        return draft_chains(setting, self.options.draft_length, draft_samplers(setting))

    def verify(self, setting: Setting, draft: Draft) -> Verdict:
        """One target call over the chain, then the tests from its start."""
        rule = partial(deferred.judge, threshold=self.options.threshold, window=self.options.window)
        return verify_chain(setting, draft, rule)
