"""The text itself as a draft model: what followed its end where that stood before, by counts.

It has no weights and takes no time worth telling. The distribution of its draws is the share of places at which each
token came, so that any method can draw from it and any lossless rule can test what was drawn. Where the last token is
new, every token of the text is as likely as it is often.

`suffix_decoding` hangs a whole tree of the same counts, and takes it as certain. Source: Oliaro et al. 2024,
SuffixDecoding, arXiv 2411.04975; counting tokens behind a context is far older, Shannon 1948.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import torch

from playground.models.drafters.suffixes import matches
from playground.models.forward import Forward

if TYPE_CHECKING:
    from playground.models.forward import Model
    from playground.trace.events import Facts
    from playground.tree import TokenTree

LONGEST_MATCH = 16


class TextModel:
    """A model as decoding needs one: see `Model`."""

    name = "the text itself"
    max_positions = 2**31

    def __init__(self, beside: Model) -> None:
        self.vocab_size, self.eos_ids = beside.vocab_size, beside.eos_ids
        self.vocabulary, self.device = beside.vocabulary, beside.device

    def facts(self) -> Facts:
        """Name and size, as the trace records them."""
        return {
            "name": self.name,
            "parameters": 0,
            "layers": 0,
            "vocab_size": self.vocab_size,
            "dtype": "float32",
            "device": str(self.device),
        }

    def cache_bytes(self, tree: TokenTree) -> int:
        """Return 0: the text is the tree's, and nothing else is kept."""
        return 0

    def forward(self, tree: TokenTree, nodes: list[int]) -> Forward:
        """Logarithms of the shares behind each node. (n, V)"""
        rows = torch.stack([self._row(tree.context(node)) for node in nodes])
        return Forward(rows.to(self.device), [], 0, [], None)

    def _row(self, context: list[int]) -> torch.Tensor:
        counts = Counter(following(context))
        row = torch.full((self.vocab_size,), -torch.inf, dtype=torch.float32, device="cpu")
        row[list(counts)] = torch.tensor(list(counts.values()), dtype=torch.float32, device="cpu").log()
        return row


def following(context: list[int]) -> list[int]:
    """Tokens after each earlier occurrence of the longest match of a text's end; the whole text where there is none."""
    all_matches = list(matches(context, LONGEST_MATCH))
    return [context[position] for position in all_matches[-1][1]] if all_matches else context
