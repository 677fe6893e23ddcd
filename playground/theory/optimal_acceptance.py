"""How often one of K drafts can be accepted at one position: the optimum, and what known schemes reach.

Every function takes p, the target's row (V,), and q, the draft's row (V,), both summing to 1, and gives an exact
probability. "Accepted" means that the emitted token is one of the drafts; the extra token never counts. All but
`distinct_recursion` for three drafts and more cost a sort.

Sources: Sun et al. 2023, SpecTr, arXiv 2310.15141 (the problem); Khisti et al. 2025, arXiv 2410.18234, Theorem 3 (two
independent drafts); Hu et al. 2025, arXiv 2502.18779 (K drafts, by duality). That the best set is always a beginning of
the tokens by rising p / q was checked here against all subsets and against linear programs for small V.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from playground.theory.prefix_probability import all_draws_inside

Row = NDArray[np.float64]  # (V,)

_NOTHING = 1e-15


# What no scheme can beat


def optimal_independent(target: ArrayLike, draft: ArrayLike, num_drafts: int) -> float:
    """The most that K i.i.d. drafts allow: min over sets S of p(S) + 1 - q(S)^K.

    All K drafts fall into S with q(S)^K; then the output is in S too if it is a draft, and p allows only p(S) of that.
    """
    p, q, order = _by_ratio(target, draft)
    inside = np.minimum(q[order].cumsum(), 1.0)
    return _least(p[order].cumsum() + 1 - inside**num_drafts)


def optimal_distinct(target: ArrayLike, draft: ArrayLike, num_drafts: int) -> float:
    """The most that K drafts without replacement allow: min over S of p(S) + 1 - P(all K drafts are in S)."""
    p, q, order = _by_ratio(target, draft)
    if np.count_nonzero(q) <= num_drafts:  # every token that q knows is drafted
        return float(p[q > 0].sum())
    return _least(p[order].cumsum() + 1 - all_draws_inside(q[order], num_drafts))


# What schemes reach


def greedy_draft(target: ArrayLike, draft: ArrayLike, num_drafts: int) -> float:
    """K - 1 most likely tokens of q as they are, and one drawn from the rest of q, verified optimally.

    p(top) + sum over the rest of min(p, q / q(rest)). Hu et al. 2025. With two drafts this is SpecHub too.
    """
    p, q = _rows(target, draft)
    top = _most_likely(q, num_drafts - 1)
    rest = q.copy()
    rest[top] = 0
    mass = rest.sum()
    return float(p[top].sum() + (np.minimum(p, rest / mass).sum() if mass > 0 else 0.0))


def spechub(target: ArrayLike, draft: ArrayLike) -> float:
    """SpecHub's two drafts, one of which is always the hub, the most likely token of q.

    Its pairs (i, hub) with q_i and (hub, i) with q_hub q_i / (1 - q_hub) come to {hub, i} with q_i / (1 - q_hub): the
    greedy draft for K = 2. Sun et al. 2024, arXiv 2411.05289.
    """
    return greedy_draft(target, draft, 2)


def most_likely_drafts(target: ArrayLike, draft: ArrayLike, num_drafts: int) -> float:
    """The K most likely tokens of q as deterministic drafts: the target's mass on them."""
    p, q = _rows(target, draft)
    return float(p[_most_likely(q, num_drafts)].sum())


def naive_check(target: ArrayLike, draft: ArrayLike, num_drafts: int) -> float:
    """Draw from p and see whether it is among K i.i.d. drafts: 1 - sum_x p (1 - q)^K. Lossless, and wasteful."""
    p, q = _rows(target, draft)
    return float(1 - (p * (1 - q) ** num_drafts).sum())


def independent_recursion(target: ArrayLike, draft: ArrayLike, num_drafts: int) -> float:
    """SpecInfer's recursive rejection of K i.i.d. drafts.

    What rejections leave of p is always max(0, p - tau q), normalised, so one number tau is the whole state: it starts
    at 0 and each rejection adds the mass M(tau) = 1 - sum_x min(p, tau q). All are rejected with M at the last tau.
    """
    covered, tau = _covered(*_rows(target, draft)), 0.0
    for _ in range(num_drafts):
        tau += 1 - float(covered(tau))
    return float(covered(tau))


