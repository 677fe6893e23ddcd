"""A drafting head as it trains: one decoder layer over the token that came and what the target made of the one before.

A *feature* is what the target's last norm hands to its output layer. The head reads, at every place t, the embedding of
token t and the feature of place t - 1, and answers with a guess at the feature of place t; the target's own output
layer makes that into the distribution of token t + 1. Drafting on, the head takes its own guess for the feature that
the target has not made yet. So it is trained as it is used: in step 0 every feature is the target's, in step j the last
j of them are the head's guesses of the steps before, and a query sees the keys of the step that each token had.

          target's features   f0   f1   f2   f3
          tokens                   x1   x2   x3   x4
    step 0 at 4:  (x4, f3) -> g4           sees keys of step 0 up to 4
    step 1 at 4:  (x4, g3) -> g4'          g3 from step 0; sees keys of step 0 up to 3, and its own

Papers: Li et al. 2024, EAGLE, arXiv 2401.15077: features and the shifted token. Zhang et al. 2024, HASS, arXiv
2408.15766, and Li et al. 2025, EAGLE-3, arXiv 2503.01840: training on the head's own guesses, step by step.
Zhao et al. 2025, FR-Spec, arXiv 2502.14856: the draft vocabulary.
Differs from the papers: a norm before each of the two inputs (EAGLE-3 has it, EAGLE has none) and one behind the layer,
which begins as the target's last norm.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn import functional

from playground.makers.training.network import NORM_EPS, Layer, Shape, Trained, rotate, rotation
from playground.models.drafters.head import VOCABULARY

STREAM = 30  # a real target's last layer writes to a stream so many times as large as the one that begins here
Keys = tuple[torch.Tensor, torch.Tensor]  # keys and values of one step, (n, H, T, D) each


class HeadNetwork(Trained):
    """Features and tokens to guessed features. The target's embedding is given, not trained, and not kept.

    Attributes:
        draft_vocabulary: (K,) tokens that it drafts; none where it drafts all.
    """

    draft_vocabulary: torch.Tensor

    def __init__(
        self, shape: Shape, *, seed: int = 0, norm: torch.Tensor | None = None, tokens: torch.Tensor | None = None
    ) -> None:
        """Begin a head.

        Args:
            shape: of its layer; width and heads are the target's.
            seed: of the weights.
            norm: of the target's last norm, (width,), with which the head's own begins.
            tokens: (K,) its draft vocabulary; None: all tokens.
        """
        super().__init__()
        self.shape = shape
        width = shape.width
        self.token_norm = nn.RMSNorm(width, NORM_EPS)
        self.feature_norm = nn.RMSNorm(width, NORM_EPS)
        self.fuse = nn.Linear(2 * width, width, bias=False)
        self.layer = Layer(shape, _Attention(shape))
        self.norm = nn.RMSNorm(width, NORM_EPS)
        self.initialise(seed, ("o_proj.weight", "down_proj.weight"))
        with torch.no_grad():
            if norm is not None:
                self.norm.weight.copy_(norm)
        if tokens is not None:
            self.register_buffer(VOCABULARY, tokens.int())

    @torch.no_grad()
    def begin_as(self, layer: Any) -> None:
        """Copy a layer of the target, its keys and values repeated for each query head."""
        sharing = layer.self_attn.sharing
        weights = {name: each.clone() for name, each in layer.state_dict().items()}
        for name in ("self_attn.k_proj.weight", "self_attn.v_proj.weight"):
            groups = weights[name].unflatten(0, (self.shape.heads // sharing, -1))  # (G, D, width)
            weights[name] = groups.repeat_interleave(sharing, 0).flatten(0, 1)
        for name in ("self_attn.o_proj.weight", "mlp.down_proj.weight"):
            weights[name] /= STREAM
        self.layer.load_state_dict(weights)

    def rows(self, output: torch.Tensor) -> torch.Tensor:
        """Return the rows of the target's output layer for the tokens that it drafts. (V, width) to (K, width)"""
        return output[self.draft_vocabulary.long()] if hasattr(self, VOCABULARY) else output

    def forward(self, embedded: torch.Tensor, features: torch.Tensor, steps: int) -> list[torch.Tensor]:
        """Return the guesses of every step.

        Args:
            embedded: (n, T, width), the tokens' embeddings.
            features: (n, T, width), the target's at the same places.
            steps: how many; step j says nothing at the first j places.

        Returns:
            `steps` tensors (n, T, width).
        """
        length = embedded.shape[1]
        cos, sin = rotation(length, self.shape.width // self.shape.heads, self.shape.rope_theta)
        tokens, guesses = self.token_norm(embedded), []
        caches: list[Keys] = []
        for _ in range(steps):
            before = _later(guesses[-1] if guesses else features, 2, 1)  # of the place before
            stream = self.fuse(torch.cat([tokens, self.feature_norm(before)], -1))
            stream = self.layer(stream, cos.to(stream.dtype), sin.to(stream.dtype), caches)
            guesses.append(self.norm(stream))
        return guesses


class _Attention(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.heads = shape.heads
        self.q_proj, self.k_proj, self.v_proj, self.o_proj = (
            nn.Linear(shape.width, shape.width, bias=False) for _ in range(4)
        )

    def forward(self, x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor, caches: list[Keys]) -> torch.Tensor:
        """Attend as a token does whose last few ancestors were read in the steps `kept`; its own keys are added."""
        windows, length, width = x.shape
        q, k, v = (
            project(x).view(windows, length, self.heads, -1).transpose(1, 2)  # (n, H, T, D)
            for project in (self.q_proj, self.k_proj, self.v_proj)
        )
        q, k = rotate(q * q.shape[-1] ** -0.5, cos, sin), rotate(k, cos, sin)
        caches.append((k, v))
        step = len(caches) - 1
        unseen = torch.full((length, length), -torch.inf, dtype=x.dtype).triu(1 - step)
        scores = [q @ caches[0][0].transpose(-1, -2) + unseen]  # (n, H, T, T): all that the target had read
        own = range(1, step + 1)
        scores += [(q * _later(caches[j][0], 2, step - j)).sum(-1, keepdim=True) for j in own]
        shares = torch.softmax(torch.cat(scores, -1), -1)
        mixed = shares[..., :length] @ caches[0][1]
        for j in own:
            mixed = mixed + shares[..., length + j - 1, None] * _later(caches[j][1], 2, step - j)
        return self.o_proj(mixed.transpose(1, 2).reshape(windows, length, width))


def _later(x: torch.Tensor, from_end: int, steps: int) -> torch.Tensor:
    """Return the values this many steps before, along the axis `from_end`th from the end; zeros at the start."""
    if not steps:
        return x
    length = x.shape[-from_end]
    return functional.pad(x.narrow(-from_end, 0, length - steps), [0, 0] * (from_end - 1) + [steps, 0])
