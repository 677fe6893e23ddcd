"""A shop as a recommender sees it: items with identifiers, users with what they bought, split by time.

The shop that comes along is invented, see `catalogue`. Its three files have the form of the public data sets, so
anybody's data is read by the same reader, `files`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from playground.decoding.constrained.constraint import Trie
from playground.errors import PlaygroundError
from playground.recommender.identifiers import Identifiers


@dataclass(frozen=True, slots=True)
class Item:
    """One item."""

    id: int  # its place in the shop, from 0
    name: str  # It is the identifier where the data has no names.
    attributes: dict[str, str]  # Names lead to what is known of it.
    codes: tuple[str, ...]  # its identifier, a token per level: `<a_12>`, `<b_3>`, ...


@dataclass(frozen=True, slots=True)
class User:
    """One user's item ids in the order of time, in three parts whose borders are the same for all users."""

    id: int
    train: tuple[int, ...]
    valid: tuple[int, ...]
    test: tuple[int, ...]

    @property
    def history(self) -> tuple[int, ...]:
        """Items that are known when the held-out ones are to be guessed."""
        return self.train + self.valid

    @property
    def held_out(self) -> tuple[int, ...]:
        """The user's last items, which no model has read."""
        return self.test


@dataclass(frozen=True, eq=False)
class Shop:
    """Items and users."""

    title: str
    items: tuple[Item, ...]
    users: dict[int, User]

    @cached_property
    def identifiers(self) -> Identifiers:
        """The items' identifiers as tokens."""
        return Identifiers([item.codes for item in self.items])

    @cached_property
    def trie(self) -> Trie:
        """All identifiers: what a run may write, so that no other item can come out."""
        return Trie(self.identifiers.tokens)

    def user(self, user_id: int) -> User:
        """Return the user with this id.

        Raises:
            PlaygroundError: if there is none.
        """
        if user_id not in self.users:
            known = sorted(self.users)
            raise PlaygroundError(f"Unknown user {user_id} in {self.title}. Choose one of {known[0]} to {known[-1]}.")
        return self.users[user_id]

    def check_history(self, history: Sequence[int]) -> list[int]:
        """Return a requested history, once it is checked.

        Raises:
            PlaygroundError: if it is empty, or an item in it does not exist.
        """
        if not history:
            raise PlaygroundError("The history is empty. Give at least one item that the user has bought.")
        for number, item in enumerate(history, 1):
            if not 0 <= item < len(self.items):
                raise PlaygroundError(
                    f"Item {item}, number {number} of the history, is not in {self.title}. Choose 0 to "
                    f"{len(self.items) - 1}."
                )
        return list(history)

    def tested(self) -> list[User]:
        """The users who have a history and something held out, by id."""
        return [user for _, user in sorted(self.users.items()) if user.history and user.held_out]
