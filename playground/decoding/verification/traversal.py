"""Traversal verification: judge a tree from its leaves to its root, and keep the first path that passes.

Block verification on a tree. A node is reached with P, how much of what was drafted there the target can use; its child
x, drawn from d, is reached with P_x = min(1, P r(x) / d(x)), where r = p at first, and is tried before the node itself.
If nothing there passes, the node goes on with

    S = sum_x max(0, P r - d),    r := max(0, P r - d) / S,    P := S / (S + 1 - P),    d := the law of the next draw

and, out of children, it passes with probability P: then the text ends there, with one more token drawn from r. The root
always passes. Siblings are drawn without replacement and tried in draw order.

Source: Weng et al. 2025, Traversal Verification for Speculative Tree Decoding, arXiv 2505.12398. The
equations are a reconstruction, not a quotation; that they are lossless is shown by enumeration in its tests.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import torch

from playground.decoding.drafting.draft import Draws
from playground.decoding.verification.block import prefix_acceptance
from playground.decoding.verification.ruling import Ruling, Test
from playground.decoding.workings import reasons, records
from playground.trace.events import Tests

TESTS: Tests = "prefixes"


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


def judge(
    root: int, draws: Mapping[int, Draws], target_probs: Mapping[int, torch.Tensor], coins: np.random.Generator
) -> tuple[int, Ruling]:
    """Try the nodes of a tree from its leaves up, until one passes.

    Args:
        root: where the tree hangs.
        draws: node to what was drawn below it.
        target_probs: node to p after it. (V,), float64
        coins: where fresh coins come from: one for each node that is tried; the root needs none.

    Returns:
        Where the text ends, and the ruling on the nodes that were tried; a place is a node here.
    """
    tests: list[Test] = []
    trials = leaf_to_root(root, draws, target_probs)
    while (trial := next(trials)).node != root:
        coin = coins.random()
        outcome = "accepted" if coin < trial.accept_prob else "rejected"
        why = reasons.FIRST_PATH if outcome == "accepted" else reasons.PATH_FAILED
        tests.append(Test(trial.node, outcome, trial.accept_prob, coin, why))
        if outcome == "accepted":
            break
    return trial.node, Ruling(tests, [trial.rest], lambda: records.Traversal(tested=len(tests)))


def leaf_to_root(
    node: int, draws: Mapping[int, Draws], target_probs: Mapping[int, torch.Tensor], reach: float = 1.0
) -> Iterator[Trial]:
    """The tests in their order; asking for the next one means that the last one failed. Nothing here is random.

    Args:
        node: the root of the (sub)tree.
        draws: node to what was drawn below it, in draw order.
        target_probs: node to p after it. (V,), float64
        reach: P at the node.
    """
    rest, below = target_probs[node], draws.get(node)
    if below is not None:
        offers = below.law.offers(below.tokens, rest)
        for child, token, offered in zip(below.nodes, below.tokens, offers, strict=True):
            child_reach = min(1.0, reach * float(rest[token]) / float(offered[token]))
            yield from leaf_to_root(child, draws, target_probs, child_reach)
            left = (reach * rest - offered).clamp_(min=0)
            spare = float(left.sum())  # S
            rest = left / spare if spare > 0 else rest
            reach = prefix_acceptance(spare, reach)
    yield Trial(node, reach, rest)
