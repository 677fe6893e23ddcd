"""Block verification: the draft of speculative sampling, tested as a block, so that more of it is accepted.

    frontier --q--> x1 --q--> x2 --q--> x3           draft, one token after the other
       p            p         p         p            one target call scores every position
                    h1   <-   h2   <-   h3           u3 < h3? accept all three. Else u2 < h2? accept two. ...
                               \\-> y ~ max(0, P p - q)  correction after the accepted block; a bonus y ~ p after all

Paper: Sun et al. 2024, Block Verification Accelerates Speculative Decoding, arXiv 2403.10444.
    Under another name: Zhou et al. 2026, Hierarchical Speculative Decoding, arXiv 2601.05724, with capped ratios.
Differs from the paper: prefixes are tested from the longest down and testing stops at the first that passes, which is
    the same distribution with fewer random numbers. The draft stops at an end-of-text token and is cut to the budget.
"""

from playground.decoding.drafting import lengths
from playground.decoding.drafting.draft import Draft
from playground.decoding.method import DecodingMethod
from playground.decoding.setting import Setting
from playground.decoding.verdict import Verdict
from playground.decoding.verification import block
from playground.decoding.verifying import verify_chain


class BlockVerification(DecodingMethod):
    """Speculative sampling that verifies the draft as one block and accepts its longest passing prefix."""

    title = "Block verification"
    paper = "Sun et al. 2024, Block Verification Accelerates Speculative Decoding, arXiv 2403.10444"
    reproduces = "target sampling"
    drafts = "chain"
    tests = block.TESTS
    Options = lengths.Options

    def draft(self, setting: Setting) -> Draft:
        """Draw a chain token by token from the draft model."""
        return lengths.sampled_chain(setting, self.options)

    def verify(self, setting: Setting, draft: Draft) -> Verdict:
        """One target call over the chain, then the tests from its end."""
        return verify_chain(setting, draft, block.judge)
