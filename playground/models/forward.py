"""A forward pass over a token tree: the next-token logits at the nodes that were asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

from playground.errors import PlaygroundError

if TYPE_CHECKING:
    import numpy as np
    import torch

    from playground.trace.events import Facts
    from playground.tree import TokenTree


class PathWork(NamedTuple):
    """The passes of one call to a model that reads paths as rows."""

    num_passes: int = 0
    num_rows: int = 0  # over all passes
    num_tokens: int = 0  # over all rows, padding included
    num_again: int = 0  # A call before had read them, and their state was taken back.
    again_s: float = 0.0  # in passes that read nothing else

    def with_pass(self, num_rows: int, num_tokens: int, num_again: int, again_s: float) -> PathWork:
        """Return the work with one pass more."""
        return PathWork(
            self.num_passes + 1,
            self.num_rows + num_rows,
            self.num_tokens + num_tokens,
            self.num_again + num_again,
            self.again_s + again_s,
        )


class Forward(NamedTuple):
    """The result of a forward pass, and what it cost."""

    logits: torch.Tensor  # (n, V), one row per node that was asked for: the distribution after it, unnormalised
    fed: list[int]  # the nodes that had to run, in order; empty when everything was known already
    num_cached: int  # tokens in the cache before the pass
    columns: list[int]  # the nodes after the shared prefix, one for each column of the mask
    visible: np.ndarray | None  # (len(fed), len(columns)) of bool, or None where the pass was a plain causal chain
    work: PathWork | None = None  # Only a model that reads paths as rows has it.


class Vocabulary(Protocol):
    """Text to tokens and back."""

    def encode(self, text: str) -> list[int]: ...

    def decode(self, tokens: list[int]) -> str: ...

    def piece(self, token: int) -> str: ...


class Model(Protocol):
    """Interface of a model for decoding; `LanguageModel` and `TableModel` have it."""

    name: str
    vocab_size: int
    max_positions: int
    eos_ids: frozenset[int]
    vocabulary: Vocabulary
    device: torch.device

    def forward(self, tree: TokenTree, nodes: list[int]) -> Forward: ...

    def facts(self) -> Facts: ...

    def cache_bytes(self, tree: TokenTree) -> int: ...


@runtime_checkable
class DepthLimited(Protocol):
    """A drafter that limits the depth of a draft before any of its tokens is drawn."""

    def max_depth(self, tree: TokenTree, nodes: list[int]) -> tuple[int, Forward | None]:
        """Largest depth of a draft below these nodes, from the text up to them alone; and the pass it took, if any."""
        ...


LARGEST = 1e30  # A larger logit comes from an overflow, or masks a token.


def check_logits(model: Model, tree: TokenTree, nodes: list[int], logits: torch.Tensor) -> None:
    """Refuse rows of logits (n, V) by their largest; see `check_largest`."""
    check_largest(model, tree, nodes, logits.amax(-1).tolist())


def check_largest(model: Model, tree: TokenTree, nodes: list[int], largest: list[float]) -> None:
    """Refuse rows that define no next token: with a NaN or +inf, or -inf everywhere.

    A part of -inf is a mask, of tokens that a drafter does not know or a table never gives. The largest of a row tells
    all of it, as a NaN is larger than any number.

    Args:
        tree, nodes: the nodes that the rows follow.
        largest: (n,) largest logit of each row.

    Raises:
        PlaygroundError: naming the model, its number format and the first such node.
    """
    for node, value in zip(nodes, largest, strict=True):
        if not -LARGEST < value < LARGEST:
            kind = "NaN" if value != value else "infinite" if value > 0 else "-infinity for every token"
            raise PlaygroundError(
                f"{model.name} computes no probabilities in {model.facts()['dtype']}: its logits behind "
                f"{model.vocabulary.piece(tree.tokens[node])!r}, token {tree.depths[node] + 1} of the text (node "
                f"{node}), are {kind}. Choose another number format, or another model."
            )
