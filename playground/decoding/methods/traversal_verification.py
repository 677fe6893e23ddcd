"""Traversal verification: the tree of RSD-C, judged from its leaves to its root.

    frontier --q--> x1  x2        different tokens, by Gumbel-top-k, as in RSD-C
                    |   |
                    y1  y2        tests: y1, then x1 (with what y1 left), then y2, x2, and last the frontier
    the first node to pass ends the path; everything above it is kept with it, one token is drawn after it

A path is judged as a block, so a weak token is forgiven where good ones follow: more is kept than by walking down.

Paper: Weng et al. 2025, Traversal Verification for Speculative Tree Decoding, arXiv 2505.12398.
Differs from the paper: three branching factors in place of a free tree shape; the rule is a
    reconstruction, shown to be lossless by enumeration, not compared line by line with the paper's algorithm.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from playground.decoding.method import DecodingMethod
from playground.decoding.methods import rsd_c
from playground.decoding.round import Draft, Judgement, Setting, Verdict
from playground.decoding.sampling import categorical
from playground.decoding.verification.traversal import leaf_to_root
from playground.decoding.verification.walk import draws_below

if TYPE_CHECKING:
    import torch

    from playground.tree import TokenTree

REASONS = {
    "accepted": "The path that ends here is the first to pass its test.",
    "rejected": "The path that ends here did not pass.",
}


class TraversalVerification(DecodingMethod):
    """Draft siblings without replacement, keep the first path that passes from the leaves up."""

    title = "Traversal verification"
    summary = "A draft tree judged from its leaves to its root, each path as one block."
    paper = "Weng et al. 2025, Traversal Verification for Speculative Tree Decoding, arXiv 2505.12398"
    lossless = True
    reproduces = "target sampling"
    needs_draft_model = True
    Options = rsd_c.Options

    def draft(self, setting: Setting) -> Draft:
        """The tree of RSD-C."""
        return rsd_c.RSDC(self.options).draft(setting)

    def verify(self, setting: Setting, draft: Draft) -> Verdict:
        """One target call over the tree, then the tests from the leaves up."""
        tree, root, children = setting.tree, setting.frontier[0], draws_below(draft)
        reading = setting.target.read([*setting.frontier, *draft.nodes()])
        rows = dict(zip(reading.nodes, reading.probs.double(), strict=True))  # node -> (V,)
        judgements: list[Judgement] = []
        for test in leaf_to_root(root, children, tree.tokens, rows, draft.probs):
            if test.node == root:  # the last test, and certain: it takes no coin
                break
            coin, parent, token = setting.verify_rng.random(), tree.parents[test.node], tree.tokens[test.node]
            outcome = "accepted" if coin < test.accept_prob else "rejected"
            p, q = float(rows[parent][token]), float(draft.probs[parent][token])
            judgements.append(Judgement(test.node, outcome, p, q, test.accept_prob, coin, REASONS[outcome]))
            if outcome == "accepted":
                break
        path = tree.path(test.node, below=root)
        judgements += untested(draft, {each.node for each in judgements}, path, rows, tree)
        if path and tree.tokens[path[-1]] in setting.eos_ids:
            return Verdict(reading, judgements, path, None, "bonus", None)
        origin = ("correction" if children.get(test.node) else "bonus") if draft.layers else "plain"
        token = categorical(test.rest, setting.verify_rng.random())
        return Verdict(reading, judgements, path, token, origin, test.rest)


def untested(
    draft: Draft, tested: set[int], path: list[int], rows: dict[int, torch.Tensor], tree: TokenTree
) -> list[Judgement]:
    """Draws without a test of their own: those above the node that passed, kept with it, and those that were left."""
    judgements = []
    for layer in draft.layers:
        for parent, node in zip(layer.parents, layer.nodes, strict=True):
            if node in path and node not in tested:
                p, q = float(rows[parent][tree.tokens[node]]), float(draft.probs[parent][tree.tokens[node]])
                why = "It lies on the path to a node that passed."
                judgements.append(Judgement(node, "accepted", p, q, 1.0, None, why))
            elif node not in tested:
                judgements.append(Judgement(node, "unjudged", None, None, None, None, "A node passed before its turn."))
    return judgements
