"""Chains and trees of drafts that spend a budget exactly, as the papers compare them."""

from __future__ import annotations

from playground.bench.entry import Choice

# Draft nodes per round -> trees of exactly so many. Chains (K, L) are K chains of L tokens, or width K and depth L;
# trees are branching factors depth by depth. Everyone who has a choice has two: more to choose from would win by that.
BUDGETS = (6, 10, 14, 21, 30)
CHAINS = {
    6: ((2, 3), (3, 2)),
    10: ((2, 5), (5, 2)),
    14: ((2, 7), (7, 2)),
    21: ((3, 7), (7, 3)),
    30: ((5, 6), (6, 5)),
}
TREES = {
    6: ((2, 1, 1), (2, 2)),
    10: ((2, 1, 1, 1, 1), (2, 2, 1)),
    14: ((2, 1, 1, 1, 1, 1, 1), (2, 2, 2)),
    21: ((3, 1, 1, 1, 1, 1, 1), (3, 2, 2)),
    30: ((2, 2, 2, 2), (5, 1, 1, 1, 1, 1)),
}


def chains(method: str, number: int, length: int) -> Choice:
    """So many chains of drafts, each so long; SpecInfer, too, drafts whole chains here, as the papers run it."""
    name = {"spectr": "num_drafts", "importance_sampling": "num_drafts", "specinfer": "chains", "rsd_s": "width"}
    return method, {"draft_length": length, name[method]: number}


def tree(*branching: int) -> Choice:
    """RSD-C with these branching factors, depth by depth; from the third on they are equal."""
    first, second, *later = (*branching, 1)[: max(len(branching), 2)]
    return "rsd_c", {
        "draft_length": len(branching),
        "first_branching": first,
        "second_branching": second,
        "later_branching": later[0] if later else 1,
    }
