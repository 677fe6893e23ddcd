"""How often one of K drafts is accepted at one position: every scheme on the same two rows, computed exactly."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from playground.decoding.verification import importance, k_seq
from playground.errors import PlaygroundError
from playground.theory import optimal_acceptance as theory

MAX_VOCAB_SIZE = 1000
MAX_DRAFTS = 8
MAX_ORDERS = 20_000  # of rejected drafts, which recursive rejection without replacement enumerates


def acceptance_by_scheme(target: Sequence[float], draft: Sequence[float], num_drafts: int) -> dict[str, Any]:
    """Acceptance probability of each scheme; the extra token never counts.

    Args:
        target: (V,) p; a row that does not sum to 1 is normalised.
        draft: (V,) q, likewise.
        num_drafts: K.

    Returns:
        Scheme to probability. `speculative` is a single draft; `recursive` (RSD) and `optimal_without_replacement` draw
            without replacement; `greedy_draft` and `deterministic` take the most likely tokens of q; all others are
            i.i.d. draws. `recursive` is None where it would take too long. `normalised` says whether a row was.

    Raises:
        PlaygroundError: on rows that are no distributions or do not belong together, or too many drafts.
    """
    p, q = _row(target, "target"), _row(draft, "draft")
    if len(p) != len(q):
        raise PlaygroundError(
            f"The target row has {len(p)} entries and the draft row has {len(q)}. Give both one entry per token."
        )
    if not 1 <= num_drafts <= MAX_DRAFTS:
        raise PlaygroundError(f"{num_drafts} drafts is out of range. Choose 1 to {MAX_DRAFTS}.")
    normalised = not (np.isclose(p.sum(), 1, rtol=0, atol=1e-9) and np.isclose(q.sum(), 1, rtol=0, atol=1e-9))
    p, q = p / p.sum(), q / q.sum()
    orders = math.perm(np.count_nonzero(q), min(np.count_nonzero(q), max(0, num_drafts - 2)))
    every_token = partial(importance.truncated, lp_size=len(p), alphabet=len(p))
    found = {
        "speculative": float(np.minimum(p, q).sum()),
        "k_seq": k_seq.acceptance(torch.from_numpy(p), torch.from_numpy(q), num_drafts),
        "spec_infer": theory.independent_recursion(p, q, num_drafts),
        "recursive": theory.distinct_recursion(p, q, num_drafts) if orders <= MAX_ORDERS else None,
        "importance": importance.acceptance(p, [q] * num_drafts, every_token),
        "optimal_with_replacement": theory.optimal_independent(p, q, num_drafts),
        "optimal_without_replacement": theory.optimal_distinct(p, q, num_drafts),
        "greedy_draft": theory.greedy_draft(p, q, num_drafts),
        "deterministic": theory.most_likely_drafts(p, q, num_drafts),
        "naive": theory.naive_check(p, q, num_drafts),
    }
    inside = {
        scheme: value if value is None else min(1.0, max(0.0, value)) for scheme, value in found.items()
    }  # rounding
    return inside | {"normalised": normalised}


def _row(values: Sequence[float], name: str) -> NDArray[np.float64]:
    row = np.asarray(values, dtype=float)
    if not 1 <= len(row) <= MAX_VOCAB_SIZE:
        raise PlaygroundError(f"The {name} row has {len(row)} entries. Give 1 to {MAX_VOCAB_SIZE}.")
    if not np.isfinite(row).all() or (row < 0).any():
        raise PlaygroundError(f"The {name} row has an entry that is no probability. Give numbers from 0.")
    with np.errstate(over="ignore"):
        total = row.sum()
    if not np.isfinite(total) or total <= 0:
        raise PlaygroundError(f"The {name} row sums to {total:g}. Give numbers with a positive, finite sum.")
    return row