def distinct_recursion(target: ArrayLike, draft: ArrayLike, num_drafts: int) -> float:
    """RSD's recursive rejection of K drafts without replacement.

    The state is tau, as with replacement, and s, the mass of the rejected tokens: a rejection adds M(tau) / (1 - s).
    So the last draft needs no enumeration, and K = 2 costs a sort. For K = 3 and more every sequence of the first K - 1
    drafts is a state of its own and is enumerated, V^(K-1) of them: for some thousand tokens at K = 3.
    """
    p, q = _rows(target, draft)
    return 1 - _missed(p, q, _covered(p, q), num_drafts, 0.0, [])


def _missed(p: Row, q: Row, covered: Callable[..., Row], left: int, tau: float, seen: list[int]) -> float:
    """Probability that the next `left` drafts are all rejected, given the rejected ones before them."""
    missing = 1 - float(covered(tau))
    if missing <= _NOTHING:  # this state is never reached
        return 0.0
    unseen = np.ones(len(q), dtype=bool)
    unseen[seen] = False
    offered = q[unseen].sum()
    if left == 0 or offered <= _NOTHING:
        return 1.0
    after = tau + missing / offered
    if left == 1:
        return (1 - float(covered(after))) / missing
    refused = np.where(unseen, np.maximum(q / offered - np.maximum(p - tau * q, 0) / missing, 0), 0)
    still = 1 - float(covered(after))
    if still <= _NOTHING:
        return 0.0
    tokens = np.flatnonzero(refused)
    if left > 2:
        return float(sum(refused[x] * _missed(p, q, covered, left - 1, after, [*seen, x]) for x in tokens))
    remaining = offered - q[tokens]  # the last draft: a vector over the one before it
    last = np.ones(len(tokens))
    more = remaining > _NOTHING
    last[more] = (1 - covered(after + still / remaining[more])) / still
    return float((refused[tokens] * last).sum())


# Helpers


def _rows(target: ArrayLike, draft: ArrayLike) -> tuple[Row, Row]:
    p, q = np.asarray(target, dtype=float), np.asarray(draft, dtype=float)
    if p.shape != q.shape or p.ndim != 1:
        raise ValueError(f"Rows of shapes {p.shape} and {q.shape} do not belong together. Give two rows of length V.")
    return p, q


def _by_ratio(target: ArrayLike, draft: ArrayLike) -> tuple[Row, Row, NDArray[np.intp]]:
    """Both rows, and the order of the tokens by rising p / q; those that q never drafts come last."""
    p, q = _rows(target, draft)
    return p, q, np.argsort(_ratio(p, q), kind="stable")


def _ratio(p: Row, q: Row) -> Row:
    return np.divide(p, q, out=np.full_like(p, np.inf), where=q > 0)


def _least(bounds: Row) -> float:
    """The smallest bound over all sets, the empty one included: it says 1."""
    return float(min(1.0, bounds.min()))


def _most_likely(q: Row, count: int) -> NDArray[np.intp]:
    """The most likely tokens, as many as asked for and as q has; the smaller id on a tie."""
    return np.argsort(-q, kind="stable")[: min(count, np.count_nonzero(q))]


def _covered(p: Row, q: Row) -> Callable[..., Row]:
    """The function tau -> sum_x min(p, tau q): a sort now, a look-up each time it is asked."""
    ratio = _ratio(p, q)
    order = np.argsort(ratio)
    ratio = ratio[order]
    below = np.concatenate([[0.0], p[order].cumsum()])  # mass of p where p < tau q
    above = np.concatenate([q[order][::-1].cumsum()[::-1], [0.0]])  # mass of q elsewhere

    def covered(tau: ArrayLike) -> Row:
        place = np.searchsorted(ratio, tau, side="right")
        return below[place] + tau * above[place]

    return covered
