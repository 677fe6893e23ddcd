"""Histories of the invented shop: a process that can be stated, so that what a model finds in it can be judged.

A user mixes one to three of `NUM_TASTES` tastes, each a liking for some categories and styles. Every purchase is

    45 %  a companion of the last one: of the category that goes with it, in its style and material
    15 %  a companion of the one before that
    30 %  what the user's taste likes, the popular things first
    10 %  what is popular

and never a thing the user has already. Users begin on any day of two years; between two purchases pass some weeks. What
was bought on the first 80 % of all days is for training, the next 10 % for validation, the last 10 % for tests, where
days are counted in purchases: one border in time for all users, as with the public data.
"""

from __future__ import annotations

import numpy as np

from playground.makers.recommender.catalogue import GOES_WITH, KINDS, Catalogue, words

NUM_TASTES = 16
CHANCES = {"last": 0.45, "before": 0.15, "taste": 0.3, "popular": 0.1}
FEWEST, MEAN_MORE, MOST = 5, 7, 40  # purchases of a user
DAYS, GAP_DAYS = 730, 20.0
COMPANIONS = 8
SHARES = (0.8, 0.9)  # of the purchases: where training ends, and validation


def draw_histories(catalogue: Catalogue, num_users: int, *, seed: int) -> dict[str, dict[str, list[int]]]:
    """Everybody's purchases: `train`, `valid` and `test`, each user to items in the order of time."""
    rng = np.random.default_rng([seed, 2])
    likings, companions = _likings(catalogue, rng), _companions(catalogue)
    bought: list[tuple[float, int, int]] = []
    for user in range(num_users):
        items = _purchases(catalogue, likings, companions, rng)
        days = rng.uniform(0, DAYS) + np.cumsum(rng.exponential(GAP_DAYS, len(items)))
        bought += [(float(day), user, item) for day, item in zip(days, items, strict=True)]
    bought.sort()
    borders = [int(share * len(bought)) for share in SHARES]
    parts = {"train": bought[: borders[0]], "valid": bought[borders[0] : borders[1]], "test": bought[borders[1] :]}
    splits = {part: {str(user): [] for user in range(num_users)} for part in parts}
    for part, rows in parts.items():
        for _, user, item in rows:
            splits[part][str(user)].append(item)
    return splits


def _purchases(
    catalogue: Catalogue, likings: np.ndarray, companions: np.ndarray, rng: np.random.Generator
) -> list[int]:
    """One user's, in order."""
    tastes = rng.choice(NUM_TASTES, size=int(rng.integers(1, 4)), replace=False)
    liked = catalogue.popularity * np.exp(likings[tastes].max(0))  # (n,)
    liked /= liked.sum()
    count = min(MOST, FEWEST + int(rng.geometric(1 / MEAN_MORE)))
    items: list[int] = []
    while len(items) < count:
        how = rng.choice(len(CHANCES), p=list(CHANCES.values()))
        if how < 2 and len(items) > how:
            near = companions[items[-1 - how]]
            weights = catalogue.popularity[near] ** 0.5 / (1 + np.arange(COMPANIONS))
            item = int(rng.choice(near, p=weights / weights.sum()))
        else:
            item = int(rng.choice(len(liked), p=catalogue.popularity if how == 3 else liked))
        if item not in items:
            items.append(item)
    return items


def _likings(catalogue: Catalogue, rng: np.random.Generator) -> np.ndarray:
    """(NUM_TASTES, n)"""
    rows = []
    for _ in range(NUM_TASTES):
        categories = set(rng.choice(list(KINDS), size=3, replace=False).tolist())
        styles = set(rng.choice(words("style"), size=2, replace=False).tolist())
        liked = [3 * (item["category"] in categories) + 2 * (item["style"] in styles) for item in catalogue.attributes]
        rows.append(np.array(liked, dtype=float))
    return np.stack(rows)


def _companions(catalogue: Catalogue) -> np.ndarray:
    """Companions of each item, the likeliest first. (n, COMPANIONS)"""
    categories = list(KINDS)
    companions = []
    for item, own in enumerate(catalogue.attributes):
        partner = categories[(categories.index(own["category"]) + GOES_WITH) % len(categories)]
        points = np.array(
            [
                4 * (other["category"] == partner)
                + 2 * (other["style"] == own["style"])
                + (other["material"] == own["material"])
                for other in catalogue.attributes
            ],
            dtype=float,
        )
        points[item] = -1
        companions.append(np.argsort(-points, kind="stable")[:COMPANIONS])
    return np.stack(companions)
