"""Everything the acceptance lab shows of two small distributions: every scheme's acceptance, one rule in full, a sweep.

All of it is exact. The numbers go to the page as JSON and are drawn there.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Literal

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from playground.errors import PlaygroundError
from playground.lab.coupling import RULES, coupling
from playground.lab.one_position import (
    LARGE_VOCABULARY_SCHEMES,
    MAX_DRAFTS,
    SCHEMES,
    acceptance_by_scheme,
    few_rows,
    rows,
)
from playground.theory.block import expected_accepted

Row = NDArray[np.float64]  # (V,)

CurveName = Literal["towards", "bernoulli", "flatness", "uniform_draft", "uniform_draft_right"]

NumDrafts = Annotated[int, Meta(ge=1, le=MAX_DRAFTS)]
# Chains have so many prefixes at most, whose weights are added up one by one.
MOST_PREFIXES, PREFIXES_WHILE_DRAGGED = 200_000, 1_000
NUM_POINTS = 41  # A curve has so many.
SQUARE_SCHEMES = ("spec_infer", "k_seq", "optimal_with_replacement", "recursive")  # in the order of the paper
# The target's first token in the two halves of the importance-sampling paper's figure. The text that we have leaves
# both numbers out. It says that the simple rules reach 1 only at p = q, so one half has 1/3; the other's is ours.
UNIFORM_TARGETS = {"uniform_draft": 1 / 3, "uniform_draft_right": 1 / 6}
FLAT_TOKENS, FLAT_POINTS, FLAT_SEED = 64, 17, 0
FLAT_SPREAD, FLAT_NOISE = 2.0, 0.7  # standard deviations of the target's logits, and of the draft's around them


def one_position(
    target: Sequence[float], draft: Sequence[float], num_drafts: NumDrafts, rule: str
) -> dict[str, object]:
    """Return the whole picture at one position.

    Args:
        target: (V,) p, not negative; normalised here.
        draft: (V,) q, likewise.
        num_drafts: K.
        rule: one of `RULES`, to be shown in full.

    Returns:
        target, draft: the rows, normalised; `normalised` says whether one was.
        overlap, residual: min(p, q), and max(0, p - q) normalised; the latter None where nothing is left.
        schemes: acceptance by scheme, see `acceptance_by_scheme`.
        limit: the set that limits K i.i.d. drafts, see `limiting_set`.
        chain: accepted drafts of a chain with these rows behind every prefix, see `chain_of`.
        coupling: the rule's drafts against outputs, or None with `why` it is not shown.

    Raises:
        PlaygroundError: on rows that are no distributions, or sizes beyond the lab's.
    """
    p, q, _ = few_rows(target, draft)
    schemes = acceptance_by_scheme(target, draft, num_drafts)
    residual = np.maximum(p - q, 0)
    return {
        "target": p.tolist(),
        "draft": q.tolist(),
        "normalised": schemes.pop("normalised"),
        "num_drafts": num_drafts,
        "overlap": np.minimum(p, q).tolist(),
        "residual": (residual / residual.sum()).tolist() if residual.sum() > 0 else None,
        "schemes": schemes,
        "limit": limiting_set(p, q, num_drafts),
        "chain": chain_of(p, q, max(n for n in (1, 2, 3, 4) if n == 1 or len(p) ** n <= PREFIXES_WHILE_DRAGGED)),
        "rule": rule,
        **_in_full(rule, p, q, num_drafts),
    }


def chain_of(p: Row, q: Row, draft_length: int) -> dict[str, float]:
    """Return the expected accepted drafts of a chain by token and by block verification, with p and q everywhere.

    Raises:
        PlaygroundError: if it has more than `MOST_PREFIXES` prefixes.
    """
    if len(p) ** draft_length > MOST_PREFIXES:
        raise PlaygroundError(f"{len(p)} tokens have too many chains of {draft_length}. Take fewer of either.")
    by_token, by_block = expected_accepted(lambda prefix: (p, q), draft_length)
    return {"draft_length": draft_length, "by_token": by_token, "by_block": by_block}


def _in_full(rule: str, p: Row, q: Row, num_drafts: int) -> dict[str, object]:
    try:
        joint = coupling(rule, p, q, num_drafts)
    except PlaygroundError as error:
        if rule not in RULES:
            raise
        return {"coupling": None, "why": error.args[0]}
    return {
        "coupling": {
            "drafts": [list(tokens) for tokens in joint.drafts],
            "mass": joint.mass.tolist(),
            "accepted": joint.accepted.tolist(),
            "corrected": joint.corrected.tolist(),
            "law": joint.output.tolist(),
            "farthest": float(np.abs(joint.output - p).max()),  # from p: rounding, and nothing else
        }
    }


def limiting_set(p: Row, q: Row, num_drafts: int) -> dict[str, object]:
    """Return the tokens S at which p(S) + 1 - q(S)^K is least: all K drafts fall into S more often than p wants.

    The least set is a beginning of the tokens by rising p / q. It is empty where nothing limits: every S has
    p(S) >= q(S)^K, the condition for an acceptance of 1. Khisti et al. 2025, arXiv 2410.18234, Theorems 2 and 3, K = 2.

    Returns:
        tokens of S, p(S), q(S), q(S)^K, and the optimum that follows.
    """
    ratio = np.divide(p, q, out=np.full_like(p, np.inf), where=q > 0)
    order = np.lexsort((-q, ratio))
    inside_p, inside_q = (np.concatenate([[0.0], row[order].cumsum()]) for row in (p, q))
    values = inside_p + 1 - np.minimum(inside_q, 1.0) ** num_drafts
    size = int(np.argmin(values))
    if values[size] > 1 - 1e-12:
        size = 0
    return {
        "tokens": sorted(order[:size].tolist()),
        "target": float(inside_p[size]),
        "draft": float(inside_q[size]),
        "all_inside": float(min(inside_q[size], 1.0) ** num_drafts) if size else 0.0,
        "optimum": float(values[size]),
    }


# Curves: one number moves, every scheme answers


def curve(
    target: Sequence[float], draft: Sequence[float], num_drafts: NumDrafts, rule: str, curve: CurveName
) -> dict[str, object]:
    """Return how acceptance changes while one number moves.

    Args:
        target, draft, num_drafts, rule: as for `one_position`; only the curve towards the draft is of these rows.
        curve: as links have it; "bernoulli" is the square.
    """
    if curve == "bernoulli":
        return {"square": square(num_drafts), "value": None}
    if curve == "flatness":
        return flatness(num_drafts)
    if curve == "towards":
        p, q, _ = few_rows(target, draft)
        return towards(p.tolist(), q.tolist(), num_drafts)
    first = UNIFORM_TARGETS[curve]
    return uniform_draft(first, num_drafts) | {"value": first}


def towards(target: Sequence[float], draft: Sequence[float], num_drafts: int) -> dict[str, object]:
    """Move the draft from the target (0) to where it is (1), and beyond while it stays a distribution."""
    p, q, _ = rows(target, draft)
    away = q - p
    shrinking = away < 0
    end = min(2.0, float((p[shrinking] / -away[shrinking]).min())) if shrinking.any() else 1.0
    return _curve(lambda x: (p, p + x * away), np.linspace(0, end, NUM_POINTS), num_drafts)


def square(num_drafts: int) -> dict[str, object]:
    """Return the acceptance of four schemes at pairs of rows of two tokens, on a grid of probabilities from 0 to 1.

    The ends are left out: there only one token can be drafted, and a rule that draws different ones has a single draft.

    Figure 1 of Jeon et al. 2024, arXiv 2402.14160, which has K = 2.

    Returns:
        size: points of an axis: 1/(size + 1), 2/(size + 1), ...
        schemes: by name size x size values, the draft's first token along a row, the target's from row to row.
    """
    pairs = [np.array([x, 1 - x]) for x in np.linspace(0, 1, NUM_POINTS)[1:-1]]
    values = {name: [SCHEMES[name](p, q, num_drafts) for p in pairs for q in pairs] for name in SQUARE_SCHEMES}
    return {
        "size": len(pairs),
        "schemes": {name: np.round(np.array(each, dtype=float), 4).tolist() for name, each in values.items()},
    }


def uniform_draft(target_first: float, num_drafts: int) -> dict[str, object]:
    """Return the curve for three tokens drafted uniformly: p of the first is fixed, the other two share the remainder.

    The setting of Figure 2 of Khisti et al. 2025, arXiv 2410.18234, as far as its text says.
    """
    q = np.full(3, 1 / 3)
    left = 1 - target_first
    return _curve(lambda x: (np.array([target_first, x, left - x]), q), np.linspace(0, left, NUM_POINTS), num_drafts)


def flatness(num_drafts: int) -> dict[str, object]:
    """Rows of many tokens, from peaked to flat: both models at a rising temperature, which brings them nearer, too.

    The truncated rule of Khisti et al. weighs five tokens and lets an order decide between any two others. Where five
    tokens hold most of a row that costs nothing; where they do not, the order decides nearly everything.
    """
    rng = np.random.default_rng(FLAT_SEED)
    target = rng.normal(0, FLAT_SPREAD, FLAT_TOKENS)
    draft = target + rng.normal(0, FLAT_NOISE, FLAT_TOKENS)
    xs = np.geomspace(0.25, 4, FLAT_POINTS)
    schemes: dict[str, list[float]] = {name: [] for name in LARGE_VOCABULARY_SCHEMES}
    for x in xs.tolist():
        p, q = (np.exp(row / x - (row / x).max()) for row in (target, draft))
        for name, values in schemes.items():
            acceptance = SCHEMES[name](p / p.sum(), q / q.sum(), num_drafts)
            values.append(min(1.0, max(0.0, float(acceptance or 0.0))))
    return {"x": xs.tolist(), "schemes": schemes}


def _curve(rows_at: Callable[[float], tuple[Row, Row]], xs: Row, num_drafts: int) -> dict[str, object]:
    points = []
    for x in xs.tolist():
        p, q = (np.clip(row, 0, None) for row in rows_at(x))
        points.append(acceptance_by_scheme(p, q, num_drafts))
    schemes = [name for name in points[0] if name != "normalised"]
    return {"x": xs.tolist(), "schemes": {name: [point[name] for point in points] for name in schemes}}
