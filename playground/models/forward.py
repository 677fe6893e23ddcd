"""The answer of a model to its one question: the next-token logits at these nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    import numpy as np
    import torch

    from playground.tree import TokenTree


class Forward(NamedTuple):
    """One answered question, and what it took.

    Attributes:
        logits: (n, V), one row per asked node: the distribution after that node, unnormalised.
        fed: the nodes that had to run, in order; empty when everything was known already.
        num_cached: tokens in the cache before the pass.
        columns: the nodes behind the shared prefix that the mask speaks of.
        visible: (len(fed), len(columns)) of bool, or None where the pass was a plain causal chain.
    """

    logits: torch.Tensor
    fed: list[int]
    num_cached: int
    columns: list[int]
    visible: np.ndarray | None


class Vocabulary(Protocol):
    """Text to tokens and back."""

    def encode(self, text: str) -> list[int]: ...

    def decode(self, tokens: list[int]) -> str: ...

    def piece(self, token: int) -> str: ...


class Model(Protocol):
    """What decoding needs of a model; `LanguageModel` and `TableModel` have it."""

    name: str
    vocab_size: int
    max_positions: int
    eos_ids: frozenset[int]
    vocabulary: Vocabulary
    device: torch.device

    def forward(self, tree: TokenTree, nodes: list[int]) -> Forward: ...

    def facts(self) -> dict[str, Any]: ...

    def cache_bytes(self, tree: TokenTree) -> int: ...
