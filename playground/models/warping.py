"""From logits to probabilities: temperature, top-k, top-p and min-p, on the device that the logits are on.

Probabilities are float32 at least, whatever the model computes in.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

LEAST_MASS = 1e-30  # A smaller nucleus rounds to 0 and holds no token.
SELECT_FROM = 4096  # tokens of a vocabulary; rows of fewer are sorted sooner than a part of them is selected


def warp(logits: torch.Tensor, *, temperature: float, top_k: int, top_p: float, min_p: float) -> torch.Tensor:
    """Return the distributions of these logits, rows that sum to 1 in float32 or better. (n, V)"""
    if logits.dtype not in (torch.float32, torch.float64):
        logits = logits.float()
    if temperature == 0:
        best = logits.argmax(-1, keepdim=True)
        return torch.zeros_like(logits).scatter_(-1, best, 1.0)
    if temperature < 1e-4:  # the quotients could overflow, so take those of the differences to the largest
        logits = (logits - logits.amax(-1, keepdim=True)) / max(temperature, 1e-30)
    elif temperature != 1:
        logits = logits / temperature
    if 0 < top_k < logits.shape[-1]:
        # exactly k tokens survive, also in a tie, where a threshold on the logits would let more in
        top = logits.topk(top_k, dim=-1)
        logits = torch.full_like(logits, -torch.inf).scatter_(-1, top.indices, top.values)
    probs = torch.softmax(logits, -1)
    if top_p < 1:
        probs = _nucleus(probs, max(top_p, LEAST_MASS))
    return probs if min_p == 0 else _near_likeliest(probs, min_p)


def _near_likeliest(probs: torch.Tensor, min_p: float) -> torch.Tensor:
    """Return the tokens of at least `min_p` times the row's largest probability, renormalised. (n, V)"""
    likely = probs.masked_fill(probs < min_p * probs.amax(-1, keepdim=True), 0.0)
    return likely.div_(likely.sum(-1, keepdim=True))


def _nucleus(probs: torch.Tensor, top_p: float) -> torch.Tensor:
    """Return the fewest tokens that reach the mass `top_p`, with the one that crosses it, renormalised. (n, V)

    Of equal tokens the first ones count as the more likely.
    """
    by_selection = probs.device.type == "cpu" and probs.shape[-1] >= SELECT_FROM
    nucleus = (_nucleus_by_selection if by_selection else _nucleus_by_sorting)(probs, top_p)
    return nucleus.div_(nucleus.sum(-1, keepdim=True))


def _nucleus_by_sorting(probs: torch.Tensor, top_p: float) -> torch.Tensor:
    """Return the nucleus with its probabilities, zeros elsewhere, by a sort of whole rows. (n, V)"""
    sorted_probs, order = probs.sort(dim=-1, descending=True, stable=True)  # (n, V) both
    mass_before = sorted_probs.cumsum(-1) - sorted_probs  # (n, V)
    nucleus = torch.where(mass_before < top_p, sorted_probs, 0.0)
    return torch.zeros_like(probs).scatter_(-1, order, nucleus)  # (n, V), in the order of the vocabulary


def _nucleus_by_selection(probs: torch.Tensor, top_p: float) -> torch.Tensor:
    """Return the tokens of the nucleus with their probabilities, zeros elsewhere, row by row. (n, V)

    Equal to `_nucleus_by_sorting` in every bit.
    """
    nucleus = probs.numpy(force=True).copy()
    for row in nucleus:
        least, size = _least_of_nucleus(row, top_p)
        ties, above = np.flatnonzero(row == least), row > least
        row *= above
        row[ties[: size - np.count_nonzero(above)]] = least
    return torch.from_numpy(nucleus)


def _least_of_nucleus(row: NDArray[Any], top_p: float) -> tuple[float, int]:
    """Probability of the nucleus' least likely token, and the number of its tokens.

    All tokens of at most (1 - top_p) / V have no more than 1 - top_p together, so the others hold the nucleus, and only
    they are sorted; most often those above the mean of all tokens suffice. Where rounding leaves the end of the nucleus
    outside, the whole row is sorted.
    """
    size = len(row)
    for bound in (1 / size, (1 - top_p) / (2 * size), -1.0):
        likely = np.sort(row.compress(~(row <= bound)))[::-1]  # a dead end's row is not numbers, and stays whole
        # summed in float64 and rounded, as torch does
        mass_before = likely.cumsum(dtype=np.float64).astype(row.dtype) - likely
        num_tokens = int(np.count_nonzero(mass_before < top_p))
        if num_tokens < len(likely) or len(likely) == size:
            break
    return likely[num_tokens - 1], num_tokens
