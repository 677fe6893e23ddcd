"""The runs of a pair: the target, the text that it writes, and the draft that learns from it.

p is the target that teaches, q the draft that learns. Speculative sampling accepts a token with probability
sum min(p, q), which is 1 minus the total variation distance; so besides the usual divergence that distance itself is an
objective.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

from playground.makers.training.checkpoints import only_one
from playground.makers.training.evaluation import agreement, bits_per_byte, held_out_losses
from playground.makers.training.loop import Objective, Trainable
from playground.makers.training.network import Network, Shape
from playground.makers.training.run import CONTEXTS, Kind, Run, Say, read_target
from playground.makers.training.text.corpus import Corpus, even_windows, open_corpus, windows
from playground.makers.training.text.sampled_text import of_books, of_user, read_samples, sample_text
from playground.makers.training.text.tokenizer import read_chat_tokenizer

TARGET_SHAPE = Shape(layers=8, width=320, heads=5, feed_forward=896, tied=False)
DRAFT_SHAPE = Shape(layers=1, width=160, heads=5, feed_forward=432)


def next_token(network: Network, batch: torch.Tensor) -> torch.Tensor:
    """Mean cross-entropy of the next token, in nats, of (n, T + 1) tokens."""
    logits = network(batch[:, :-1]).float()  # (n, T, V)
    return functional.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())


def divergence(teacher: Network, network: Network, batch: torch.Tensor) -> torch.Tensor:
    """KL(p || q) in nats, averaged over the positions of (n, T + 1) tokens: word-level distillation."""
    target_logs = _log_probs(teacher, batch)  # (n * T, V)
    draft_logs = functional.log_softmax(network(batch[:, :-1]).float(), -1).flatten(0, 1)  # (n * T, V)
    return functional.kl_div(draft_logs, target_logs, reduction="batchmean", log_target=True)


def rejection(teacher: Network, network: Network, batch: torch.Tensor) -> torch.Tensor:
    """1 - sum min(p, q), averaged: the share of draft tokens that speculative sampling rejects."""
    target_probs = _log_probs(teacher, batch).exp()  # (n * T, V)
    draft_probs = torch.softmax(network(batch[:, :-1]).float(), -1).flatten(0, 1)  # (n * T, V)
    return (target_probs - draft_probs).abs().sum(-1).mean() / 2


@torch.no_grad()
def _log_probs(teacher: Network, batch: torch.Tensor) -> torch.Tensor:
    return functional.log_softmax(teacher(batch[:, :-1]).float(), -1).flatten(0, 1)


def _make_target(run: Run) -> Trainable[Network]:
    """Return a target that learns the next token of the corpus."""
    corpus = run.corpus()
    return _language_model(run, corpus, corpus.train, TARGET_SHAPE, next_token)


TARGET = Kind("target", {"objective": "next-token", "source": "corpus"}, _make_target)


def _make_draft(run: Run) -> Trainable[Network]:
    """Return a draft that learns the next token, or the "divergence" or the "rejection" rate from the target."""
    corpus, target = run.corpus(), run.teacher()
    if run.changes.plan.get("compiled"):
        target.compile_layers()
    is_corpus = run.about["source"] == "corpus"
    tokens = corpus.train if is_corpus else read_samples(samples_folder(run.work, run.about["teacher"]), target)
    losses = {"next-token": next_token} | {each.__name__: partial(each, target) for each in (divergence, rejection)}
    also = partial(agreement, target, batch=even_windows(corpus.held_out, *CONTEXTS))
    return _language_model(run, corpus, tokens, DRAFT_SHAPE, losses[run.about["objective"]], also)


DRAFT = Kind(
    "draft",
    {"teacher": "target", "source": "samples", "objective": "divergence"},
    _make_draft,
    {"source": ("corpus", "samples"), "objective": ("next-token", "divergence", "rejection")},
)


def _language_model(
    run: Run,
    corpus: Corpus,
    tokens: np.ndarray,
    usual: Shape,
    objective: Objective[Network],
    also: Callable[[Network], dict[str, float]] = lambda _: {},
) -> Trainable[Network]:
    """Return a language model that reads these tokens and is measured by its held-out loss, and by `also`."""
    shape = run.shape(replace(usual, vocab=corpus.about["vocab"]))

    def measure(network: Network) -> dict[str, float]:
        nats = held_out_losses(network, corpus.held_out).mean().item()
        loss = {"held_out_nats": nats, "held_out_bits_per_byte": bits_per_byte(nats, corpus.bytes_per_token)}
        return loss | also(network)

    return Trainable(
        run.about,
        network=lambda seed: Network(shape, seed=seed),
        read=lambda plan: partial(windows, tokens, length=plan.window, seed=plan.seed),
        objective=objective,
        measure=measure,
        start=run.start,
    )


def make_samples(work: Path, name: str, num_tokens: int, *, say: Say, is_chat: bool = False) -> dict[str, object]:
    """Have the target write text for its drafter to learn on, or more of it.

    Args:
        num_tokens: how much is wanted.
        is_chat: whether it begins with its own empty user turn, and not with the corpus.
    """
    beginnings = of_user(read_chat_tokenizer(name)) if is_chat else of_books(open_corpus(work / "corpus").train)
    folder, target = samples_folder(work, name), read_target(work, name)
    with only_one(folder):
        text = sample_text(target, beginnings, folder, num_tokens=num_tokens, progress=lambda n: say(f"{n:,} tokens"))
    return {"samples": str(folder), "tokens": len(text)}


def samples_folder(work: Path, target_name: str) -> Path:
    """Return the folder of the text that a target wrote."""
    return work / f"samples-of-{Path(target_name).name}"
