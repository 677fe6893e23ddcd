"""Training examples: windows over histories, and histories with a list of items behind them.

A row is a whole prompt and the identifiers behind it, filled up with `<pad>`, which no loss counts. What a step reads
depends on its number alone, so a run that was killed goes on with the same rows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from playground.errors import PlaygroundError
from playground.recommender.identifiers import HISTORY, Identifiers
from playground.recommender.shop import Shop

PAD = 0


class Windows:
    """Users' training histories, a window of each in every pass: the items of a prompt, and one more.

    Attributes:
        length: T, tokens of a row but for the first.
    """

    def __init__(self, shop: Shop, *, seed: int) -> None:
        self._identifiers = shop.identifiers
        self._histories = [user.train for _, user in sorted(shop.users.items()) if len(user.train) > 1]
        self._seed = seed
        self._orders: dict[int, np.ndarray] = {}
        self.length = (HISTORY + 1) * self._identifiers.length
        if not self._histories:
            raise PlaygroundError(f"Nobody in {shop.title} has bought two items in train. There is nothing to learn.")

    def __len__(self) -> int:
        return len(self._histories)

    def read(self, first: int, count: int) -> torch.Tensor:
        """Rows number `first` to `first + count` of an endless reading in shuffled order. (count, T + 1)"""
        rows = []
        for number in range(first, first + count):
            turn, index = divmod(number, len(self))
            history = self._histories[int(self._order(turn)[index])]
            spare = max(0, len(history) - HISTORY - 1)
            start = int(np.random.default_rng([self._seed, turn, index]).integers(spare + 1))
            rows.append(history[start : start + HISTORY + 1])
        return as_rows(self._identifiers, rows)

    def _order(self, turn: int) -> np.ndarray:
        if turn not in self._orders:
            self._orders = {turn: np.random.default_rng([self._seed, turn]).permutation(len(self))}
        return self._orders[turn]


def as_rows(identifiers: Identifiers, histories: Sequence[Sequence[int]]) -> torch.Tensor:
    """Prompts with the last item behind them, all of one length. (n, T + 1)"""
    table = torch.full((len(histories), 1 + (HISTORY + 1) * identifiers.length), PAD)
    for row, history in zip(table, histories, strict=True):
        tokens = identifiers.prompt(history[:-1]) + list(identifiers.tokens[history[-1]])
        row[: len(tokens)] = torch.tensor(tokens)
    return table


def validation(shop: Shop, count: int) -> torch.Tensor:
    """Histories that end with the first item of the validation part, of this many users. (n, T + 1)"""
    users = [user for _, user in sorted(shop.users.items()) if user.train and user.valid][:count]
    histories = [(*user.train, user.valid[0])[-HISTORY - 1 :] for user in users]
    return as_rows(shop.identifiers, histories)


def moments(shop: Shop) -> list[tuple[tuple[int, ...], int]]:
    """Every history in training that an item followed, and that item: what a draft is asked in earnest."""
    return [
        (user.train[max(0, end - HISTORY) : end], user.train[end])
        for _, user in sorted(shop.users.items())
        for end in range(1, len(user.train))
    ]
