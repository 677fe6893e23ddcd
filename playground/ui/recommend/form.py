"""The form of the Recommend tab, and its history of items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from playground.errors import PlaygroundError
from playground.ui.contract.to_page import History
from playground.ui.page.checks import LARGEST_SEED, whole
from playground.ui.page.form import Form
from playground.words import word

if TYPE_CHECKING:
    from playground.recommender.shop import Shop, User

LENGTHS = (1, 3, 5, 10, 20)  # K, as in the paper
MOST_BOUGHT = 100


@dataclass(frozen=True)
class RecommendForm(Form):
    """One press."""

    # Its panel holds {"items": ids in the order they were bought, ...}.
    history: dict[str, Any] = field(default_factory=dict)
    # top_k, drafts, length: K, N, and depths drafted in a round; at first those of the recorded press
    top_k: int = 10
    drafts: int = 40
    length: int = 3
    version: str = "atspeed_s"  # The draft model is of this version.
    # temperature, seed: of relaxed verification
    temperature: float = 1
    seed: int = 0

    def in_link(self) -> dict[str, Any]:
        """Return the history as its items' numbers."""
        values = super().in_link()
        items = (values.pop("history") or {}).get("items") or []
        return values | {"items": ",".join(str(item) for item in items)}

    def items(self) -> list[int]:
        """Return the history.

        Raises:
            PlaygroundError: if a program posted something else, or too much.
        """
        items = self.history.get("items", []) if isinstance(self.history, dict) else None
        if not isinstance(items, list) or not all(type(item) is int for item in items):
            raise PlaygroundError("The history could not be read. Reload the page.")
        if len(items) > MOST_BOUGHT:
            raise PlaygroundError(f"The history has {len(items)} items; {MOST_BOUGHT} is the most. Take some away.")
        return items

    def how(self) -> dict[str, Any]:
        """Return the other choices, as `recommend` takes them.

        Raises:
            PlaygroundError: if a field is empty or out of range.
        """
        values = {
            "top_k": whole(self.top_k, "K", 1, 10_000),
            "drafts": whole(self.drafts, "N", 1, 10_000),
            "draft_length": whole(self.length, word("shop_field_length"), 1, 16),
            "seed": whole(self.seed, word("shop_field_seed"), 0, LARGEST_SEED),
        }
        self.refuse_damaged()
        return values | {"temperature": float(self.temperature)}


def read_items(text: str) -> list[int]:
    """Return the history in a link.

    Raises:
        PlaygroundError: if there is something else between its commas.
    """
    parts = [part.strip() for part in text.split(",") if part.strip()]
    for part in parts:
        if not (part.isascii() and part.isdecimal()):
            raise PlaygroundError(f"The link names {part[:40]!r} as an item, which is not a number. It was ignored.")
    return [int(part) for part in parts]


def history_of(shop: Shop, items: Sequence[int]) -> History:
    """Return the value of the history's panel for these items, all of which exist."""
    return {"items": list(items), "names": {str(item): shop.items[item].name for item in items}}


def user_with(shop: Shop, items: Sequence[int]) -> User | None:
    """Return the user who has just this history."""
    return next((user for user in shop.tested() if user.history == tuple(items)), None)
