"""Block verification: test the prefixes of a chain as blocks, and accept the longest that passes.

Let P_i = min(1, P_(i-1) p(x_i) / q(x_i)), P_0 = 1, be the reach of the prefix x_1 .. x_i: the share of what was drafted
there that the target can use. The prefix is accepted with probability h_i, where h_N = P_N for the whole chain and

    h_i = S_i / (S_i + 1 - P_i),    S_i = sum_x max(0, P_i p(x) - q(x)),    p and q after x_1 .. x_i

for a shorter one; after it a correction is drawn from max(0, P_i p - q). A weak token is forgiven where stronger ones
follow: on average no fewer tokens are accepted than by testing one after the other, and the text's distribution
is the target's.

The prefixes are tested from the longest down: the first to pass is the longest that does, and shorter ones need no
test.

Source: Sun et al. 2024, Block Verification Accelerates Speculative Decoding, arXiv 2403.10444. The rule of Zhou et al.
2026, Hierarchical Speculative Decoding (HSD), arXiv 2601.05724, definitions 4 to 6, is this one: its capped ratio is
divided by the largest ratio of a prefix so far, which is what cutting the product at 1 at every step does.
"""

from collections.abc import Sequence

import numpy as np

from playground.decoding.verification.ruling import Ruling, Test
from playground.decoding.workings import reasons, records
from playground.models.reading import Array
from playground.trace.events import Tests

TESTS: Tests = "prefixes"


def judge(target_probs: Array, draft_probs: Array, tokens: Sequence[int], rng: np.random.Generator) -> Ruling:
    """Test the prefixes of a chain, the longest first, until one passes.

    Args:
        target_probs: (N, V); row i is p before drafted token i. Rows sum to 1.
        draft_probs: (N, V); row i is the very q that token i was drawn from.
        tokens: (N,) the drafted tokens.
        rng: uniform numbers: one for each prefix that is tested.
    """
    reach = reaches(_of_tokens(target_probs, tokens), _of_tokens(draft_probs, tokens))
    accept_probs = acceptance(target_probs, draft_probs, reach)
    uniforms: list[float | None] = [None] * len(tokens)
    num_accepted = len(tokens)
    while num_accepted:
        uniforms[num_accepted - 1] = uniform = rng.random()
        if uniform < accept_probs[num_accepted - 1]:
            break
        num_accepted -= 1
    tests = [
        Test(
            length - 1,
            "accepted" if length <= num_accepted else "rejected",
            chance if length >= num_accepted else 1.0,  # its own; a token inside the block is accepted with it
            uniform,
            reasons.block(length, num_accepted, chance),
        )
        for length, (chance, uniform) in enumerate(zip(accept_probs, uniforms, strict=True), 1)
    ]
    n = num_accepted
    extra_probs = [residual(target_probs[n], draft_probs[n], reach[n])] if n < len(tokens) else []
    return Ruling(tests[::-1], extra_probs, lambda: records.Block(reaches=reach[1:]))


def reaches(p: list[float], q: list[float]) -> list[float]:
    """Reaches P_0 .. P_N, from the probabilities of the drafted tokens. (N + 1,)"""
    reach = [1.0]
    for p_x, q_x in zip(p, q, strict=True):
        reach.append(min(1.0, reach[-1] * p_x / q_x))
    return reach


def acceptance(target_probs: Array, draft_probs: Array, reach: list[float]) -> list[float]:
    """Exact probabilities h_1 .. h_N that each prefix passes once all longer ones have failed. (N,)

    Args:
        target_probs: (N, V) p before each drafted token.
        draft_probs: (N, V) q before each drafted token.
        reach: (N + 1,) P_0 .. P_N.
    """
    inner = np.array(reach[1:-1])[:, None]  # (N - 1, 1)
    spare = np.maximum(inner * target_probs[1:] - draft_probs[1:], 0).sum(-1)  # S_1 .. S_(N-1)
    return [prefix_acceptance(s, r) for s, r in zip(spare.tolist(), reach[1:-1], strict=True)] + [reach[-1]]


def prefix_acceptance(spare: float, reach: float) -> float:
    """Probability h = S / (S + 1 - P) of a prefix to pass, and 1 where S = 0 and P = 1: there p and q are equal."""
    return spare / (spare + 1 - reach) if spare + 1 - reach > 0 else 1.0


def residual(target_probs: Array, draft_probs: Array, reach: float) -> Array:
    """Residual max(0, P p - q), unnormalised; p where rounding left nothing. (V,)"""
    residual_probs = np.maximum(reach * target_probs.astype(np.float64) - draft_probs, 0)
    return residual_probs if float(residual_probs.sum()) > 0 else target_probs


def _of_tokens(probs: Array, tokens: Sequence[int]) -> list[float]:
    return probs[range(len(tokens)), tokens].tolist()
