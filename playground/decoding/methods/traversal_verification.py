"""Traversal verification: the tree of RSD-C, tested from its leaves to its root.

    frontier --q--> x1  x2        different tokens, by Gumbel-top-k, as in RSD-C
                    |   |
                    y1  y2        tests: y1, then x1 (with what y1 left), then y2, x2, and last the frontier
    the first node to pass ends the path; everything above it is accepted with it, one token is drawn after it

A path is tested as a block, so a weak token is forgiven where good ones follow: more is accepted than by walking down.

Paper: Weng et al. 2025, Traversal Verification for Speculative Tree Decoding, arXiv 2505.12398.
Differs from the paper: three branching factors instead of a free tree shape; the rule is a
    reconstruction, shown to be lossless by enumeration, not compared line by line with the paper's algorithm.
"""

import numpy as np

from playground.decoding.drafting.draft import Draft
from playground.decoding.method import DecodingMethod
from playground.decoding.methods import rsd_c
from playground.decoding.setting import Setting
from playground.decoding.verdict import Judgement, Verdict, not_tested
from playground.decoding.verification import traversal
from playground.decoding.verifying import close, read
from playground.decoding.workings import reasons


class TraversalVerification(DecodingMethod):
    """A draft tree verified from its leaves to its root, each path as one block."""

    title = "Traversal verification"
    paper = "Weng et al. 2025, Traversal Verification for Speculative Tree Decoding, arXiv 2505.12398"
    reproduces = "target sampling"
    tests = traversal.TESTS
    Options = rsd_c.Options

    def draft(self, setting: Setting) -> Draft:
        """Draft the tree of RSD-C."""
        return rsd_c.RSDC(self.options).draft(setting)

    def verify(self, setting: Setting, draft: Draft) -> Verdict:
        """One target call over the tree, then the tests from the leaves up."""
        tree, root, reading = setting.tree, setting.frontier[0], read(setting, draft)
        rows = dict(zip(reading.nodes, reading.probs.astype(np.float64), strict=True))  # node -> (V,)
        end, ruling = traversal.judge(root, draft.draws, rows, setting.verify_rng)
        path, tests = tree.path(end, below=root), {test.draw: test for test in ruling.tests}
        judgements = []
        for node in [*tests, *(node for node in draft.nodes() if node not in tests)]:
            below, token = draft.draws[tree.parents[node]], tree.tokens[node]
            p, [q] = float(rows[tree.parents[node]][token]), below.distribution.probs([token])
            if node in tests:
                judgements.append(Judgement(node, tests[node].outcome, p, q, *tests[node][2:]))
            elif node in path:
                judgements.append(Judgement(node, "accepted", p, q, 1.0, None, reasons.ON_PATH))
            else:
                judgements.append(not_tested(node, reasons.PATH_LATER))
        shown = [ruling.workings] if ruling.workings and draft.depths else []
        return close(setting, draft, reading, path, judgements, ruling.extra_probs[0], shown)
