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

from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from playground.makers.training.beside import TEXTS, Beside, Weights
from playground.makers.training.features import Features, features_of
from playground.makers.training.loop import Trainable
from playground.makers.training.network import NORM_EPS, ROPE_THETA, Attention, Layer, Network, Shape, rotation
from playground.makers.training.run import CONTEXTS, Kind, Run
from playground.makers.training.text.corpus import even_windows
from playground.models.bundled import BLOCK as NAME
from playground.models.drafters.block import CONFIG, WEIGHTS

SHAPE: dict[str, Any] = {"layers": 2, "feed_forward": 256}  # width and heads are the target's
OWN = ("layers", "heads", "feed_forward", "positions", "rank")  # The rest of its shape is the target's.
LATER = 0.8  # weight of a row, relative to the one before
ANCHORS = 32  # A window has so many in one step.
STRIDE = 8  # positions from one measured anchor to the next
MEASURED = {"base": "without the bias", "with_bias": "with the bias", "confidence": "predicted by the confidence"}


@dataclass(frozen=True, slots=True)
class BlockShape(Shape):
    """Size of a block drafter: of its decoder layers, and of what it adds to them."""

    positions: int = 8  # K, rows of one call
    rank: int = 32  # It is the Markov bias's.


class BlockNetwork(Beside):
    """From features, tokens and anchors to K predicted features after each anchor, without the target's embedding."""

    name, files = NAME, (CONFIG, WEIGHTS)

    def __init__(self, shape: BlockShape, *, seed: int = 0, norm: torch.Tensor | None = None) -> None:
        """Begin a block drafter.

        Args:
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
        """Predicted features after some anchors. (n, A, K, width)

        Args:
            embedded: (n, T, width), the tokens' embeddings.
            features: (n, T, width), the target's at the same positions.
            anchors: (A,), their positions, the same in every window.
        """
        windows, length, width = embedded.shape
        before = functional.pad(features[:, :-1], [0, 0, 1, 0])  # A position reads the feature of the one before.
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

    def with_bias(self, logits: torch.Tensor, before: torch.Tensor) -> torch.Tensor:
        """Add the Markov bias of the tokens before to logits; none to row 0, which has read its own.

        Args:
            logits: (n, A, K, V).
            before: (n, A, K), the token before each row's.
        """
        bias = self.later(self.earlier(before[..., 1:]))  # (n, A, K - 1, V)
        return torch.cat([logits[..., :1, :], logits[..., 1:, :] + bias], -2)

    @classmethod
    def of_config(cls, config: dict[str, Any], target: Network, weights: Weights) -> BlockNetwork:
        """Return a block drafter for the weights in a file."""
        shape = {"width": target.shape.width, "vocab": target.shape.vocab, "tied": target.shape.tied}
        return cls(BlockShape(**shape, **{name: config[name] for name in OWN}))

    @staticmethod
    def config_of(state: dict[str, Any]) -> dict[str, Any]:
        """Return what the file says."""
        return {name: state["shape"][name] for name in OWN} | {"norm_eps": NORM_EPS, "rope_theta": ROPE_THETA}

    def measure(self, target: Network, *texts: torch.Tensor) -> dict[str, Any]:
        """Return the acceptance by position on each text."""
        return {name: accepted_by_position(target, self, text) for name, text in zip(TEXTS, texts, strict=True)}

    @staticmethod
    def figures(run: dict[str, Any], numbers: dict[str, Any], evaluation: dict[str, Any]) -> dict[str, Any]:
        """Return what only a block drafter's card says."""
        return {"rows": positions_table(numbers)}


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
    last_seen = torch.where(block < 0, at, block)  # Rows of a block see the text up to their anchor.
    is_text = block < 0
    seen = (is_text[None] & (at[None] <= last_seen[:, None])) | (
        ~is_text[None] & (block[None] == block[:, None]) & (at[None] <= at[:, None])
    )
    return torch.zeros(seen.shape).masked_fill(~seen, -torch.inf), at


