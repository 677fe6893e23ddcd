"""Slots in which lean passes keep keys and values: of one sequence, and of the sequences of a batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch

BLOCK = 256  # slots


class Slots:
    """Keys and values of the nodes read so far, a slot each, for all layers in one tensor."""

    def __init__(self, num_layers: int, num_heads: int, head_size: int, like: torch.Tensor, num_taps: int = 0) -> None:
        # (layers, 2 G, capacity, D): the heads of the keys, then those of the values
        self.filled = like.new_empty(num_layers, 2 * num_heads, BLOCK, head_size)
        # (capacity, width): what the last norm made of each, for a drafter that reads it
        self.features = like.new_empty(BLOCK, like.shape[1])
        # (capacity, taps * width): hidden states after the layers that a drafter taps, next to each other
        self.tapped = like.new_empty(BLOCK, num_taps * like.shape[1])
        self.length = 0  # So many slots are in use.

    def make_room(self, end: int) -> None:
        """Grow by whole blocks, so that this many slots fit; also those behind the ones in use are kept."""
        num_layers, heads, capacity, size = self.filled.shape
        if (missing := end - capacity) > 0:
            capacity, before = capacity + -(-missing // BLOCK) * BLOCK, capacity
            grown = self.filled.new_empty(num_layers, heads, capacity, size)
            grown[:, :, :before] = self.filled
            self.filled = grown
            self.features, self.tapped = (_grown(rows, capacity) for rows in (self.features, self.tapped))

    def keep(self, prefix: int, tail: list[int]) -> None:
        """Keep the first `prefix` slots, and move these up after them."""
        length = prefix + len(tail)
        if tail and tail[-1] != length - 1:
            index = torch.tensor(tail, device=self.filled.device)
            self.filled[:, :, prefix:length] = self.filled[:, :, index]
            for rows in (self.features, self.tapped):
                rows[prefix:length] = rows[index]
        self.length = length

    def bytes_per_token(self) -> int:
        """Keys and values of all layers."""
        return self.filled[:, :, 0].nbytes


class SlotPool:
    """Keys and values of several sequences in one tensor, so that one compiled pass reaches them all."""

    def __init__(self, alone: Slots) -> None:
        """Make an empty pool; `alone`: slots of one sequence, for their sizes."""
        self.filled = alone.filled.new_empty(0, *alone.filled.shape)  # (sequences, layers, 2 G, capacity, D)
        self._members: list[PooledSlots] = []

    def slots(self) -> PooledSlots:
        """Return slots for one more sequence."""
        self._members.append(PooledSlots(self, len(self._members)))
        self._grow(torch.cat([self.filled, self.filled.new_empty(1, *self.filled.shape[1:])]))
        return self._members[-1]

    def make_room(self, end: int) -> None:
        """Grow by whole blocks, so that this many slots of each sequence fit."""
        *sizes, capacity, size = self.filled.shape
        if (missing := end - capacity) > 0:
            added = -(-missing // BLOCK) * BLOCK
            self._grow(torch.cat([self.filled, self.filled.new_empty(*sizes, added, size)], 3))

    def _grow(self, filled: torch.Tensor) -> None:
        self.filled = filled
        for member in self._members:
            member.filled = filled[member.index]
            member.features = member.tapped = filled.new_empty(filled.shape[3], 0)


class PooledSlots(Slots):
    """Slots of one sequence in a pool. They hold no features: no drafter that reads them runs in a batch."""

    def __init__(self, pool: SlotPool, index: int) -> None:
        self._pool, self.index, self.length = pool, index, 0

    def make_room(self, end: int) -> None:
        """Grow the whole pool."""
        self._pool.make_room(end)


@dataclass(frozen=True, slots=True)
class Part:
    """Tokens of one sequence in a pass over several."""

    slots: PooledSlots  # The sequence read s tokens before.
    tokens: list[int]  # (n,)
    positions: list[int]  # (n,)
    mask: torch.Tensor | None  # (n, s + n) to add to the scores; see `ForwardPass.run`
    rows: list[int]  # The logits of these tokens are wanted, in rising order.
    padding: int = 0  # So many of the last tokens only make it as long as others.

    def padded(self, length: int) -> Part:
        """Return the part with padding behind its tokens, which none of them sees."""
        added, count = length - len(self.tokens), len(self.tokens)
        mask = own = self.mask
        if own is not None and added:
            mask = own.new_full((length, own.shape[1] + added), torch.finfo(own.dtype).min)
            mask[:, 0] = 0  # A row of padding that saw nothing would be NaN.
            mask[:count, : own.shape[1]] = own
        return replace(
            self,
            tokens=[*self.tokens, *[0] * added],
            positions=[*self.positions, *[self.positions[-1]] * added],
            mask=mask,
            padding=added,
        )


def causal_mask(start: int, count: int, like: torch.Tensor) -> torch.Tensor:
    """Return the mask in which each of this many tokens sees all before it. (count, start + count)"""
    mask = like.new_full((count, start + count), torch.finfo(like.dtype).min)
    return mask.triu_(start + 1)


def split_rows(
    parts: Sequence[Part], features: torch.Tensor, scores: Callable[[torch.Tensor], torch.Tensor]
) -> list[torch.Tensor]:
    """Count the tokens of all parts as read, and return the logits at their rows. (len(part.rows), V) each

    Args:
        features: (n, width) of all tokens, after the last norm.
    """
    wanted, first = [], 0
    for part in parts:
        wanted += [first + row for row in part.rows]
        first += len(part.tokens)
        part.slots.length += len(part.tokens) - part.padding
    logits = scores(features if len(wanted) == len(features) else features[wanted])
    return list(logits.split([len(part.rows) for part in parts]))


def _grown(rows: torch.Tensor, capacity: int) -> torch.Tensor:
    """Return these rows at the start of a larger tensor."""
    grown = rows.new_empty(capacity, rows.shape[1])
    grown[: len(rows)] = rows
    return grown
