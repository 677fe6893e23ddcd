"""Losses that align drafts: those of the AtSpeed paper and of those it compares with.

p is the target that teaches, q the draft that learns. A batch has two kinds of rows by turns: a history with the item
that followed it, and a history with one of the K items that the target would name. Every loss is

    alpha * alignment + (1 - alpha) * cross-entropy of the histories

where the alignment counts the tokens of the last item alone. All versions begin from one draft and see the same rows.

Paper: Lin et al. 2024, arXiv 2410.05165, equations 4 and 8. Differs from the paper: one of the K sequences is drawn at
every step, which is the mean over them, where equation 4 has the sum, so AtSpeed-S's alignment weighs K times less
here; equation 8 takes p and q over the K best valid tokens, AtSpeed-R here over all valid ones; the sequences are the
target's (its lambda is 1, as in its code); where tokens are restricted to valid ones, p and q are normalised on them,
as our decoding does; the cross-entropy counts all items of a history, as in the training of the target.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch.nn import functional

from playground.makers.recommender.examples import PAD, TOP
from playground.makers.training.network import Network

ALPHA = 0.5


def next_token(network: Network, batch: torch.Tensor) -> torch.Tensor:
    """Mean cross-entropy of every token of some windows, in nats: what the target and the first draft learn by.

    Args:
        batch: (n, T + 1) tokens, filled up with `<pad>`.
    """
    logits = network(batch[:, :-1]).float()  # (n, T, V)
    return functional.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten(), ignore_index=PAD)


def next_item(network: Network, batch: torch.Tensor, length: int) -> torch.Tensor:
    """Mean cross-entropy of the tokens of the last items alone, in nats: what comes before them was learnt.

    Args:
        batch: (n, T + 1) histories with an item behind them, filled up with `<pad>`.
        length: tokens of an item.
    """
    last = batch[:, 1:].clone()  # (n, T)
    ends = (last != PAD).sum(1, keepdim=True)
    last[torch.arange(last.shape[1]) < ends - length] = PAD
    logits = network(batch[:, :-1]).float()  # (n, T, V)
    return functional.cross_entropy(logits.flatten(0, 1), last.flatten(), ignore_index=PAD)


@dataclass(frozen=True, slots=True)
class Answers:
    """Answers of a draft and its target at the tokens of the last items. n rows of L tokens each."""

    draft: torch.Tensor  # (n, L, V) log-probabilities over the whole vocabulary
    target: torch.Tensor  # (n, L, V) log-probabilities over the whole vocabulary
    tokens: torch.Tensor  # (n, L) the last item's
    allowed: torch.Tensor  # (n, L, V) whether a valid identifier goes on so
    kth: torch.Tensor  # (n, L) log p(y_K), of the K-th item that the target would name


def cross_entropy(said: Answers) -> torch.Tensor:
    """- log q of the tokens: on the target's lists, that is sequence-level distillation."""
    return -said.draft.gather(-1, said.tokens[..., None]).mean()


def word_level(said: Answers) -> torch.Tensor:
    """KL(p || q) over the whole vocabulary."""
    return (said.target.exp() * (said.target - said.draft)).sum(-1).mean()


def total_variation(said: Answers) -> torch.Tensor:
    """sum |p - q| / 2 over the whole vocabulary."""
    return (said.target.exp() - said.draft.exp()).abs().sum(-1).mean() / 2


def align_strict(said: Answers) -> torch.Tensor:
    """Equation 4: sum q log(q / p) - sum q log(q / p(y_K)), over the draft's best K valid tokens.

    The two halves share q log q, so what is left is sum q log(p(y_K) / p): mass goes to where the target's is above
    that of its K-th item. Written out in two, as the paper has them.
    """
    draft, target = valid(said.draft, said.allowed), valid(said.target, said.allowed)
    top = draft.topk(min(TOP, draft.shape[-1]), -1)
    there = top.values > -torch.inf
    logs = top.values.masked_fill(~there, 0.0)  # (n, L, K) log q
    target_logs = target.gather(-1, top.indices).masked_fill(~there, 0.0)  # (n, L, K) log p
    q = logs.exp() * there
    reverse_divergence = (q * (logs - target_logs)).sum(-1)
    density = (q * (logs - said.kth[..., None])).sum(-1)
    return (reverse_divergence - density).mean()


