"""An excerpt of distributions, small enough for a trace: their values at a few tokens, and the mass of all others."""

from collections.abc import Sequence

import numpy as np

from playground.decoding.ranking import largest
from playground.models.reading import Array

NUM_TOKENS = 8


def telling_tokens(rows: Sequence[Array], draws: Sequence[int]) -> list[int]:
    """At most 8 tokens: the last of these draws, then those that are likely in one of the rows.

    Args:
        rows: of (V,).
        draws: tokens, some perhaps twice.

    Returns:
        By falling probability in the first row.
    """
    tokens = list(dict.fromkeys(reversed(draws)))[:NUM_TOKENS]
    highest = np.stack(list(rows)).max(0)  # (V,)
    _, likely = largest(highest, min(NUM_TOKENS, len(highest)))
    for token in likely.tolist():
        if len(tokens) < NUM_TOKENS and token not in tokens and float(highest[token]) > 0:
            tokens.append(token)
    return sorted(tokens, key=lambda token: -float(rows[0][token]))


def at_tokens(row: Array, tokens: list[int]) -> list[float]:
    """Return the row's values at these tokens, then the sum of all others."""
    values = row[tokens].tolist()
    return [*values, max(0.0, float(row.sum()) - sum(values))]
