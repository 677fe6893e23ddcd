"""A dynamic draft tree: grow where the draft model is confident, send only the best nodes to the target.

    frontier -> a .6  b .3  c .1            the best `width` tokens below a node; a node's value is the product of
                |     |                     draft probabilities on its path
              d .5  e .3  f .2 ...          only the best `width` nodes of a depth are grown further
    keep the `total` nodes of highest value, over all depths: a child is never worth more than its parent
    walk: u < p(a)? else u' < p(b) / (1 - p(a))? ...       the draft is deterministic, so q = 1

Paper: Li et al. 2024, EAGLE-2: Faster Inference of Language Models with Dynamic Draft Trees, arXiv 2406.16858.
Differs from the paper: a plain draft model drafts unless asked otherwise; with the drafter `head` it is, as there, a
    layer that was trained to read the target's features, see models/drafters/head.py. Smaller defaults. As there,
    confidences are the drafter's probabilities at temperature 1, whatever the run's temperature is.
"""

from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from playground.decoding import method
from playground.decoding.distribution import Deterministic
from playground.decoding.drafting.draft import Draft
from playground.decoding.method import DecodingMethod, option
from playground.decoding.ranking import largest
from playground.decoding.setting import Setting
from playground.decoding.verdict import Verdict
from playground.decoding.verification import recursive
from playground.decoding.verifying import verify_tree
from playground.decoding.workings import records
from playground.models.reading import Array
from playground.models.sampling import Sampling

NUM_CUT_SHOWN = 8  # in the workings


@dataclass(frozen=True, slots=True)
class Options(method.Options):
    """Depth and width of the growth, and size of the tree."""

    depth: int = option(5, label="Draft length", help="Depths grown per round.", low=1, high=10, unit="depths")
    width: int = option(
        4, label="Width", help="Nodes grown per depth, and children looked at below each.", low=1, high=16
    )
    total_tokens: int = option(
        16, label="Tokens kept", help="Nodes of highest value that the target verifies.", low=1, high=64, unit="tokens"
    )

    @property
    def num_drafted(self) -> int:
        """Size of the tree."""
        return self.total_tokens


class Candidate(NamedTuple):
    """A token that may be drafted: its value, its depth, its parent."""

    value: float
    depth: int  # from 1, just below the frontier
    parent: int
    token: int


@dataclass(slots=True)
class RankedDraft(Draft):
    """A draft with the values of its nodes."""

    values: dict[int, float] = field(default_factory=dict)  # node -> value, best first
    cut: list[Candidate] = field(default_factory=list)  # candidates outside the tree, best first


class DynamicTree(DecodingMethod):
    """The draft tree grows where the draft model is confident; only its most promising nodes are verified."""

    title = "Dynamic tree (EAGLE-2 style)"
    paper = "Li et al. 2024, EAGLE-2, arXiv 2406.16858"
    reproduces = "target sampling"

    def draft(self, setting: Setting) -> RankedDraft:
        """Expand the best nodes depth by depth, then keep the best of all."""
        options = self.options
        return grow_best(setting, depth=options.depth, width=options.width, total=options.total_tokens)

    def verify(self, setting: Setting, draft: RankedDraft) -> Verdict:
        """Walk down the tree."""
        verdict = verify_tree(setting, draft, recursive.judge)
        if draft.depths:
            verdict.workings.append(partial(workings, draft))
        return verdict


def grow_best(setting: Setting, *, depth: int, width: int, total: int) -> RankedDraft:
    """Expand the draft model's best nodes depth by depth, then keep the best of all.

    Args:
        setting: of the round.
        depth: depths that are grown.
        width: nodes grown per depth, and children looked at below each.
        total: nodes kept.
    """
    tree, values, seconds = setting.tree, {setting.frontier[0]: 1.0}, list[float]()
    candidates: list[Candidate] = []
    for level in range(1, setting.depth(depth) + 1):
        reading = setting.draft_model.read(list(values), Sampling())
        seconds.append(reading.seconds)
        below = children(values, reading.probs, width=width, depth=level)
        candidates += below
        growing = [each for each in best(below, width) if not setting.ends_with(each.parent, each.token)]
        values = {tree.add(each.parent, each.token): each.value for each in growing}
        if not values:
            break
    ranked = best(candidates, len(candidates))
    return as_draft(setting, ranked[:total], ranked[total:], seconds)


def workings(draft: RankedDraft) -> records.DynamicTree:
    """Values of the tree's nodes and of the best candidates outside."""
    shown = draft.cut[:NUM_CUT_SHOWN]
    return records.DynamicTree(
        nodes=list(draft.values),
        values=list(draft.values.values()),
        tokens=[each.token for each in shown],
        cut=[each.value for each in shown],
        num_cut=len(draft.cut),
    )


def children(values: dict[int, float], probs: Array, *, width: int, depth: int) -> list[Candidate]:
    """Return the most likely tokens below each node.

    Args:
        values: node to value, the nodes in the order of the rows.
        probs: (n, V) the draft model's distribution after each node.
        width: how many below each; tokens without mass are left out.
        depth: of the children, from 1.
    """
    likely, tokens_of = largest(probs, min(width, probs.shape[-1]))
    return [
        Candidate(value * min(1.0, q), depth, node, token)
        for (node, value), row, tokens in zip(values.items(), likely.tolist(), tokens_of.tolist(), strict=True)
        for q, token in zip(row, tokens, strict=True)
        if q > 0
    ]


def best(candidates: list[Candidate], count: int) -> list[Candidate]:
    """Return the candidates of highest value, best first; the stable sort keeps a parent before its child."""
    return sorted(candidates, key=lambda each: -each.value)[:count]


def as_draft(setting: Setting, top: list[Candidate], cut: list[Candidate], seconds: list[float]) -> RankedDraft:
    """Return the top candidates as deterministic draws, depth by depth, siblings in the order of their value."""
    draft, tree = RankedDraft(cut=cut), setting.tree
    for depth in range(1, max((each.depth for each in top), default=0) + 1):
        draws = [(each.parent, each.token) for each in top if each.depth == depth]
        draft.hang(tree, draws, Deterministic(), seconds[depth - 1])
    draft.values = {tree.add(each.parent, each.token): each.value for each in top}
    return draft
