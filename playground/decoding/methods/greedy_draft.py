"""Greedy draft: the draft model writes its most likely tokens, each accepted with its target probability p.

    frontier --best--> x1 --best--> x2 --best--> x3    draft, the most likely token each time: deterministic
       p               p            p            p     one target call scores every position
       u1 < p(x1)?     u2 < p(x2)?    ...              q = 1: accept up to the first rejection
                                      \\-> y ~ p without x3    correction there; a bonus y ~ p if all were accepted

Paper: no paper; the default of vLLM, github.com/vllm-project/vllm/pull/40651, and where rejection sampling is not asked
    for that of TensorRT-LLM, github.com/NVIDIA/TensorRT-LLM/pull/15775.
Differs from the paper: vLLM compares a uniform number with p(x), TensorRT-LLM lets the target draw and compares tokens.
    Both accept x with probability p(x), and else emit a token of p without x: here they are one rule.
"""

from playground.decoding.drafting import lengths
from playground.decoding.drafting.draft import Draft
from playground.decoding.drafting.growth import MOST_LIKELY, grow
from playground.decoding.method import DecodingMethod
from playground.decoding.setting import Setting
from playground.decoding.verdict import Verdict
from playground.decoding.verification import matching
from playground.decoding.verifying import verify_tree


class GreedyDraft(DecodingMethod):
    """The default of servers: the draft model's likeliest tokens, each accepted with its target probability."""

    title = "Greedy draft"
    paper = "vLLM's rejection sampler, github.com/vllm-project/vllm/pull/40651"
    reproduces = "target sampling"
    drafts = "chain"
    Options = lengths.Options

    def draft(self, setting: Setting) -> Draft:
        """Draft the draft model's greedy chain."""
        return lengths.draft_chain(
            setting, self.options, lambda draft, parents: grow(setting, draft, parents, MOST_LIKELY)
        )

    def verify(self, setting: Setting, draft: Draft) -> Verdict:
        """One target call over the chain, then the tests from its start, with q = 1."""
        return verify_tree(setting, draft, matching.judge)
