"""Traversal verification: judge a tree from its leaves to its root, and keep the first path that passes.

Block verification on a tree. A node is reached with P, how much of what was drafted there the target can use; its child
x, drawn from d, is reached with P_x = min(1, P r(x) / d(x)), where r = p at first, and is tried before the node itself.
If nothing there passes, the node goes on with

    S = sum_x max(0, P r - d),    r := max(0, P r - d) / S,    P := S / (S + 1 - P),    d := d without x, renormalised

and, out of children, it passes with probability P: then the text ends there, with one more token drawn from r. The root
always passes. Siblings are drawn without replacement and tried in draw order.

Source: Weng et al. 2025, Traversal Verification for Speculative Tree Decoding, arXiv 2505.12398. The
equations are a reconstruction, not a quotation; that they are lossless is shown by enumeration in its tests.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch

from playground.decoding.verification.block import prefix_acceptance
from playground.decoding.verification.recursive import without


@dataclass(frozen=True, slots=True)
class Trial:
    """The test of one node, given that all before it have failed.

    Attributes:
        node: the text would end here.
        accept_prob: its exact chance to pass; 1 at the root.
        rest: (V,) what the extra token is drawn from if it passes.
    """

    node: int
    accept_prob: float
    rest: torch.Tensor


def leaf_to_root(
    node: int,
    children: Mapping[int, Sequence[int]],
    tokens: Sequence[int],
    target_probs: Mapping[int, torch.Tensor],
    draft_probs: Mapping[int, torch.Tensor],
    reach: float = 1.0,
) -> Iterator[Trial]:
    """The tests in their order; asking for the next one means that the last one failed. Nothing here is random.

    Args:
        node: the root of the (sub)tree.
        children: node to its draws, without replacement, in draw order.
        tokens: token of each node.
        target_probs: node to p after it. (V,), float64
        draft_probs: node to the very q its children were drawn from. (V,)
        reach: P at the node.
    """
    rest, offered = target_probs[node], draft_probs.get(node)
    for child in children.get(node, []):
        token = tokens[child]
        child_reach = min(1.0, reach * float(rest[token]) / float(offered[token]))
        yield from leaf_to_root(child, children, tokens, target_probs, draft_probs, child_reach)
        left = (reach * rest - offered).clamp_(min=0)
        spare = float(left.sum())  # S
        rest = left / spare if spare > 0 else rest
        reach = prefix_acceptance(spare, reach)
        offered = without(offered, token)
    yield Trial(node, reach, rest)