def align_relaxed(said: Answers) -> torch.Tensor:
    """Equation 8: sum |p - q| / 2 over the valid tokens."""
    draft, target = valid(said.draft, said.allowed), valid(said.target, said.allowed)
    return (target.exp() - draft.exp()).abs().sum(-1).mean() / 2


def valid(log_probs: torch.Tensor, allowed: torch.Tensor) -> torch.Tensor:
    """Return the distribution on the allowed tokens alone. (..., V)"""
    return torch.log_softmax(log_probs.masked_fill(~allowed, -torch.inf), -1)


@dataclass(frozen=True, slots=True)
class Loss:
    """Loss of a version of the draft, in addition to the cross-entropy of the histories."""

    align: Callable[[Answers], torch.Tensor] | None = None
    on_lists: bool = False  # whether it is taken on the target's lists, or on the items that followed
    needs_target: bool = True  # whether it asks the target while the draft trains


LOSSES = {  # Each of `versions.VERSIONS` has one.
    "sft": Loss(),
    "word_kd": Loss(word_level),
    "tvd_kd": Loss(total_variation),
    "sequence_kd": Loss(cross_entropy, on_lists=True, needs_target=False),
    "atspeed_s": Loss(align_strict, on_lists=True),
    "atspeed_r": Loss(align_relaxed, on_lists=True),
}


class Alignment:
    """The loss of one version, for batches of `examples.Pairs`."""

    def __init__(self, loss: Loss, target: Network, children: np.ndarray, length: int) -> None:
        self._loss, self._target = loss, target
        self._children, self._length = torch.from_numpy(children), length

    def __call__(self, network: Network, batch: torch.Tensor) -> torch.Tensor:
        """Return the mean over a batch of (n, L + T + 1): log p(y_K) in millinats, then tokens, as `Pairs` has them."""
        kth, rows = batch[:, : self._length].float() / -1000, batch[:, self._length :]
        loss, followed, listed = self._loss, slice(0, None, 2), slice(1, None, 2)
        true = next_token(network, rows[followed])
        if loss.align is None:
            return true
        align_on = listed if loss.on_lists else followed
        return ALPHA * loss.align(self._answers(network, rows[align_on], kth[align_on])) + (1 - ALPHA) * true

    def _answers(self, network: Network, rows: torch.Tensor, kth: torch.Tensor) -> Answers:
        """Answers of both at the last L tokens of every row."""
        ends = (rows != PAD).sum(1)  # (n,)
        indices = ends[:, None] - self._length + torch.arange(self._length)  # (n, L)
        tokens = rows.gather(1, indices)
        states = torch.zeros(len(rows), dtype=torch.long)
        allowed = []
        for step in range(self._length):
            below = self._children[states]  # (n, V)
            allowed.append(below >= 0)
            states = below.gather(1, tokens[:, step : step + 1]).squeeze(1).long()
        draft = _log_probs(network, rows, indices)
        with torch.no_grad():
            needs_target = self._loss.needs_target
            target = _log_probs(self._target, rows, indices) if needs_target else draft.detach()
        return Answers(draft, target, tokens, torch.stack(allowed, 1), kth)


def _log_probs(network: Network, rows: torch.Tensor, indices: torch.Tensor) -> torch.Tensor:
    """Log-probabilities of the tokens at these places. (n, L, V)"""
    logits = network(rows[:, :-1]).float()  # (n, T, V)
    index = (indices - 1)[..., None].expand(-1, -1, logits.shape[-1])
    return functional.log_softmax(logits.gather(1, index), -1)
