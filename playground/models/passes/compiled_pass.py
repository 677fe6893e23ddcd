"""The lean pass with its layers compiled for this processor: on the same slots, on threads of its own.

What numba compiles (`compiled`) is kept beside it in __pycache__, or where that cannot be written in the user's own
cache, for the processor that it was made for. Without numba there is no such pass, and the lean one is used.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from operator import add
from pathlib import Path
from typing import Any

import numpy as np
import torch

from playground.models.machine import processor
from playground.models.passes.lean_pass import LeanPass
from playground.models.passes.records import empty_records, in_steps
from playground.models.passes.slots import Part, SlotPool, Slots, causal_mask, split_rows
from playground.models.passes.team import team
from playground.models.passes.tuning import AHEAD, Matrix, tune
from playground.models.products import compiled_kernel, float16_and_power

WIDTH = 7  # numbers that say where a matrix is and how it is read; see `compiled.product`
_EMPTY = np.empty(0, np.float32)
Linears = tuple[Any, ...]  # linear layers with the same inputs, whose outputs are joined
# See `compiled.run_pass`.
Joining = tuple[Any, ...]
Ending = tuple[Any, ...]


def is_compilable(model: Any) -> bool:
    """Return whether it is a Llama-shaped model that the compiled pass may be tried on."""
    layer = model.model.layers[0]
    size, widths = layer.self_attn.head_dim, (model.config.hidden_size, layer.mlp.down_proj.in_features)
    return (
        layer.input_layernorm.weight.device.type == "cpu"  # the embedding may stay in its file
        and model.dtype == torch.float32
        and bool(compiled_kernel())
        and size % compiled_kernel().lanes == 0
        and not any(width % 2 for width in widths)
    )


class CompiledPass(LeanPass):
    """The pass of one model.

    Args:
        model: of transformers; see `is_compilable`.
        halved: whether its weights are to be held in 16 bits.

    Raises:
        ValueError: if a weight takes more than 16 bits.
    """

    name = "lean, compiled"

    def __init__(self, model: Any, *, halved: bool = False) -> None:
        linears: list[Linears] = []
        super().__init__(model, make=lambda *joined: linears.append(joined))
        self.is_halved, self._kernels = halved, compiled_kernel().module
        head, *inner = linears
        self._weights, matrices = self._lay_out([*inner, head])
        self._head_matrix, self._head_bias = matrices[-1], head[0].bias
        self._head_weights = self._weights
        matrices = matrices[:-1].reshape(-1, 4, matrices.shape[1])
        layers = model.model.layers
        norms = [[layer.input_layernorm.weight, layer.post_attention_layernorm.weight] for layer in layers]
        no_norms = torch.empty(0, self._size, dtype=torch.float32, device="cpu")
        head_norms = [no_norms if each.head_norms is None else each.head_norms for each in self._layers]
        self._arrays = (
            matrices,
            torch.stack([torch.stack(pair) for pair in norms]).detach().numpy(),
            torch.stack(head_norms).detach().numpy(),
            _biases(inner, matrices),
        )
        self._embedded = self._embedding.detach().numpy()
        self._last_norm = model.model.norm.weight.detach().numpy()
        self._numbers = self._heads, np.float32(self._eps), np.float32(self._scale)
        # The tokens of a drafter's output layer, and the size of the vocabulary that its logits are spread over.
        self.draft_vocabulary: tuple[np.ndarray, int] = np.empty(0, np.int64), 0

    def tune(self) -> None:
        """Choose how the products read their matrices; see `tuning`."""
        kinds: dict[str, list[Matrix]] = {}
        positions = [(self._weights, each) for each in self._arrays[0].reshape(-1, WIDTH)]
        for weights, position in [*positions, (self._head_weights, self._head_matrix)]:
            kind = weights[position[4]].dtype
            name = "+".join(kind.names) if kind.names else kind.name
            kinds.setdefault(f"{processor()}, {name}", []).append((weights, position))
        for key, matrices in kinds.items():
            most_rows = self._kernels.ROWS if "+" in key else self._kernels.GROUP
            tune(self._kernels.multiply_all, matrices, most_rows, Path(self._kernels.CACHE_FOLDER), key)

    def embedded(self, tokens: list[int]) -> torch.Tensor:
        """Return the stream of n tokens before the first layer; in numpy, which takes a quarter of what torch takes."""
        return torch.from_numpy(self._embedded[tokens])

    def run_from(
        self,
        slots: Slots,
        stream: torch.Tensor,
        positions: list[int],
        mask: torch.Tensor | None,
        rows: list[int],
        joining: Joining | None = None,
    ) -> torch.Tensor:
        """Read n tokens; see `LeanPass.run_from`. What goes into the first layer is overwritten.

        Args:
            joining: makes what goes into the first layer of a drafter; see `compiled.run_pass`.
        """
        start, end = slots.length, slots.length + len(positions)
        slots.make_room(end)
        features, tapped = slots.features[start:end], dict[int, torch.Tensor]()
        logits = self._room_for_logits(len(rows))
        tokens, vocab_size = self.draft_vocabulary
        spread = np.full((len(rows) if len(tokens) else 0, vocab_size), -np.inf, np.float32)
        of_rows = self._last_norm, features.numpy(), *self._output_layer(), logits.numpy(), tokens, spread
        ending = np.array(rows, np.int64), *of_rows
        for first, behind in pairwise(sorted({0, *self.taps, self.num_layers})):
            if first in self.taps:
                tapped[first] = stream.clone()
            is_last = behind == self.num_layers
            self._run(first, behind, slots, start, stream, positions, mask, joining, ending if is_last else None)
            joining = None
        if self.taps:
            tapped[self.num_layers] = stream
            slots.tapped[start:end] = torch.cat([tapped[depth] for depth in self.taps], 1)
        slots.length = end
        return torch.from_numpy(spread) if len(tokens) else self._logits(logits)

    def run_batch(self, pool: SlotPool, parts: Sequence[Part]) -> list[torch.Tensor]:
        """Read tokens of several sequences in one pass; see `LeanPass.run_batch`."""
        stream = self.embedded([token for part in parts for token in part.tokens])
        starts, counts = [part.slots.length for part in parts], [len(part.tokens) for part in parts]
        pool.make_room(max(map(add, starts, counts)))
        masks = [
            causal_mask(start, count, stream) if part.mask is None else part.mask
            for part, start, count in zip(parts, starts, counts, strict=True)
        ]
        self._run_layers(
            (0, self.num_layers),
            stream,
            pool.filled.numpy(),
            [*(part.slots.index for part in parts), *starts, *counts],
            [position for part in parts for position in part.positions],
            torch.cat([mask.flatten() for mask in masks]).numpy(),
        )
        features = torch.empty_like(stream)
        self._kernels.normalise(stream.numpy(), self._last_norm, self._numbers[1], features.numpy())
        return split_rows(parts, features, self._scores)

    def logits(self, stream: torch.Tensor) -> torch.Tensor:
        """Return the last norm and the head, behind whatever layer: (n, width) to (n, V)."""
        features = torch.empty_like(stream)
        self._kernels.normalise(stream.contiguous().numpy(), self._last_norm, self._numbers[1], features.numpy())
        return self._scores(features)

    def stream(
        self, slots: Slots, start: int, tokens: list[int], positions: list[int], mask: torch.Tensor | None, depth: int
    ) -> torch.Tensor:
        """Return the stream of n tokens behind the first `depth` layers; see `LeanPass.stream`."""
        stream = self.embedded(tokens)
        slots.make_room(start + len(positions))
        self._run(0, depth, slots, start, stream, positions, mask)
        return stream

    def through(
        self,
        slots: Slots,
        start: int,
        stream: torch.Tensor,
        positions: list[int],
        mask: torch.Tensor | None,
        depth: int,
    ) -> Iterator[torch.Tensor]:
        """Yield the stream of n tokens after each of these layers; see `LeanPass.through`."""
        slots.make_room(start + len(positions))
        for layer in range(depth):
            stream = stream.clone()
            self._run(layer, layer + 1, slots, start, stream, positions, mask)
            yield stream

    def _run(
        self,
        first: int,
        end: int,
        slots: Slots,
        start: int,
        stream: torch.Tensor,
        positions: list[int],
        mask: torch.Tensor | None,
        joining: Joining | None = None,
        ending: Ending | None = None,
    ) -> None:
        masks = _EMPTY if mask is None else mask.numpy().ravel()
        sequence = [0, start, len(positions)]
        self._run_layers((first, end), stream, slots.filled.numpy()[None], sequence, positions, masks, joining, ending)

    def _run_layers(
        self,
        layers: tuple[int, int],
        stream: torch.Tensor,
        filled: np.ndarray,
        sequences: list[int],
        positions: list[int],
        masks: np.ndarray,
        joining: Joining | None = None,
        ending: Ending | None = None,
    ) -> None:
        """Run the compiled layers, and what is before and behind them; see `compiled.run_pass`."""
        self._make_turns(positions)
        model = self._weights, *self._arrays, self._turns.numpy(), *self._numbers
        qkv, _, gate_up, down = self._arrays[0][0]
        widths = qkv[2], self._heads * self._size, gate_up[2], down[1]
        shared = tuple(np.empty((len(stream), width), np.float32) for width in widths)
        given, numbers = stream.numpy(), np.array([*sequences, *positions])
        joining = joining or (given[:0], numbers[:0], given[:0], given[:0], given[:0], self._weights, qkv)
        none = numbers[:0], given[:0]
        ending = ending or (none[0], self._last_norm, none[1], *self._output_layer(), none[1], *none)
        team.run(
            self._kernels.run_pass, team.number, layers, joining, given, model, filled, numbers, masks, shared, ending
        )

    def _output_layer(self) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
        """Return the arrays of the output layer's weights, and where its matrix is in them."""
        return self._head_weights, self._head_matrix

    def _room_for_logits(self, num_rows: int) -> torch.Tensor:
        """(n, V), and a part of a vector more"""
        return torch.empty(num_rows, int(self._head_matrix[2]), dtype=torch.float32, device="cpu")

    def _scores(self, features: torch.Tensor) -> torch.Tensor:
        """(n, width) to (n, V)"""
        logits = self._room_for_logits(len(features))
        arguments = features.numpy(), *self._output_layer(), logits.numpy()
        team.run(self._kernels.score_features, team.number, *arguments)
        return self._logits(logits)

    def _logits(self, logits: torch.Tensor) -> torch.Tensor:
        """Return what the output layer computed, with its bias. (n, V)"""
        logits = logits[:, : len(self._embedding)]
        return logits if self._head_bias is None else logits + self._head_bias

    def _lay_out(self, linears: list[Linears]) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
        """Return all matrices in one array, in the order of reading, and where each is; see `compiled`."""
        block, kind = self._kernels.BLOCK, np.dtype(np.int16 if self.is_halved else np.float32)
        sizes = [(sum(each.out_features for each in joined), joined[0].in_features) for joined in linears]
        lengths = [-(-outputs // block) * block * inputs for outputs, inputs in sizes]
        weights, matrices = empty_records(kind, sum(lengths)), []
        for start, length, joined in zip(np.cumsum([0, *lengths]), lengths, linears, strict=False):
            weight, power = torch.cat([each.weight.detach() for each in joined]), 0
            if self.is_halved:
                weight, power = float16_and_power(weight)
            inputs = weight.shape[1]
            weights[start : start + length] = in_steps(weight.numpy().view(kind)).ravel()
            matrices.append((start, inputs, length // inputs, power, 0, AHEAD, self._kernels.GROUP))
        return (weights[: sum(lengths)],), np.array(matrices)


def _biases(linears: list[Linears], matrices: np.ndarray) -> np.ndarray:
    """(layers, 4, outputs), or of no size where the model has none."""
    table = np.zeros((len(linears), int(matrices[..., 2].max())), np.float32)
    has_biases = [joined[0].bias is not None for joined in linears]
    if not any(has_biases):
        return np.empty((0, 0, 0), np.float32)
    for row, joined, has_bias in zip(table, linears, has_biases, strict=True):
        if has_bias:
            bias = torch.cat([each.bias.detach() for each in joined])
            row[: len(bias)] = bias.numpy()
    return table.reshape(-1, 4, table.shape[1])
