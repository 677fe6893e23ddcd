"""Toy models whose every probability is written down, with the same interface as a language model.

Tests and the Lab need distributions that can be enumerated: here the distribution of any sequence is a product of table
entries.
"""

from __future__ import annotations

import string
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from playground.models.forward import Forward

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playground.models.forward import Vocabulary
    from playground.trace.events import Facts
    from playground.tree import TokenTree


class TableModel:
    """p(next token | last tokens), looked up in a table.

    Args:
        table: (V, ..., V, V): the last axis is the next token and sums to 1; the axes before it are the tokens it
            depends on, the most recent one last. One axis alone is a model without memory.
        eos_ids: tokens that end a text.
    """

    max_positions = 2**31
    bytes_per_token = 0

    def __init__(self, table: Any, *, eos_ids: frozenset[int] = frozenset(), name: str = "table") -> None:
        table = np.asarray(table, dtype=np.float64)
        sizes = set(table.shape)
        if len(sizes) != 1 or not np.allclose(table.sum(-1), 1) or (table < 0).any():
            raise ValueError(f"A table model needs (V, ..., V) rows of probabilities, got shape {table.shape}.")
        self.table = table
        self.order = table.ndim - 1
        self.name = name
        self.vocab_size = table.shape[-1]
        self.eos_ids = eos_ids
        self.vocabulary: Vocabulary = Letters()
        self.device = torch.device("cpu")
        with np.errstate(divide="ignore"):
            self._logits = torch.from_numpy(np.log(table))

    @classmethod
    def random(cls, vocab_size: int, *, order: int = 1, seed: int = 0, sharpness: float = 1.0) -> TableModel:
        """Return a table of random rows; a larger sharpness makes them more uneven."""
        rng = np.random.default_rng(seed)
        rows = rng.dirichlet(np.full(vocab_size, 1 / sharpness), size=(vocab_size,) * order)
        return cls(rows, name=f"table-{seed}")

    def facts(self) -> Facts:
        """Name and size, as the trace records them."""
        return {
            "name": self.name,
            "parameters": self.table.size,
            "layers": 0,
            "vocab_size": self.vocab_size,
            "dtype": "float64",
            "device": "cpu",
        }

    def logits(self, tree: TokenTree, nodes: list[int]) -> torch.Tensor:
        """Log-probabilities of the next token at these nodes. (n, V)"""
        return self.forward(tree, nodes).logits

    def forward(self, tree: TokenTree, nodes: list[int]) -> Forward:
        """Logits at nodes, looked up; as nothing is computed, the fed nodes are those requested."""
        rows = torch.stack([self._logits[self._window(tree.context(node))] for node in nodes])
        return Forward(rows, list(nodes), 0, [], None)

    def cache_bytes(self, tree: TokenTree) -> int:
        """Return 0: nothing is cached."""
        return 0

    def row(self, context: Sequence[int]) -> np.ndarray:
        """Probabilities of the next token after these. (V,)"""
        return self.table[self._window(context)]

    def distribution(self, prompt: list[int], length: int) -> np.ndarray:
        """Joint distribution of the next `length` tokens after a prompt. (V,) * length"""
        joint = np.ones((1,) * 0)
        for position in range(length):
            step = np.empty((self.vocab_size,) * (position + 1))
            for past in np.ndindex(*(self.vocab_size,) * position):
                step[past] = self.row([*prompt, *past])
            joint = joint[..., None] * step
        return joint

    def _window(self, tokens: Sequence[int]) -> tuple[int, ...]:
        """Return the last `order` tokens; token 0 pads a text that is still shorter."""
        recent = [int(token) for token in tokens[max(0, len(tokens) - self.order) :]]
        return (*[0] * (self.order - len(recent)), *recent)


class Letters:
    """The vocabulary of a table model: a, b, c, ..."""

    def encode(self, text: str) -> list[int]:
        """Letters to tokens."""
        return [string.ascii_lowercase.index(letter) for letter in text]

    def decode(self, tokens: list[int]) -> str:
        """Tokens to letters."""
        return "".join(string.ascii_lowercase[token] for token in tokens)

    def piece(self, token: int) -> str:
        """One token, as text."""
        return string.ascii_lowercase[token]
