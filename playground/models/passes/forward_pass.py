"""What runs a model: a forward pass, and the slots in which it keeps keys and values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import torch


class KeysValues(Protocol):
    """Keys and values of the tokens read so far, in slots that count from 0."""

    def keep(self, prefix: int, tail: list[int]) -> None:
        """Keep the first `prefix` slots and, moved up behind them, these."""
        ...

    def bytes_per_token(self) -> int:
        """Bytes of one slot, over all layers."""
        ...


class ForwardPass(Protocol):
    """One way of running one model.

    Attributes:
        name: what a trace calls it.
    """

    name: str

    def slots(self) -> Any:
        """Room for the keys and values of one tree: the `KeysValues` that `run` takes."""
        ...

    def run(
        self, slots: Any, tokens: list[int], positions: list[int], mask: torch.Tensor | None, rows: list[int]
    ) -> torch.Tensor:
        """Read n tokens behind those in the slots, and keep their keys and values there.

        Args:
            slots: what was read before, s tokens.
            tokens, positions: (n,)
            mask: (n, s + n) to add to the scores: 0, or the lowest number where a token is not seen. None where every
                token sees all before it.
            rows: which tokens' logits are wanted, in rising order.

        Returns:
            (len(rows), V)
        """
        ...
