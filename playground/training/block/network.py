"""A block drafter as it trains: K rows of q behind a place, from one call.

It reads the text as a head does, the embedding of each token beside the target's feature of the place before, and
behind a place K - 1 *mask positions*, which have a learned vector each in place of a token. Row 0 is that of the place
itself, row j that of mask position j; through the target's output layer each is a distribution of the token that comes
j + 1 places on. Nothing is known of the tokens between, so the rows are marginal distributions.

          target's features   f0   f1   f2
          tokens                   x1   x2   x3   m1   m2
    anchor 3, K = 3                         |    |    |
                                           q0   q1   q2      of x4, x5, x6

Two additions bring back what the rows do not know. The *Markov bias* of a row is low-rank, later(earlier(x)) of the
token x before: it is there as soon as that token is drafted, and costs no call. The *confidence* of a row is the
acceptance that the row's own stream foretells: it is known before any token is drafted.

Papers: DFlash, arXiv 2602.06036: mask positions that read the target's features, in one call. DSpark, arXiv 2607.05147:
the Markov bias and the confidence. Differs from the papers: mask positions see those before them only, so that a pass
is a causal one; the layers are two.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn

from playground.training.network import NORM_EPS, Attention, Layer, Shape, Trained, rotation


@dataclass(frozen=True, slots=True)
class BlockShape(Shape):
    """The size of a block drafter; layers, width and the rest are those of its decoder layers.

    Attributes:
        positions: K, rows of one call.
        rank: of the Markov bias.
    """

    positions: int = 8
    rank: int = 32


class BlockNetwork(Trained):
    """Features, tokens and places to K guessed features behind each place. The target's embedding is not kept."""

    def __init__(self, shape: BlockShape, *, seed: int = 0, norm: torch.Tensor | None = None) -> None:
        """Begin a block drafter.

        Args:
            shape: of its layers; width and heads are the target's.
            seed: of the weights.
            norm: of the target's last norm, (width,), with which its own begins.
        """
        super().__init__()
        self.shape: BlockShape = shape  # pyright: ignore[reportIncompatibleVariableOverride]  two numbers more
        width = shape.width
        self.token_norm = nn.RMSNorm(width, NORM_EPS)
        self.feature_norm = nn.RMSNorm(width, NORM_EPS)
        self.fuse = nn.Linear(2 * width, width, bias=False)
        self.masks = nn.Parameter(torch.empty(shape.positions - 1, width))
        self.layers = nn.ModuleList(Layer(shape, Attention(shape)) for _ in range(shape.layers))
        self.norm = nn.RMSNorm(width, NORM_EPS)
        self.earlier = nn.Embedding(shape.vocab, shape.rank)
        self.later = nn.Linear(shape.rank, shape.vocab, bias=False)
        self.confidence = nn.Linear(width, 1)
        generator = torch.Generator().manual_seed(seed)
        with torch.no_grad():
            for name, weight in self.named_parameters():
                if name.endswith(("o_proj.weight", "down_proj.weight", "later.weight")) or name.startswith("confid"):
                    weight.zero_()
                elif weight.dim() == 2:
                    weight.normal_(std=weight.shape[1] ** -0.5, generator=generator)
            if norm is not None:
                self.norm.weight.copy_(norm)

    def compile_layers(self) -> None:
        """Let torch fuse the operations of what stands between tokens."""
        for layer in self.layers:
            assert isinstance(layer, Layer)
            layer.mlp.compile(dynamic=False)

    def forward(self, embedded: torch.Tensor, features: torch.Tensor, anchors: torch.Tensor) -> torch.Tensor:
        """The guesses behind some places.

        Args:
            embedded: (n, T, width), the tokens' embeddings.
            features: (n, T, width), the target's at the same places.
            anchors: (A,), the places, the same in every window.

        Returns:
            (n, A, K, width)
        """
        windows, length, width = embedded.shape
        before = nn.functional.pad(features[:, :-1], [0, 0, 1, 0])  # of the place before
        text = self.fuse(torch.cat([self.token_norm(embedded), self.feature_norm(before)], -1))
        masked = self.masks.to(text.dtype).expand(windows, len(anchors), -1, -1)
        stream = torch.cat([text, masked.flatten(1, 2)], 1)  # (n, T + A (K - 1), width)
        mask, positions = sight(length, anchors, self.shape.positions)
        cos, sin = rotation(length + self.shape.positions, self.shape.width // self.shape.heads)
        turned = (cos[positions].to(stream.dtype), sin[positions].to(stream.dtype), mask.to(stream.dtype))
        for layer in self.layers:
            stream = layer(stream, *turned)
        rows = torch.cat(
            [stream[:, anchors, None], stream[:, length:].view(windows, len(anchors), -1, width)],
            2,
        )
        return self.norm(rows)

    def bias(self, before: torch.Tensor) -> torch.Tensor:
        """The Markov bias of the tokens behind these: (...) to (..., V)."""
        return self.later(self.earlier(before))


def sight(length: int, anchors: torch.Tensor, positions: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Mask over a window and its mask positions, and the position of each.

    Args:
        length: T, tokens of the window.
        anchors: (A,) places behind which K - 1 mask positions stand each.
        positions: K.

    Returns:
        (S, S), to add to the scores, and (S,), with S = T + A (K - 1).
    """
    ahead = torch.arange(1, positions)
    at = torch.cat([torch.arange(length), (anchors[:, None] + ahead).flatten()])
    block = torch.cat([torch.full((length,), -1), anchors.repeat_interleave(positions - 1)])  # -1: of the text
    last_seen = torch.where(block < 0, at, block)  # of the text
    is_text = block < 0
    seen = (is_text[None] & (at[None] <= last_seen[:, None])) | (
        ~is_text[None] & (block[None] == block[:, None]) & (at[None] <= at[:, None])
    )
    return torch.zeros(seen.shape).masked_fill(~seen, -torch.inf), at