def divergence(teacher: Network, read: Features, block: BlockNetwork, numbers: torch.Tensor) -> torch.Tensor:
    """KL(p || q) in nats, averaged over the rows, without and with the bias; plus the confidence's cross-entropy.

    A row weighs 0.8 of the one before. The confidence is trained on the acceptance sum min(p, q) of its row with the
    bias; its gradient reaches no other weight. Anchors are drawn by the number of the first window, (n,).
    """
    features, tokens = read.of(numbers), read.tokens[numbers]
    draws = torch.Generator().manual_seed(int(numbers[0]))
    size = block.shape.positions
    anchors = torch.randperm(features.shape[1] - size, generator=draws)[:ANCHORS].sort().values
    positions = anchors[:, None] + torch.arange(size)  # (A, K)
    weight = teacher.lm_head.weight.detach()
    with torch.no_grad():
        target_probs = torch.softmax(functional.linear(features[:, positions], weight).float(), -1)  # (n, A, K, V)
        entropies = torch.special.entr(target_probs).sum(-1)  # (n, A, K)
    predicted = block(teacher.model.embed_tokens(tokens[:, :-1]).detach(), features, anchors)
    logits = functional.linear(predicted, weight)
    weights = LATER ** torch.arange(size)
    total, overlap = torch.zeros(()), None
    for each in (logits, block.with_bias(logits, tokens[:, positions])):
        log_probs = torch.log_softmax(each.float(), -1)
        cross_entropies = -(target_probs * log_probs).sum(-1)  # (n, A, K)
        total = total + ((cross_entropies - entropies) * weights).sum(-1).mean() / weights.sum() / 2
        with torch.no_grad():
            overlap = torch.minimum(target_probs, log_probs.exp()).sum(-1).clamp(0, 1)
    confidences = block.confidence(predicted.detach())[..., 0].float()
    return total + functional.binary_cross_entropy_with_logits(confidences, overlap)


def _make(run: Run) -> Trainable[BlockNetwork]:
    """Return a block drafter; the features of `num_tokens` of the corpus are read again and again."""
    corpus, target = run.corpus(), run.teacher()
    features = features_of(run, target, corpus.train)
    shape = run.shape(BlockShape(**asdict(target.shape) | SHAPE))
    contexts = even_windows(corpus.held_out, *CONTEXTS)

    def measure(block: BlockNetwork) -> dict[str, float]:
        accepted = accepted_by_position(target, block, contexts)
        return {f"{kind}_{index}": rate for kind, rates in accepted.items() for index, rate in enumerate(rates, 1)}

    return Trainable(
        run.about,
        network=lambda seed: BlockNetwork(shape, seed=seed, norm=target.model.norm.weight),
        read=lambda plan: partial(features.order, seed=plan.seed),
        objective=partial(divergence, target, features),
        measure=measure,
        plan=features.plan,
    )


BLOCK = Kind("block", {"teacher": "target", "source": "corpus", "num_tokens": "262144"}, _make)


@torch.inference_mode()
def accepted_by_position(teacher: Network, block: BlockNetwork, tokens: torch.Tensor) -> dict[str, list[float]]:
    """Return acceptance of each drafted position by speculative sampling at temperature 1, exactly.

    The mean of sum min(p, q) over anchors of (n, T) tokens, those before each position being the text's.

    Returns:
        `base`, without the Markov bias, and `with_bias`; `confidence`, predicted of the latter. (K,) each
    """
    sums = {name: torch.zeros(block.shape.positions) for name in MEASURED}
    anchors = torch.arange(STRIDE, tokens.shape[1] - block.shape.positions, STRIDE)
    positions = anchors[:, None] + torch.arange(block.shape.positions)
    for window in tokens.split(4):
        features = teacher.model(window)
        predicted = block(teacher.model.embed_tokens(window), features, anchors)
        target_probs = torch.softmax(teacher.lm_head(features[:, positions]).float(), -1)
        logits = teacher.lm_head(predicted)
        for name, each in (("base", logits), ("with_bias", block.with_bias(logits, window[:, positions]))):
            overlap = torch.minimum(target_probs, torch.softmax(each.float(), -1)).sum(-1)  # (n, A, K)
            sums[name] += overlap.mean(1).sum(0)
        sums["confidence"] += torch.sigmoid(block.confidence(predicted)[..., 0].float()).mean(1).sum(0)
    return {name: (each / len(tokens)).tolist() for name, each in sums.items()}


def positions_table(measured: dict[str, Any]) -> str:
    """Return acceptance at temperature 1 by position: without and with the Markov bias, and as predicted."""
    count = len(measured[TEXTS[0]]["base"])
    rows = [f"| contexts | {' | '.join(map(str, range(1, count + 1)))} |\n", f"|{' --- |' * (count + 1)}\n"]
    for where, text in zip(TEXTS, ("the held-out text", "text written by the target"), strict=True):
        for name, kind in MEASURED.items():
            rates = " | ".join(f"{rate:.3f}" for rate in measured[where][name])
            rows.append(f"| {text}, {kind} | {rates} |\n")
    return "".join(rows)
