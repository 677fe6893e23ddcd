"""Accepted drafts of a chain by token and by block verification, exactly, from the rows behind every prefix.

Token verification keeps the first i drafts with probability min(1, p/q) for each, so that they are all kept in
sum over prefixes of prod min(p, q). Block verification keeps them with the weight w_i = min(1, w_(i-1) p/q), w_0 = 1,
of their prefix: sum of w_i times q of the prefix. It never keeps fewer, as a token that is wanted more than it was
drafted makes up for one before it. Both count accepted drafts, without the correction or bonus token.

Source: Sun et al. 2024, Block Verification Accelerates Speculative Decoding, arXiv 2403.10444, section 4.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Row = NDArray[np.float64]  # (V,)
Rows = Callable[[tuple[int, ...]], tuple[Row, Row]]  # a prefix -> p and q behind it


def expected_accepted(rows: Rows, draft_length: int) -> tuple[float, float]:
    """Return the expected accepted drafts of a chain by token verification and by block verification.

    Args:
        rows: p and q behind each prefix of drafts.
        draft_length: gamma; V ** gamma prefixes are visited.
    """
    return _accepted_below(rows, (), draft_length, 1.0, 1.0, 1.0)


def _accepted_below(
    rows: Rows, prefix: tuple[int, ...], tokens_left: int, drafted: float, accepted: float, weight: float
) -> tuple[float, float]:
    """Return the expected accepted drafts below a prefix.

    Args:
        drafted: q of the prefix.
        accepted: probability that it is drafted and kept by token verification.
        weight: w of the prefix.
    """
    if tokens_left == 0:
        return 0.0, 0.0
    by_token, by_block = 0.0, 0.0
    p, q = rows(prefix)
    for token in np.flatnonzero(q):
        here = drafted * q[token]
        kept_here, weight_here = accepted * min(p[token], q[token]), min(1.0, weight * p[token] / q[token])
        below = _accepted_below(rows, (*prefix, int(token)), tokens_left - 1, here, kept_here, weight_here)
        by_token += kept_here + below[0]
        by_block += here * weight_here + below[1]
    return float(by_token), float(by_block)
