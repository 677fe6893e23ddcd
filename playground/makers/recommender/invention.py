"""The invented shop from a seed: items, identifiers and histories, the same bytes every time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playground.errors import PlaygroundError
from playground.makers.recommender.catalogue import invent_items
from playground.makers.recommender.histories import MOST, draw_histories
from playground.makers.recommender.quantisation import quantise
from playground.recommender.files import write_shop

NUM_ITEMS, NUM_USERS, NUM_CODES, SEED = 2000, 8000, 64, 17
MOST_ITEMS, MOST_USERS = 20_000, 1_000_000  # every item is compared with every other


def invent_shop(
    folder: Path,
    *,
    num_items: int = NUM_ITEMS,
    num_users: int = NUM_USERS,
    num_codes: int = NUM_CODES,
    seed: int = SEED,
) -> dict[str, Any]:
    """Write a shop, and say what is in it.

    Args:
        folder: where its files go.
        num_items, num_users: how many.
        num_codes: of each of the four levels of an identifier.
        seed: of all of it.

    Raises:
        PlaygroundError: if there cannot be such a shop, or the files cannot be written.
    """
    _check("items", num_items, MOST, MOST_ITEMS)  # a user may want that many different ones
    _check("users", num_users, 1, MOST_USERS)
    _check("codes", num_codes, 2, num_items)
    _check("as a seed", seed, 0, 2**63 - 1)
    catalogue = invent_items(num_items, seed=seed)
    codes, moved = quantise(catalogue.vectors, num_codes, seed=seed)
    splits = draw_histories(catalogue, num_users, seed=seed)
    write_shop(folder, splits, codes, catalogue.names, catalogue.attributes)
    return {
        "folder": str(folder),
        "items": num_items,
        "users": num_users,
        "purchases": {part: sum(map(len, rows.values())) for part, rows in splits.items()},
        "users with a test": sum(
            bool(splits["test"][user]) and bool(splits["train"][user] or splits["valid"][user])
            for user in splits["test"]
        ),
        "identifiers changed by a collision": moved,
        "beginnings of one, two and three codes": [len({each[:length] for each in codes}) for length in (1, 2, 3)],
    }


def _check(what: str, number: int, least: int, most: int) -> None:
    if not least <= number <= most:
        raise PlaygroundError(f"{number} {what} is out of range. Choose {least} to {most}.")
