"""A Llama-shaped language model as it trains: whole windows, no cache, few operations.

Its parameters bear the names that transformers gives them, so a trained network becomes a `LlamaForCausalLM` by saving
them. transformers' own network, in the same loop on one thread of a CPU, takes 1.2 to 1.7 times as long a step (4
layers of width 160, windows of 256 tokens; with the fused kernel of attention the least), and its other order of
operations gives other weights from the same seed. The head trains on the layers of this one.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from playground.errors import PlaygroundError

ROPE_THETA = 10_000.0
NORM_EPS = 1e-5


@dataclass(frozen=True, slots=True)
class Shape:
    """The size of a network.

    Raises:
        PlaygroundError: if no network has this shape.
    """

    layers: int
    width: int
    heads: int
    feed_forward: int
    vocab: int = 4096
    tied: bool = True  # whether the output layer is the embedding itself
    groups: int | None = None  # heads of keys and values; None: the number of query heads
    rope_theta: float = ROPE_THETA  # base of the rotary positions

    def __post_init__(self) -> None:
        if min(self.layers, self.width, self.heads, self.feed_forward) < 1 or self.width % (2 * self.heads):
            raise PlaygroundError(f"A network of {self} cannot be. The width must be an even number per head.")
        if self.heads % (self.groups or self.heads):
            raise PlaygroundError(f"{self.heads} heads do not share {self.groups} heads of keys. Choose a divisor.")

    def __str__(self) -> str:
        tied = "tied" if self.tied else "untied"
        return (
            f"{self.layers} layers, width {self.width}, {self.heads} heads, feed-forward {self.feed_forward}, "
            f"vocabulary {self.vocab}, {tied}"
        )


class Trained(nn.Module):
    """A network that the training loop trains."""

    shape: Shape

    @property
    def num_parameters(self) -> int:
        """Weights, those of a tied output layer counted once."""
        return sum(weight.numel() for weight in self.parameters())

    @torch.no_grad()
    def initialise(self, seed: int, zeros: tuple[str, ...]) -> None:
        """Draw random matrices by a seed; weights whose names end with one of `zeros` are zero.

        Blocks begin as the identity where what writes into the residual stream is zero.
        """
        generator = torch.Generator().manual_seed(seed)
        for name, weight in self.named_parameters():
            if name.endswith(zeros):
                weight.zero_()
            elif name == "model.embed_tokens.weight":
                weight.normal_(std=0.02 if self.shape.tied else 1.0, generator=generator)
            elif weight.dim() == 2:
                weight.normal_(std=weight.shape[1] ** -0.5, generator=generator)


class Network(Trained):
    """Token windows to next-token logits."""

    def __init__(self, shape: Shape, *, seed: int = 0) -> None:
        super().__init__()
        self.shape = shape
        self.model = _Trunk(shape)
        self.lm_head = nn.Linear(shape.width, shape.vocab, bias=False)
        if shape.tied:
            self.lm_head.weight = self.model.embed_tokens.weight
        self.initialise(seed, ("o_proj.weight", "down_proj.weight", "lm_head.weight"))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Logits at every position of a batch of windows: (windows, T) to (windows, T, V)."""
        return self.lm_head(self.model(tokens))

    def compile_layers(self) -> None:
        """Let torch fuse the operations of a layer. In place: weights keep their names; one compilation serves all."""
        for layer in self.model.layers:
            layer.compile(dynamic=False)


class _Trunk(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.embed_tokens = nn.Embedding(shape.vocab, shape.width)
        self.layers = nn.ModuleList(Layer(shape, Attention(shape)) for _ in range(shape.layers))
        self.norm = nn.RMSNorm(shape.width, NORM_EPS)
        self.shape = shape

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.norm(deque(self.streams(tokens), maxlen=1).pop())

    def streams(self, tokens: torch.Tensor) -> Iterator[torch.Tensor]:
        """Yield the stream after each layer, without the last norm: (windows, T) to (windows, T, width) each."""
        length = tokens.shape[1]
        cos, sin = rotation(length, self.shape.width // self.shape.heads, self.shape.rope_theta)
        mask = torch.full((length, length), -torch.inf).triu(1)
        stream = self.embed_tokens(tokens)  # (windows, T, width)
        if torch.is_autocast_enabled("cpu"):
            low = torch.get_autocast_dtype("cpu")
            cos, sin, mask = cos.to(low), sin.to(low), mask.to(low)
        for layer in self.layers:
            stream = layer(stream, cos, sin, mask)
            yield stream


class Layer(nn.Module):
    """A decoder layer. Further inputs of its attention are passed through."""

    def __init__(self, shape: Shape, attention: nn.Module) -> None:
        super().__init__()
        self.self_attn = attention
        self.mlp = FeedForward(shape)
        self.input_layernorm = nn.RMSNorm(shape.width, NORM_EPS)
        self.post_attention_layernorm = nn.RMSNorm(shape.width, NORM_EPS)

    def forward(self, stream: torch.Tensor, *attention_inputs: Any) -> torch.Tensor:
        """(windows, T, width) to the same."""
        stream = stream + self.self_attn(self.input_layernorm(stream), *attention_inputs)
        return stream + self.mlp(self.post_attention_layernorm(stream))


class Attention(nn.Module):
    """Attention with rotary positions, under the mask that it is given."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.heads, groups = shape.heads, shape.groups or shape.heads
        self.sharing = shape.heads // groups  # heads of queries for one of keys
        width, narrow = shape.width, shape.width // self.sharing
        self.q_proj, self.k_proj, self.v_proj, self.o_proj = (
            nn.Linear(width, outputs, bias=False) for outputs in (width, narrow, narrow, width)
        )

    def forward(self, x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """(windows, T, width) to the same; mask (T, T) is added to the scores."""
        windows, length, width = x.shape
        q, k, v = (
            project(x).view(windows, length, -1, width // self.heads).transpose(1, 2)  # (windows, H or G, T, D)
            for project in (self.q_proj, self.k_proj, self.v_proj)
        )
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        if self.sharing > 1:
            k, v = (each.repeat_interleave(self.sharing, 1) for each in (k, v))
        scores = (q * q.shape[-1] ** -0.5) @ k.transpose(-1, -2) + mask  # (windows, H, T, T)
        mixed = torch.softmax(scores, -1) @ v
        return self.o_proj(mixed.transpose(1, 2).reshape(windows, length, width))


class FeedForward(nn.Module):
    """The gated SiLU network of a layer."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(shape.width, shape.feed_forward, bias=False)
        self.up_proj = nn.Linear(shape.width, shape.feed_forward, bias=False)
        self.down_proj = nn.Linear(shape.feed_forward, shape.width, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(..., width) to the same."""
        return self.down_proj(functional.silu(self.gate_proj(x)) * self.up_proj(x))


def rotation(length: int, head_size: int, theta: float = ROPE_THETA) -> tuple[torch.Tensor, torch.Tensor]:
    """Cosine and sine of every position and frequency, (T, D), as rotary embeddings turn queries and keys."""
    frequencies = theta ** -(torch.arange(0, head_size, 2).float() / head_size)
    angles = torch.outer(torch.arange(length).float(), frequencies).repeat(1, 2)
    return angles.cos(), angles.sin()


def rotate(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """Heads (..., T, D) turned by these."""
    first, second = x.chunk(2, -1)
    return x * cos + torch.cat([-second, first], -1) * sin
