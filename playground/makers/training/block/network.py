"""A block drafter as it trains: K rows of q after an anchor, from one call.

It reads the text as a head does, the embedding of each token with the target's feature at the position before. After
the anchor come K - 1 *mask positions*, each with a learned vector in place of a token. Row 0 is that of the anchor, row
j that of mask position j; the target's output layer turns each into logits of the token j + 1 positions after the
anchor. The tokens between are not known, so the rows are marginal distributions.

          target's features   f0   f1   f2
          tokens                   x1   x2   x3   m1   m2
    anchor x3, K = 3                        |    |    |
                                           q0   q1   q2      of x4, x5, x6

Two additions make up for that. The *Markov bias* of a row, later(earlier(x)) of low rank, depends on the token x before
it: it is added once that token is drafted, and takes no call. The *confidence* of a row is its predicted acceptance
probability, computed from the row's own stream before any token is drafted.

Papers: DFlash, arXiv 2602.06036: mask positions that read the target's features, in one call. DSpark, arXiv 2607.05147:
the Markov bias and the confidence. Differs from the papers: a mask position attends to those before it only, so that
the pass is causal; the confidence reads no drafted token; there are two layers.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn

from playground.makers.training.network import NORM_EPS, Attention, Layer, Shape, Trained, rotation


@dataclass(frozen=True, slots=True)
class BlockShape(Shape):
    """Size of a block drafter: of its decoder layers, and of what it adds to them.

    Attributes:
        positions: K, rows of one call.
        rank: of the Markov bias.
    """

    positions: int = 8
    rank: int = 32


class BlockNetwork(Trained):
    """From features, tokens and anchors to K predicted features after each anchor, without the target's embedding."""

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
        zeros = ("o_proj.weight", "down_proj.weight", "later.weight", "confidence.weight", "confidence.bias")
        self.initialise(seed, zeros)
        with torch.no_grad():
            if norm is not None:
                self.norm.weight.copy_(norm)

    def forward(self, embedded: torch.Tensor, features: torch.Tensor, anchors: torch.Tensor) -> torch.Tensor:
        """Predicted features after some anchors.

        Args:
            embedded: (n, T, width), the tokens' embeddings.
            features: (n, T, width), the target's at the same positions.
            anchors: (A,), their positions, the same in every window.

        Returns:
            (n, A, K, width)
        """
        windows, length, width = embedded.shape
        before = nn.functional.pad(features[:, :-1], [0, 0, 1, 0])  # of the position before
        text = self.fuse(torch.cat([self.token_norm(embedded), self.feature_norm(before)], -1))
        masked = self.masks.to(text.dtype).expand(windows, len(anchors), -1, -1)
        stream = torch.cat([text, masked.flatten(1, 2)], 1)  # (n, T + A (K - 1), width)
        mask, positions = attention_mask(length, anchors, self.shape.positions)
        cos, sin = rotation(length + self.shape.positions, self.shape.width // self.shape.heads)
        turned = (cos[positions].to(stream.dtype), sin[positions].to(stream.dtype), mask.to(stream.dtype))
        for layer in self.layers:
            stream = layer(stream, *turned)
        behind = stream[:, length:].view(windows, len(anchors), -1, width)
        rows = torch.cat([stream[:, anchors, None], behind], 2)  # (n, A, K, width)
        return self.norm(rows)

    def bias(self, before: torch.Tensor) -> torch.Tensor:
        """Markov bias of the row after each token: (...) to (..., V)."""
        return self.later(self.earlier(before))


def attention_mask(length: int, anchors: torch.Tensor, positions: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Attention mask over a window and the mask positions after its anchors, and the position of each.

    Args:
        length: T, tokens of the window.
        anchors: (A,) positions, each followed by K - 1 mask positions.
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
