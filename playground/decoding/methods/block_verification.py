"""Block verification: the draft of speculative sampling, judged as a whole, so that more of it can be kept.

    frontier --q--> x1 --q--> x2 --q--> x3           draft, one token after the other
       p            p         p         p            one target call scores every position
                    h1   <-   h2   <-   h3           coin < h3? keep all three. Else coin < h2? keep two. ...
                               \\-> y ~ max(0, P p - q)  correction after the kept block; a bonus y ~ p after all

Paper: Sun et al. 2024, Block Verification Accelerates Speculative Decoding, arXiv 2403.10444.
Differs from the paper: prefixes are tested from the longest down and testing stops at the first that passes, which is
    the same law with fewer coins. The draft stops at an end-of-text token and is cut to the budget.
"""

from __future__ import annotations

from playground.decoding.drafting import lengths
from playground.decoding.drafting.draft import Draft
from playground.decoding.drafting.samplers import DraftRequest, draft_layer, draft_samplers
from playground.decoding.method import DecodingMethod
from playground.decoding.setting import Setting
from playground.decoding.verdict import Verdict
from playground.decoding.verification import block
from playground.decoding.verifying import verify_chain


class BlockVerification(DecodingMethod):
    """Draft a chain, keep its longest prefix that passes as a block."""

    title = "Block verification"
    summary = "Speculative sampling that judges the draft as one block and keeps its longest passing prefix."
    paper = "Sun et al. 2024, Block Verification Accelerates Speculative Decoding, arXiv 2403.10444"
    reproduces = "target sampling"
    needs_draft_model = True
    tests = block.TESTS
    Options = lengths.Options

    @property
    def num_drafted_nodes(self) -> int:
        """A chain, which may grow."""
        return lengths.most_drafted(self.options)

    def draft(self, setting: Setting) -> Draft:
        """A chain drawn token by token from the draft model."""
        [sampler] = draft_samplers(setting)
        return lengths.draft_chain(
            setting, self.options, lambda draft, level: draft_layer(setting, draft, [DraftRequest(level[0], sampler)])
        )

    def verify(self, setting: Setting, draft: Draft) -> Verdict:
        """One target call over the chain, then the tests from its end."""
        return verify_chain(setting, draft, block.judge)
