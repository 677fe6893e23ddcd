"""Losslessness without chance: whole runs on tables of three tokens, through every outcome of every random number.

Nothing is counted, so no noise hides a small deviation; but tables and runs are as small as enumeration needs them.
Here are options and drafters that let one round depend on those before it, or a draft on less than the text before.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch

from playground.decoding.method import make_method
from playground.exactness.enumeration import runs_distribution
from playground.exactness.losslessness import DIFFERS
from playground.models.bundled import BLOCK, BLOCK_CONFIDENCE, BLOCK_MARKOV
from playground.models.forward import Forward
from playground.models.table_model import TableModel
from playground.tree import TokenTree

TARGET = TableModel.random(3, order=2, seed=6)
DRAFT = TableModel.random(3, order=1, seed=10)
PROMPT = (0, 1)
NUM_POSITIONS = 3  # One call of a block drafter has so many.
ROUNDING = 1e-12  # Sums of so many products may be off by this.
EXACT = "lossless exactly"


class BlockTable(TableModel):
    """A block drafter on tables: a row depends on the text's end and on how far behind that it is, not on the draft.

    Args:
        word: "block"; "block-markov", whose rows have a bias of the drafted token before them; "block-confidence",
            whose drafts are as long as the text's end says, possibly empty.
    """

    def __init__(self, word: str) -> None:
        rng = np.random.default_rng(13)
        super().__init__(rng.dirichlet(np.ones(3), size=3), name=word)
        self.word = word
        self.later = rng.dirichlet(np.ones(3), size=(NUM_POSITIONS, 3))  # (depth, last token of the text, V)
        self.bias = rng.normal(size=(3, 3))

    def forward(self, tree: TokenTree, nodes: list[int]) -> Forward:
        """Return the row of each node's depth below the text's end. (n, V)"""
        end = tree.trunk[-1]
        depths = [tree.depths[node] - tree.depths[end] for node in nodes]
        rows = np.log([self.later[depth, tree.tokens[end]] for depth in depths])
        if self.word != BLOCK:
            rows += [self.bias[tree.tokens[node]] * (depth > 0) for node, depth in zip(nodes, depths, strict=True)]
        return Forward(torch.from_numpy(rows).log_softmax(-1), list(nodes), 0, [], None)

    def max_depth(self, tree: TokenTree, nodes: list[int]) -> tuple[int, Forward | None]:
        """Return how many rows a draft below these nodes may use."""
        end = tree.trunk[-1]
        longest = tree.tokens[end] if self.word == BLOCK_CONFIDENCE else NUM_POSITIONS
        return max(0, longest - min(tree.depths[node] - tree.depths[end] for node in nodes)), None


# Methods, options, the drafter where it is not the draft model, and tokens of a run. Four are needed for a length by
# goodput that is not only the budget's; two drafts cost so much here that a rejected first one makes it shorter.
Row = tuple[str, dict[str, float], str, int]
ROWS: tuple[Row, ...] = (
    ("specinfer", {"chains": 2, "draft_length": 2}, "", 3),
    *(
        (method, {"adapt": 2, "draft_length": 2, "token_cost": 0.6}, "", 4)
        for method in ("speculative_sampling", "block_verification", "greedy_draft")
    ),
    *(
        (method, {"draft_length": 2}, word, 3)
        for method in ("speculative_sampling", "block_verification")
        for word in (BLOCK, BLOCK_MARKOV, BLOCK_CONFIDENCE)
    ),
)


@dataclass(frozen=True, slots=True)
class WholeRuns:
    """Result of one enumeration."""

    # method, options, drafter, num_tokens: as in `ROWS`
    method: str
    options: dict[str, float]
    drafter: str
    num_tokens: int
    reproduces: str  # the distribution it claims
    tv: float  # total variation distance of the exact distribution of all tokens from the target's
    num_courses: int  # ways that the random numbers of a run can fall
    verdict: str  # `EXACT` where `tv` is rounding, else `DIFFERS`


def enumerate_runs(method_id: str, options: dict[str, float], drafter: str, num_tokens: int) -> WholeRuns:
    """Enumerate the runs of a method whose only chance are uniform numbers that are compared or looked up."""
    method, draft = make_method(method_id, options), BlockTable(drafter) if drafter else DRAFT
    distribution, num_courses = runs_distribution(method, TARGET, draft, PROMPT, num_tokens, max_new_tokens=num_tokens)
    target = TARGET.distribution(list(PROMPT), num_tokens)
    tv = sum(abs(distribution.get(text, 0.0) - float(target[text])) for text in np.ndindex(target.shape)) / 2
    verdict = EXACT if tv < ROUNDING else DIFFERS
    return WholeRuns(method_id, options, drafter, num_tokens, method.reproduces, tv, num_courses, verdict)


def whole_runs(method_id: str = "") -> Iterator[WholeRuns]:
    """Yield the results of all rows, or of a method's."""
    yield from (enumerate_runs(*row) for row in ROWS if row[0].startswith(method_id))
