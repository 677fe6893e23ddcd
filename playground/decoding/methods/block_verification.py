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

from dataclasses import dataclass

import torch

from playground.decoding import method
from playground.decoding.drafting import draft_chains, length_option
from playground.decoding.method import DecodingMethod
from playground.decoding.round import Draft, Judgement, Setting, Verdict
from playground.decoding.sampling import categorical
from playground.decoding.verification import block
from playground.decoding.writers import writers


@dataclass(frozen=True, slots=True)
class Options(method.Options):
    """Draft length."""

    draft_length: int = length_option()


class BlockVerification(DecodingMethod):
    """Draft a chain, keep its longest prefix that passes as a block."""

    title = "Block verification"
    summary = "Speculative sampling that judges the draft as one block and keeps its longest passing prefix."
    paper = "Sun et al. 2024, Block Verification Accelerates Speculative Decoding, arXiv 2403.10444"
    lossless = True
    reproduces = "target sampling"
    needs_draft_model = True
    Options = Options

    def draft(self, setting: Setting) -> Draft:
        """A chain drawn token by token from the draft model."""
        return draft_chains(setting, self.options.draft_length, writers(setting))

    def verify(self, setting: Setting, draft: Draft) -> Verdict:
        """One target call over the chain, then the tests from its end."""
        chain, tokens = draft.nodes(), setting.tree.tokens
        reading = setting.target.read([*setting.frontier, *chain])
        if not chain:
            token = categorical(reading.probs[0], setting.verify_rng.random())
            return Verdict(reading, [], [], token, "plain", reading.probs[0])

        result = block.judge(
            reading.probs[:-1],  # (N, V)
            torch.stack(list(draft.probs.values())),  # (N, V)
            [tokens[node] for node in chain],
            setting.verify_rng,
        )
        judgements = [Judgement(node, *row) for node, row in zip(chain, block.explain(result), strict=True)]
        judgements.reverse()  # the order of the tests
        path = chain[: result.num_accepted]
        if path and tokens[path[-1]] in setting.eos_ids:
            return Verdict(reading, judgements, path, None, "bonus", None)
        probs = reading.probs[-1] if result.residual is None else result.residual  # (V,)
        token = categorical(probs, setting.verify_rng.random())
        return Verdict(reading, judgements, path, token, "bonus" if result.residual is None else "correction", probs)
