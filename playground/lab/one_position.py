"""Probability that one of K drafts is accepted at one position: every scheme on the same two rows, exactly."""

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from playground.decoding.methods import importance_sampling
from playground.decoding.verification import importance, k_seq
from playground.errors import PlaygroundError
from playground.theory import optimal_acceptance as theory
from playground.theory.distinct_recursion import distinct_recursion
from playground.words import word

Row = NDArray[np.float64]  # (V,)

MAX_TOKENS = 8  # Rows that are drawn have no more.
MAX_VOCAB_SIZE = 300_000
MAX_DRAFTS = 8
MAX_LOOK_UPS = 4_000_000  # Recursive rejection without replacement enumerates rejected drafts from K = 3 on.
_DEFAULTS = importance_sampling.Options()
POOLED = partial(importance.pooled, lp_size=_DEFAULTS.lp_size, num_classes=importance_sampling.CLASSES)
TRUNCATED = partial(importance.truncated, lp_size=_DEFAULTS.lp_size, alphabet=_DEFAULTS.alphabet)


def _recursive(p: Row, q: Row, num_drafts: int) -> float | None:
    support = np.count_nonzero(q)
    if num_drafts > 2 and support * math.perm(support, min(support, num_drafts - 2)) > MAX_LOOK_UPS:
        return None
    return distinct_recursion(p, q, num_drafts)


# scheme -> (p, q, K) -> probability, or None where it has none
SCHEMES: dict[str, Callable[[Row, Row, int], float | None]] = {
    "speculative": lambda p, q, _: float(np.minimum(p, q).sum()),
    "k_seq": k_seq.acceptance,
    "k_seq_at_k": lambda p, q, num_drafts: k_seq.acceptance_at(p, q, num_drafts, float(num_drafts)),
    "spec_infer": theory.independent_recursion,
    "recursive": _recursive,
    # the best weights over all K i.i.d. draws reach the optimum: Khisti et al. 2025, Theorems 1 and 3, for two draws;
    # for more by maximum flow and minimum cut. The paper's tournament of pairs can fall short
    "importance": theory.optimal_independent,
    "importance_pooled": lambda p, q, num_drafts: importance.acceptance(p, [q] * num_drafts, POOLED),
    "importance_truncated": lambda p, q, num_drafts: importance.acceptance(p, [q] * num_drafts, TRUNCATED),
    "optimal_with_replacement": theory.optimal_independent,
    "optimal_without_replacement": theory.optimal_distinct,
    "greedy_draft": theory.greedy_draft,
    "spechub": lambda p, q, num_drafts: theory.greedy_draft(p, q, 2) if num_drafts == 2 else None,
    "deterministic": theory.most_likely_drafts,
    "naive": theory.naive_check,
}
LARGE_VOCABULARY_SCHEMES = (  # These schemes of i.i.d. draws need no enumeration over many tokens.
    "speculative", "importance_truncated", "importance_pooled", "spec_infer", "k_seq", "optimal_with_replacement"
)  # fmt: skip
NO_VALUE = {"recursive": "too many orders to enumerate", "spechub": "only for two drafts"}


def acceptance_by_scheme(target: ArrayLike, draft: ArrayLike, num_drafts: int) -> dict[str, float | None]:
    """Return acceptance probability of each scheme; the extra token never counts.

    Args:
        target: (V,) p; a row that does not sum to 1 is normalised.
        draft: (V,) q, likewise.
        num_drafts: K.

    Returns:
        Scheme to probability. `speculative` is a single draft; `recursive` (RSD) and `optimal_without_replacement` draw
            without replacement; `greedy_draft`, `spechub` and `deterministic` take likely tokens of q as they are; all
            others are i.i.d. draws. `k_seq_at_k` divides by K, which is always valid, in place of the solved factor;
            `importance` has the best weights there are, `importance_truncated` those of the paper's
            rule and `importance_pooled` those of our classes. None where a scheme has no value, see `NO_VALUE`.
            Beside them `k_seq_factor`, the solved one, and `normalised`, which says whether a row was.

    Raises:
        PlaygroundError: on rows that are no distributions or do not belong together, or too many drafts.
    """
    p, q, normalised = rows(target, draft)
    if not 1 <= num_drafts <= MAX_DRAFTS:
        raise PlaygroundError(f"{num_drafts} drafts is out of range. Choose {1} to {MAX_DRAFTS}.")
    by_scheme = {scheme: acceptance(p, q, num_drafts) for scheme, acceptance in SCHEMES.items()}
    inside = {
        scheme: value if value is None else min(1.0, max(0.0, value)) for scheme, value in by_scheme.items()
    }  # rounding
    factor = k_seq.division_factor(p, q, num_drafts)
    return inside | {"k_seq_factor": factor, "normalised": normalised}


def few_rows(target: ArrayLike, draft: ArrayLike) -> tuple[Row, Row, bool]:
    """Return `rows` of 2 to `MAX_TOKENS` tokens, which the page can draw.

    Raises:
        PlaygroundError: as `rows`, or if they have fewer or more.
    """
    p, q, normalised = rows(target, draft)
    if not 2 <= len(p) <= MAX_TOKENS:
        raise PlaygroundError(f"{len(p)} tokens is out of range. Choose {2} to {MAX_TOKENS}.")
    return p, q, normalised


def rows(target: ArrayLike, draft: ArrayLike) -> tuple[Row, Row, bool]:
    """p and q, normalised, and whether one had to be.

    Raises:
        PlaygroundError: if they are no distributions, or do not belong together.
    """
    p, q = _row(target, word("lab_error_target_row")), _row(draft, word("lab_error_draft_row"))
    if len(p) != len(q):
        raise PlaygroundError(
            f"The target row has {len(p)} entries and the draft row has {len(q)}. Give both one entry per token."
        )
    normalised = not np.allclose([p.sum(), q.sum()], 1, rtol=0, atol=1e-9)
    return p / p.sum(), q / q.sum(), normalised


def _row(values: ArrayLike, name: str) -> NDArray[np.float64]:
    row = np.asarray(values, dtype=float)
    if not 1 <= len(row) <= MAX_VOCAB_SIZE:
        raise PlaygroundError(f"{name} has {len(row)} entries. Give 1 to {MAX_VOCAB_SIZE}.")
    if not np.isfinite(row).all() or (row < 0).any():
        raise PlaygroundError(f"{name} has an entry that is not a probability. Give numbers from 0.")
    with np.errstate(over="ignore"):
        total = row.sum()
    if not np.isfinite(total) or total <= 0:
        raise PlaygroundError(f"{name} sums to {total:g}. Give numbers with a positive, finite sum.")
    return row
