"""Sample and match: the target draws a token of its own, and the draft is accepted if it is that token.

The target's own token has distribution p, whatever was drafted, so nothing is to be corrected: where it is another one,
it replaces the draft. A drafted x is matched with probability p(x), and q is never read. That is the price. Speculative
sampling accepts a draw from q with probability sum_x min(p, q), this with sum_x p q, less wherever neither is
deterministic; the most likely token of q would be matched with its probability under p.

A uniform number u is a token of p by inverse transform, in any order of the tokens that does not depend on u. Here the
drafted token comes first: it is matched where u < p(x), and u is another token of the target elsewhere.

Sources: vLLM's strict rejection sampling, github.com/vllm-project/vllm/pull/35461; TensorRT-LLM's exact-match
acceptance, github.com/NVIDIA/TensorRT-LLM/pull/15775; llama.cpp, github.com/ggml-org/llama.cpp/pull/5625, whose
discussion compares it with the rules of the papers.
"""

from playground.decoding.distribution import DraftDistribution, zeroed
from playground.decoding.verification.ruling import Ruling, Test, UniformStream, untested
from playground.decoding.workings import reasons, records
from playground.decoding.workings.excerpt import at_tokens, telling_tokens
from playground.models.reading import Array


def judge(target_probs: Array, distribution: DraftDistribution, tokens: list[int], rng: UniformStream) -> Ruling:
    """Draw from the target, and accept the draft if it is the token drawn.

    Args:
        target_probs: (V,) p.
        distribution: distribution of the draw, which only a lens reads.
        tokens: (1,) the drafted token. Further ones are not tested.
        rng: one uniform number.
    """
    token = tokens[0]
    uniform, p_x = rng.random(), float(target_probs[token])
    matched = uniform < p_x
    test = Test(0, "accepted" if matched else "rejected", p_x, uniform, reasons.matching(matched))
    tests = [test, *untested(range(1, len(tokens)), reasons.SIBLING_ACCEPTED)]
    return Ruling(
        tests, [] if matched else [others(target_probs, token)], lambda: _workings(target_probs, distribution, token)
    )


def _workings(target_probs: Array, distribution: DraftDistribution, token: int) -> records.Matching:
    draft_probs = distribution.first([token], target_probs)
    shown = telling_tokens([target_probs, draft_probs], [token])
    return records.Matching(
        tokens=shown,
        target=at_tokens(target_probs, shown),
        draft=at_tokens(draft_probs, shown),
        chance=float(acceptance_probability(target_probs, draft_probs)),
    )


def others(target_probs: Array, token: int) -> Array:
    """Target distribution given that the token is another one: p without it, unnormalised. (V,)"""
    other_probs = zeroed(target_probs, token)
    return other_probs if float(other_probs.sum()) > 0 else target_probs


def acceptance_probability(target_probs: Array, draft_probs: Array) -> Array:
    """Probability that a token drawn from q is matched: sum over x of p(x) q(x). (...)"""
    return (target_probs * draft_probs).sum(-1)
