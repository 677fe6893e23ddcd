"""Interface of a forward pass, and of the slots in which it keeps keys and values."""

from typing import Any, Protocol

import torch

from playground.models.forward import LARGEST


class KeysValues(Protocol):
    """Keys and values of the tokens read so far, in slots that count from 0."""

    def keep(self, prefix: int, tail: list[int]) -> None:
        """Keep the first `prefix` slots, and move these up after them."""
        ...

    def bytes_per_token(self) -> int:
        """Bytes of one slot, over all layers."""
        ...


class ForwardPass(Protocol):
    """One way of running one model."""

    name: str

    def slots(self) -> Any:
        """Room for the keys and values of one tree: the `KeysValues` that `run` takes."""
        ...

    def run(
        self, slots: Any, tokens: list[int], positions: list[int], mask: torch.Tensor | None, rows: list[int]
    ) -> torch.Tensor:
        """Read n tokens behind those in the slots, keep their keys and values there, return logits. (len(rows), V)

        Args:
            slots: what was read before, s tokens.
            tokens, positions: (n,)
            mask: (n, s + n) to add to the scores: 0, or the lowest number where a token is not seen. None where every
                token sees all before it.
            rows: which tokens' logits are wanted, in rising order.
        """
        ...


def agree(output: torch.Tensor, expected: torch.Tensor, *, roughly: bool = False) -> bool:
    """Return whether two passes agree up to rounding; a wrong one differs by the size of the numbers themselves.

    Tokens that a model masks, by -inf or the lowest number, must be the same ones, and do not count as that size.

    Args:
        output, expected: of one shape.
        roughly: whether the passes round by what else is in them, as in 8 bits; half precision always does, whose
            kernels may differ between widths.
    """
    is_exact = expected.dtype in (torch.float32, torch.float64) and not roughly
    lowest = max(-LARGEST, torch.finfo(expected.dtype).min / 2)
    masked = expected < lowest
    if not torch.equal(masked, output < lowest):
        return False
    output, expected = (each.float().masked_fill(masked, 0.0) for each in (output, expected))
    tolerance = (1e-3 if is_exact else 0.1) * float(expected.abs().max())
    return float((output - expected).abs().max()) <= tolerance
