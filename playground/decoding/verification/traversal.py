"""Traversal verification: test a tree from its leaves to its root, and accept the first path that passes.

Block verification on a tree. A node has the reach P, the share of what was drafted there that the target can use; its
child x, drawn from d, has P_x = min(1, P r(x) / d(x)), where r = p at first, and is tested before the node itself. If
no node below the child passes, the node goes on with

    S = sum_x max(0, P r - d),    r := max(0, P r - d) / S,    P := S / (S + 1 - P),    d := that of the next draw

and after its last child it passes with probability P: then the text ends there, with one more token drawn from r. The
root always passes. Siblings are drawn without replacement and tested in draw order.

Source: Weng et al. 2025, Traversal Verification for Speculative Tree Decoding, arXiv 2505.12398. The
equations are a reconstruction, not a quotation; that they are lossless is shown by enumeration in its tests.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from playground.decoding.drafting.draft import Draws
from playground.decoding.verification.block import prefix_acceptance
from playground.decoding.verification.ruling import Ruling, Test
from playground.decoding.workings import reasons, records
from playground.models.reading import Array
from playground.trace.events import Tests

TESTS: Tests = "prefixes"


@dataclass(frozen=True, slots=True)
class Trial:
    """The test of one node, given that all before it have failed."""

    node: int  # the node at which the text would end
    accept_prob: float  # its exact probability to pass; 1 at the root
    residual: Array  # (V,) distribution of the extra token if it passes


def judge(
    root: int, draws: Mapping[int, Draws], target_probs: Mapping[int, Array], rng: np.random.Generator
) -> tuple[int, Ruling]:
    """Test the nodes of a tree from its leaves up, until one passes.

    Args:
        root: the node above the tree.
        draws: node -> the draws below it.
        target_probs: node -> p after it. (V,), float64
        rng: uniform numbers: one for each test; the root needs none.

    Returns:
        The last node of the text, and the ruling on the tested nodes; the index of a test is its node.
    """
    tests: list[Test] = []
    trials = leaf_to_root(root, draws, target_probs)
    while (trial := next(trials)).node != root:
        uniform = rng.random()
        outcome = "accepted" if uniform < trial.accept_prob else "rejected"
        why = reasons.FIRST_PATH if outcome == "accepted" else reasons.PATH_FAILED
        tests.append(Test(trial.node, outcome, trial.accept_prob, uniform, why))
        if outcome == "accepted":
            break
    return trial.node, Ruling(tests, [trial.residual], lambda: records.Traversal(tested=len(tests)))


def leaf_to_root(
    node: int, draws: Mapping[int, Draws], target_probs: Mapping[int, Array], reach: float = 1.0
) -> Iterator[Trial]:
    """Yield the tests in their order; asking for the next one means that the last one failed. Nothing is random.

    Args:
        node: the root of the (sub)tree.
        draws: node -> the draws below it, in draw order.
        target_probs: node -> p after it. (V,), float64
        reach: P at the node.
    """
    r, below = target_probs[node], draws.get(node)
    if below is not None:
        draft_rows = below.distribution.conditionals(below.tokens, r)
        for child, token, d in zip(below.nodes, below.tokens, draft_rows, strict=True):
            child_reach = min(1.0, reach * float(r[token]) / float(d[token]))
            yield from leaf_to_root(child, draws, target_probs, child_reach)
            difference = np.maximum(reach * r - d, 0)
            spare = float(difference.sum())  # S
            r = difference / spare if spare > 0 else r
            reach = prefix_acceptance(spare, reach)
    yield Trial(node, reach, r)
