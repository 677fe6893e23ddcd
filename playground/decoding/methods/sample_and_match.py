"""Sample and match: the target draws its own token at every position, and a draft is accepted where it is the same.

    frontier --q--> x1 --q--> x2 --q--> x3           draft, one token after the other
       p            p         p         p            one target call scores every position
       y1 ~ p       y2 ~ p    y3 ~ p                 the target draws, as if nothing had been drafted
       y1 = x1?     y2 = x2?  ...                    accept up to the first that differs
                              \\-> y3                the target's own token there; a bonus y ~ p if all were the same

Paper: no paper; what servers ship, because it takes nothing but a sampler: github.com/ggml-org/llama.cpp/pull/5625,
    github.com/vllm-project/vllm/pull/35461 (vLLM's "strict"), github.com/NVIDIA/TensorRT-LLM/pull/15775.
Differs from the paper: servers draft the most likely token, which is mostly matched more often than a drawn one; that
    is `greedy_draft` in another form. Here the draft is drawn, to be compared with speculative sampling at equal
    drafts.
"""

from playground.decoding.drafting import lengths
from playground.decoding.drafting.draft import Draft
from playground.decoding.method import DecodingMethod
from playground.decoding.setting import Setting
from playground.decoding.verdict import Verdict
from playground.decoding.verification import matching
from playground.decoding.verifying import verify_tree


class SampleAndMatch(DecodingMethod):
    """Servers' own test: the target draws its own tokens, and keeps the drawn drafts that are the same."""

    title = "Sample and match"
    paper = "vLLM's strict rejection sampling, github.com/vllm-project/vllm/pull/35461"
    reproduces = "target sampling"
    drafts = "chain"
    Options = lengths.Options

    def draft(self, setting: Setting) -> Draft:
        """Draw a chain token by token from the draft model."""
        return lengths.sampled_chain(setting, self.options)

    def verify(self, setting: Setting, draft: Draft) -> Verdict:
        """One target call over the chain, then the target's own draws from its start."""
        return verify_tree(setting, draft, matching.judge)
