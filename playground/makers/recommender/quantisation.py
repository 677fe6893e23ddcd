"""Identifiers by residual quantisation: the nearest of a few centres, then the same for what is left, level by level.

Items that are alike begin alike. Where two items come to the same codes, the later one takes the nearest centre of the
last level that is still free behind its other codes.

Source: Rajput et al. 2023, Recommender Systems with Generative Retrieval, arXiv 2305.05065, section 3.1; there an
    autoencoder learns the codebooks, here they are k-means centres.
"""

from __future__ import annotations

import numpy as np

from playground.errors import PlaygroundError

LEVELS = "abcd"
ROUNDS = 25


def quantise(vectors: np.ndarray, num_codes: int, *, seed: int) -> tuple[list[tuple[str, ...]], int]:
    """Compute an identifier for each vector, no two alike.

    Args:
        vectors: (n, d).
        num_codes: centres of a level.
        seed: of the centres' first places.

    Returns:
        The identifiers, and how many of them a collision has changed.

    Raises:
        PlaygroundError: if there are fewer vectors than centres, or more alike than the last level has codes.
    """
    if len(vectors) < num_codes:
        raise PlaygroundError(f"{len(vectors)} items are too few for {num_codes} codes a level. Choose fewer codes.")
    rng = np.random.default_rng(seed)
    left = vectors.astype(np.float64).copy()  # (n, d)
    codes = np.empty((len(left), len(LEVELS)), dtype=int)
    distances = np.empty((len(left), num_codes))
    for level in range(len(LEVELS)):
        centres = _centres(left, num_codes, rng)  # (num_codes, d)
        distances = _distances(left, centres)  # (n, num_codes)
        codes[:, level] = distances.argmin(1)
        left -= centres[codes[:, level]]
    moved = _resolve(codes, distances)
    return [tuple(f"<{letter}_{code}>" for letter, code in zip(LEVELS, row, strict=True)) for row in codes], moved


def _resolve(codes: np.ndarray, distances: np.ndarray) -> int:
    """Give later items of the same codes another last one, in place; how many."""
    used: set[tuple[int, ...]] = set()
    moved = 0
    for item, row in enumerate(codes):
        start = tuple(row[:-1].tolist())
        free = (code for code in np.argsort(distances[item], kind="stable").tolist() if (*start, code) not in used)
        code = next(free, None)
        if code is None:
            raise PlaygroundError(f"More items than codes are like item {item}. Choose more codes a level.")
        moved += int(code != row[-1])
        row[-1] = code
        used.add((*start, code))
    return moved


def _centres(points: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """k-means, begun far apart (k-means++). (count, d)"""
    centres = points[[int(rng.integers(len(points)))]]
    nearest = _distances(points, centres)[:, 0]  # (n,)
    for _ in range(count - 1):
        chances = nearest / nearest.sum() if nearest.sum() > 0 else np.full(len(points), 1 / len(points))
        chosen = points[[int(rng.choice(len(points), p=chances))]]
        centres = np.concatenate([centres, chosen])
        nearest = np.minimum(nearest, _distances(points, chosen)[:, 0])
    for _ in range(ROUNDS):
        closest = _distances(points, centres).argmin(1)
        for centre in range(count):
            if (mine := closest == centre).any():
                centres[centre] = points[mine].mean(0)
    return centres


def _distances(points: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """Squared. (n, count)"""
    return ((points[:, None, :] - centres[None]) ** 2).sum(-1)
