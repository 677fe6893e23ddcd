"""One forward pass of a Llama-shaped model, in as few operations as torch has for it: some sixteen a layer.

A small model's pass is mostly the cost of calling operations, and a large one's mostly that of reading weights; so the
projections of queries, keys and values are one matrix, those of gate and up another, residuals are added inside the
matrix products (`products`), and keys and values are written in place into slots that are there already. It computes
what transformers' own pass computes; `loading` proves that for every model before this pass is used for it.

Llama-shaped are Llama, Qwen2, Qwen3, Mistral without a window, SmolLM2: RMSNorm before attention and before a gated
SiLU network, rotary positions, grouped heads, perhaps biases, perhaps a norm of queries and keys, perhaps one matrix
for embedding and output.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, Self

import torch
from torch.nn.functional import embedding, layer_norm, rms_norm, scaled_dot_product_attention, silu

from playground.models.passes.slots import BLOCK, Part, SlotPool, Slots, causal_mask, split_rows
from playground.models.passes.windows import shortest_window
from playground.models.products import FAMILIES, Product

Make = Callable[..., Any]  # It joins linear layers with the same inputs.
ROPES = ("default", "linear", "llama3", "yarn")  # Their frequencies do not change with the length of the text.


class Norm:
    """RMSNorm as the LayerNorm of (x, -x), whose mean is 0 and whose variance is the mean square of x.

    LayerNorm is one operation in torch; `rms_norm` becomes eight, and took a seventh of a small pass.
    """

    def __init__(self, weight: torch.Tensor, eps: float) -> None:
        self._weight = torch.cat([weight, torch.zeros_like(weight)])
        self._shape, self._eps = self._weight.shape, eps

    def of(self, stream: torch.Tensor) -> torch.Tensor:
        """(n, width) to (n, width)"""
        both = torch.cat([stream, -stream], 1)
        return layer_norm(both, self._shape, self._weight, None, self._eps)[:, : stream.shape[1]]


@dataclass(frozen=True, slots=True)
class _Layer:
    """The weights of one layer; `None` where the model has none."""

    attention_norm: Norm
    qkv: Product  # width to (H + 2 G) D: heads of queries, keys and values, one after the other
    head_norms: torch.Tensor | None  # (H + G, D)
    out: Product  # H D to width
    network_norm: Norm
    gate_up: Product  # width to 2 inner
    down: Product  # inner to width


class LeanPass:
    """The pass of one model.

    Attributes:
        name: what a trace calls it.
        num_layers: L.
        is_halved: whether its weights are held in 16 bits.
        taps: numbers of layers after which a drafter reads the hidden states; 0 is the embedding.

    Args:
        model: of transformers.
        make: makes the product with the joined matrices of some linear layers; None: by torch.
    """

    name, is_halved = "lean", False
    taps: tuple[int, ...] = ()

    def __init__(self, model: Any, *, make: Make | None = None) -> None:
        config, trunk = model.config, model.model
        self._embedding = self._table(trunk.embed_tokens)  # (V, width)
        make = make or _product
        self._head = make(model.lm_head)
        self._norm, self._eps = _norm(trunk.norm), trunk.norm.variance_epsilon
        first = trunk.layers[0].self_attn
        self._size = first.head_dim
        self._heads, self._groups = config.num_attention_heads, config.num_key_value_heads
        self._scale = first.scaling
        self._layers = [_read_layer(layer, make) for layer in trunk.layers]
        self.num_layers = len(self._layers)
        self._rotary = trunk.rotary_emb
        self._turns = self._turn_table(BLOCK)

    def _table(self, module: Any) -> torch.Tensor:
        """Return the embedding's rows. (V, width)"""
        return module.weight

    def slots(self) -> Slots:
        """Room for the keys and values of one tree."""
        return Slots(len(self._layers), self._groups, self._size, self._embedding, len(self.taps))

    def tapping(self, taps: tuple[int, ...]) -> Self:
        """Return the pass over the same weights that keeps the hidden states after these numbers of layers."""
        tapping = copy(self)
        tapping.taps = taps
        return tapping

    def run(
        self, slots: Slots, tokens: list[int], positions: list[int], mask: torch.Tensor | None, rows: list[int]
    ) -> torch.Tensor:
        """Read n tokens; see `ForwardPass.run`."""
        return self.run_from(slots, self.embedded(tokens), positions, mask, rows)

    def run_from(
        self, slots: Slots, stream: torch.Tensor, positions: list[int], mask: torch.Tensor | None, rows: list[int]
    ) -> torch.Tensor:
        """Logits of n tokens given by the inputs of the first layer. (n, width) to (len(rows), V)"""
        start, end = slots.length, slots.length + len(positions)
        streams = self.through(slots, start, stream, positions, mask, self.num_layers)
        if self.taps:
            streams = [stream, *streams]
            slots.tapped[start:end] = torch.cat([streams[depth] for depth in self.taps], 1)
        stream = last(streams)
        slots.length = end
        slots.features[start:end] = features = self._norm.of(stream)
        return self._head.of(features if len(rows) == len(positions) else features[rows])

    def logits(self, stream: torch.Tensor) -> torch.Tensor:
        """Return the last norm and the head, behind whatever layer: (n, width) to (n, V)."""
        return self._head.of(self._norm.of(stream))

    def embedded(self, tokens: list[int]) -> torch.Tensor:
        """(n, width)"""
        return embedding(torch.tensor(tokens, device=self._embedding.device), self._embedding)

    def stream(
        self, slots: Slots, start: int, tokens: list[int], positions: list[int], mask: torch.Tensor | None, depth: int
    ) -> torch.Tensor:
        """Hidden states of n tokens after the first `depth` layers, without the last norm. (n, width)

        Args:
            slots: keys and values; those of the tokens are written behind the first `start` of them.
            start: how many slots are seen.
            tokens, positions, mask: see `ForwardPass.run`.
            depth: how many layers run.
        """
        return last(self.through(slots, start, self.embedded(tokens), positions, mask, depth))

    def through(
        self,
        slots: Slots,
        start: int,
        stream: torch.Tensor,
        positions: list[int],
        mask: torch.Tensor | None,
        depth: int,
    ) -> Iterator[torch.Tensor]:
        """Hidden states after these layers of n tokens given by the inputs of the first layer. (n, width) each"""
        count = len(positions)
        end = start + count
        slots.make_room(end)
        if mask is None and count > 1 and start:
            mask = causal_mask(start, count, stream)
        turns, slot_range = self._turn(positions), slice(start, end)
        causal = mask is None and count > 1
        return self.layers(stream, turns, slots.filled[:depth], slot_range, end, mask, is_causal=causal)

    def layers(
        self,
        stream: torch.Tensor,
        turns: torch.Tensor,
        filled: torch.Tensor,
        slot_range: slice | torch.Tensor,
        end: int,
        mask: torch.Tensor | None,
        *,
        is_causal: bool = False,
    ) -> Iterator[torch.Tensor]:
        """Yield the first layers themselves, with everything they read in tensors. (n, width) after each

        Args:
            stream: (n, width) what goes into the first.
            turns: (2, n, H + 2 G, D) cosines and signed sines that rotate heads.
            filled: (layers, 2 G, slots, D) keys and values; as many layers run.
            slot_range: the slots of the tokens, which are written.
            end: how many slots are read, those that are written among them.
            mask: (n, end) to add to the scores; None where every token sees all, or, if `is_causal`, all before it.
        """
        heads, groups = self._heads, self._groups
        for layer, held in zip(self._layers, filled, strict=False):
            fused = self._turned_heads(layer, stream, turns)
            held[:, slot_range] = fused[heads:]
            keys, values = held[:groups, :end], held[groups:, :end]
            mixed = self._attend(fused[:heads], keys, values, mask, is_causal=is_causal)
            stream = self._behind_attention(layer, stream, mixed)
            yield stream

    def run_batch(self, pool: SlotPool, parts: Sequence[Part]) -> list[torch.Tensor]:
        """Read tokens of several sequences in one pass: products over all tokens, attention by sequence.

        Args:
            parts: tokens of each sequence; see `ForwardPass.run`.

        Returns:
            (len(part.rows), V) for each part.
        """
        stream = self.embedded([token for part in parts for token in part.tokens])
        turns = self._turn([position for part in parts for position in part.positions])
        counts, heads, groups = [len(part.tokens) for part in parts], self._heads, self._groups
        pool.make_room(max(part.slots.length + count for part, count in zip(parts, counts, strict=True)))
        masks = [
            causal_mask(part.slots.length, count, stream) if part.mask is None else part.mask
            for part, count in zip(parts, counts, strict=True)
        ]
        for layer_index, layer in enumerate(self._layers):
            fused = self._turned_heads(layer, stream, turns)
            mixed = []
            for part, mask, own in zip(parts, masks, fused.split(counts, 1), strict=True):
                held, end = part.slots.filled[layer_index], mask.shape[1]
                held[:, part.slots.length : end] = own[heads:]
                mixed.append(self._attend(own[:heads], held[:groups, :end], held[groups:, :end], mask))
            stream = self._behind_attention(layer, stream, torch.cat(mixed, 1))
        return split_rows(parts, self._norm.of(stream), self._head.of)

    def _turned_heads(self, layer: _Layer, stream: torch.Tensor, turns: torch.Tensor) -> torch.Tensor:
        """Heads of queries, keys and values, the first two turned by the tokens' positions. (H + 2 G, n, D)"""
        heads, groups, size, count = self._heads, self._groups, self._size, len(stream)
        fused = layer.qkv.of(layer.attention_norm.of(stream)).view(count, heads + 2 * groups, size)
        if layer.head_norms is not None:
            queries_keys = rms_norm(fused[:, : heads + groups], (size,), None, self._eps) * layer.head_norms
            fused = torch.cat([queries_keys, fused[:, heads + groups :]], 1)
        swapped = fused.view(count, -1, 2, size // 2).flip(2).view(fused.shape)
        return torch.addcmul(fused * turns[0], swapped, turns[1]).transpose(0, 1)

    def _attend(
        self,
        queries: torch.Tensor,
        keys: torch.Tensor,
        values: torch.Tensor,
        mask: torch.Tensor | None,
        *,
        is_causal: bool = False,
    ) -> torch.Tensor:
        """(H, n, D)"""
        grouped = self._heads != self._groups
        return scaled_dot_product_attention(
            queries[None],
            keys[None],
            values[None],
            attn_mask=mask,
            is_causal=is_causal,
            scale=self._scale,
            enable_gqa=grouped,
        )[0]

    def _behind_attention(self, layer: _Layer, stream: torch.Tensor, mixed: torch.Tensor) -> torch.Tensor:
        """Return the layer's output, from what attention has mixed, (H, n, D). (n, width)"""
        stream = layer.out.added(stream, mixed.transpose(0, 1).reshape(len(stream), self._heads * self._size))
        gate, up = layer.gate_up.of(layer.network_norm.of(stream)).chunk(2, -1)  # (n, inner) each
        return layer.down.added(stream, silu(gate).mul_(up))

    def _turn(self, positions: list[int]) -> torch.Tensor:
        """Return the cosines and signed sines that rotate heads; 1 and 0 for values. See `layers`."""
        self._make_turns(positions)
        return self._turns[:, positions]

    def _make_turns(self, positions: list[int]) -> None:
        """Grow the table so that it holds these positions."""
        if max(positions) >= self._turns.shape[1]:
            self._turns = self._turn_table(2 * max(positions))

    def _turn_table(self, length: int) -> torch.Tensor:
        """(2, length, H + 2 G, D)"""
        like = self._embedding
        cos, sin = self._rotary(like, torch.arange(length, device=like.device)[None])  # (1, length, D) each
        signs = torch.ones(self._size, dtype=like.dtype, device=like.device)
        signs[: self._size // 2] = -1  # the first half becomes a cos - b sin, the second b cos + a sin
        turned, unturned = self._heads + self._groups, self._groups
        table = like.new_empty(2, length, turned + unturned, self._size)
        table[0, :, :turned], table[1, :, :turned] = cos[0, :, None], (sin[0] * signs)[:, None]
        table[0, :, turned:], table[1, :, turned:] = 1, 0
        return table


def last(streams: Iterable[torch.Tensor]) -> torch.Tensor:
    """Output of the last of some layers. (n, width)"""
    return deque(streams, maxlen=1).pop()


def is_of_family(config: Any) -> bool:
    """Return whether a model with this configuration computes what this pass does."""
    rope = getattr(config, "rope_parameters", None) or {}
    return (
        config.model_type in FAMILIES
        and getattr(config, "hidden_act", None) == "silu"
        and rope.get("rope_type", "default") in ROPES
        and shortest_window(config) is None
    )


def is_llama_shaped(model: Any) -> bool:
    """Return whether this pass may be tried on a transformers model: plain weights of a known family."""
    weights = list(model.parameters())
    return (
        is_of_family(model.config)
        and len({(weight.device, weight.dtype) for weight in weights}) == 1
        and weights[0].is_floating_point()
        and weights[0].device.type != "meta"  # accelerate may keep them elsewhere.
    )


def _norm(norm: Any) -> Norm:
    return Norm(norm.weight, norm.variance_epsilon)


def _read_layer(layer: Any, make: Make) -> _Layer:
    attention, network = layer.self_attn, layer.mlp
    norms = None
    if getattr(attention, "q_norm", None) is not None:
        num_keys = attention.k_proj.out_features // attention.head_dim
        num_queries = attention.q_proj.out_features // attention.head_dim
        norms = torch.cat(
            [attention.q_norm.weight.expand(num_queries, -1), attention.k_norm.weight.expand(num_keys, -1)]
        )
    return _Layer(
        attention_norm=_norm(layer.input_layernorm),
        qkv=make(attention.q_proj, attention.k_proj, attention.v_proj),
        head_norms=norms,
        out=make(attention.o_proj),
        network_norm=_norm(layer.post_attention_layernorm),
        gate_up=make(network.gate_proj, network.up_proj),
        down=make(network.down_proj),
    )


def _product(*linears: Any) -> Product:
    return Product(linears[0].weight, linears[0].bias) if len(linears) == 1 else Product(*_fused(*linears))


def _fused(*projections: Any) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Projections of one input as one matrix, and their biases as one; the model itself keeps views of them."""
    weight = torch.cat([each.weight for each in projections])
    bias = torch.cat([each.bias for each in projections]) if projections[0].bias is not None else None
    begin = 0
    for each in projections:
        end = begin + len(each.weight)
        each.weight.data = weight[begin:end]
        if bias is not None:
            each.bias.data = bias[begin:end]
        begin = end
    return weight, bias
