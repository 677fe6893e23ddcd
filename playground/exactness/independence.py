"""Are samples independent of each other? Looked at before their frequencies are: every test of those takes it for so.

Three things that happen: every text is there several times, the list repeats itself from somewhere on, or two texts
have drawn from one stream, so that what one was made of says something about the next. Each is looked for by itself; an
independent list is accused in less than one of 10,000.
"""

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from playground.exactness.enumeration import Text
from playground.exactness.goodness_of_fit import FALSE_ALARM, above

SHARE = FALSE_ALARM / 3  # Each of three tests has a third.
MOST_LOOKED_AT = 2**17  # texts whose order is looked at
NEIGHBOURS = 4  # texts behind each other that may have shared a stream
EXPECTED = 5  # at least, in every cell of a table of two tokens


def dependence(texts: Sequence[Text]) -> str:
    """Evidence against the independence of these texts, in their order, in a sentence; empty where there is none."""
    counts = Counter(texts)
    if len(counts) == 1:  # order tells nothing then, and that nothing was drawn their frequencies tell
        return ""
    times = math.gcd(*counts.values())
    if times > 1 and 2.0 ** (2 - len(counts)) < SHARE:  # counts are even, or multiples of 3, as coins would have it
        return f"Every text is there {times} times, or a multiple of it: each sample was counted several times."
    number = {text: index for index, text in enumerate(counts)}
    looked_at = np.array([number[text] for text in texts[:MOST_LOOKED_AT]])
    return _repetition(looked_at) or _shared_stream(np.array(texts[:MOST_LOOKED_AT]))


def _repetition(texts: NDArray[np.int_]) -> str:
    """Test of repetition: a text equals the one a lag before it more often than chance has it.

    Bernstein's inequality for each distance, over two sets of places of which none has a text in common.
    """
    size, counts = len(texts), np.bincount(texts)
    transform_size = 2 ** math.ceil(math.log2(2 * size))
    spectrum = sum(np.abs(np.fft.rfft(texts == text, transform_size)) ** 2 for text in range(len(counts)))
    same = np.fft.irfft(spectrum, transform_size)[1 : size // 2 + 1].round()  # (lags,)
    pairs = size - np.arange(1, len(same) + 1)
    chance = float((counts * (counts - 1)).sum() / (size * (size - 1)))
    more = (same - pairs * chance).clip(min=0) / 2
    bounds = 2 * np.exp(-(more**2) / (2 * (pairs / 2 * chance * (1 - chance) + more / 3)))
    lag = int(bounds.argmin())
    if not bounds[lag] * len(same) < SHARE:
        return ""
    return (
        f"In {same[lag]:,.0f} of {pairs[lag]:,} places a text is the same as the one {lag + 1:,} places before it, "
        f"where {pairs[lag] * chance:,.0f} are expected: the samples repeat each other."
    )


def _shared_stream(texts: NDArray[np.int_]) -> str:
    """Test of a shared stream: Pearson's, of each pair of positions in one text and one of the next."""
    size, length = texts.shape
    for lag in range(1, NEIGHBOURS + 1):
        for index in range(length):
            for other in range(length):
                table = _table(texts[:-lag, index], texts[lag:, other])
                expected = np.outer(table.sum(1), table.sum(0)) / (size - lag)
                freedom = (table.shape[0] - 1) * (table.shape[1] - 1)
                statistic = float(((table - expected) ** 2 / expected).sum())
                if freedom and above(statistic, freedom) * NEIGHBOURS * length**2 < SHARE:
                    return (
                        f"Token {index + 1} of a text tells something of token {other + 1} of the text {lag} behind "
                        "it: the two have drawn from one stream."
                    )
    return ""


def _table(first: NDArray[np.int_], second: NDArray[np.int_]) -> NDArray[np.int_]:
    """Count pairs of tokens; rare tokens count as one, so that every pair is expected often enough."""
    rows, columns = _without_rare(first), _without_rare(second)
    table = np.zeros((rows.max() + 1, columns.max() + 1), dtype=np.int64)
    np.add.at(table, (rows, columns), 1)
    return table


def _without_rare(tokens: NDArray[np.int_]) -> NDArray[np.int_]:
    counts = np.bincount(tokens)
    order = np.argsort(counts, kind="stable")
    least, groups, filled = math.sqrt(EXPECTED * len(tokens)), np.zeros(len(counts), dtype=np.int64), 0
    group = 0
    for token in order:
        groups[token] = group
        filled += int(counts[token])
        if filled >= least:
            group, filled = group + 1, 0
    if filled and group:
        groups[groups == group] = group - 1
    return groups[tokens]
