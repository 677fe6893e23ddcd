"""What a pair is worth: its loss on text it never read, how often the draft would be accepted, what a call costs.

p is the target, q the draft. Acceptance is exact at each position: sum min(p, q), the probability that speculative
sampling accepts a token drawn from q there. It is averaged over two kinds of context, held-out books and text that the
target itself wrote after held-out beginnings; decoding meets the second kind.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from playground.decoding.decode import Request, Round, decode
from playground.decoding.method import make_method
from playground.decoding.sampling import Sampling
from playground.models.forward import Model
from playground.training.corpus import even_windows

COUNT, LENGTH = 60, 512  # windows of held-out text
TEMPERATURES = (1.0, 0.7)
WARM_ROUNDS = 3

Logits = Callable[[torch.Tensor], torch.Tensor]  # (n, T) tokens to (n, T, V)


@torch.inference_mode()
def held_out_loss(logits: Logits, tokens: np.ndarray, *, count: int = COUNT, length: int = LENGTH) -> float:
    """Mean cross-entropy on windows spread over the held-out tokens, in nats a token."""
    batch = even_windows(tokens, count, length)
    losses = [
        functional.cross_entropy(
            logits(window[:, :-1]).float().flatten(0, 1), window[:, 1:].flatten(), reduction="sum"
        ).item()
        for window in batch.split(4)
    ]
    return sum(losses) / batch[:, 1:].numel()


def bits_per_byte(nats: float, bytes_per_token: float) -> float:
    """A loss in nats a token as bits a byte."""
    return nats / math.log(2) / bytes_per_token


@torch.inference_mode()
def agreement(target: Logits, draft: Logits, batch: torch.Tensor) -> dict[str, float]:
    """Expected acceptance and greedy agreement, averaged over all positions of some windows.

    Args:
        batch: (n, T) tokens.

    Returns:
        `acceptance_<temperature>`, the mean of sum min(p, q), and `same_best`, how often both find the same token
        most likely.
    """
    sums = dict.fromkeys([*(f"acceptance_{temperature}" for temperature in TEMPERATURES), "same_best"], 0.0)
    for window in batch.split(4):
        p_logits, q_logits = (model(window).float().flatten(0, 1) for model in (target, draft))  # (n * T, V)
        for temperature in TEMPERATURES:
            target_probs, draft_probs = (torch.softmax(x / temperature, -1) for x in (p_logits, q_logits))
            sums[f"acceptance_{temperature}"] += torch.minimum(target_probs, draft_probs).sum().item()
        sums["same_best"] += (p_logits.argmax(-1) == q_logits.argmax(-1)).sum().item()
    return {name: total / batch.numel() for name, total in sums.items()}


def write_samples(
    target: Model, prompts: list[str], *, sampling: Sampling | None = None, num_tokens: int = 120, seed: int = 0
) -> list[str]:
    """One continuation of each prompt by the target alone."""
    sampling = sampling or Sampling(temperature=0.8, top_p=0.9)
    method = make_method("autoregressive")
    texts = []
    for number, prompt in enumerate(prompts):
        request = Request(method, target, prompt, None, sampling, seed + number, num_tokens)
        texts.append(target.vocabulary.decode(_emitted(request)))
    return texts


def _emitted(request: Request) -> list[int]:
    return [item.tree.tokens[node] for item in decode(request) if isinstance(item, Round) for node in item.nodes]


def costs(target: Model, draft_model: Model, prompts: list[str], *, lengths: tuple[int, ...]) -> dict[str, Any]:
    """Seconds and tokens a round, in our own loop, of plain decoding and of every draft length.

    Whatever else the machine does only adds time, so the median over rounds is kept, not the mean.

    Args:
        prompts: what is continued, at temperature 1.
        lengths: of speculative drafts.

    Returns:
        `plain_s` a token, `draft_s` a draft call, their ratio `cost_ratio`, and for each length `verify_s`, tokens a
        round and the speed-up these make.
    """
    plain = _rounds(target, draft_model, "autoregressive", {}, prompts)
    plain_s = statistics.median(_seconds(item) for item in plain)
    by_length, draft_s = {}, []
    for length in lengths:
        rounds = _rounds(target, draft_model, "speculative_sampling", {"draft_length": length}, prompts)
        draft_s.append(statistics.median(item.draft_s / len(item.draft.layers) for item in rounds))
        tokens = statistics.fmean(len(item.nodes) for item in rounds)
        round_s = statistics.median(_seconds(item) for item in rounds)
        by_length[str(length)] = {
            "verify_s": statistics.median(item.verify_s for item in rounds),
            "round_s": round_s,
            "tokens_per_round": tokens,
            "speed_up": tokens * plain_s / round_s,
        }
    draft_call_s = statistics.median(draft_s)
    target_s = statistics.median(item.verify_s for item in plain)
    return {
        "plain_s": plain_s,
        "target_call_s": target_s,
        "draft_call_s": draft_call_s,
        "cost_ratio": draft_call_s / target_s,
        "lengths": by_length,
    }


def _rounds(
    target: Model, draft_model: Model, method: str, options: dict[str, Any], prompts: list[str], num_tokens: int = 96
) -> list[Round]:
    """Full rounds of all prompts; the first of each, which warm up, are left out."""
    made = make_method(method, options)
    kept = []
    for seed, prompt in enumerate(prompts):
        request = Request(made, target, prompt, draft_model, Sampling(), seed, num_tokens)
        rounds = [item for item in decode(request) if isinstance(item, Round)]
        kept += [item for item in rounds[WARM_ROUNDS:-1] if len(item.draft.layers) == options.get("draft_length", 0)]
    return kept


def _seconds(item: Round) -> float:
    return item.draft_s + item.verify_s + item.other_s
