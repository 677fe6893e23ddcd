"""The draft's run, and the text that its target writes for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playground.makers.training.checkpoints import only_one
from playground.makers.training.evaluation import agreement
from playground.makers.training.network import Network, Shape
from playground.makers.training.objectives import Divergence, Rejection, next_token
from playground.makers.training.pair.target import language_model
from playground.makers.training.run import CONTEXTS, Kind, Run, Say, Trainable, read_target
from playground.makers.training.text.corpus import even_windows, open_corpus
from playground.makers.training.text.sampled_text import of_books, of_user, read_samples, sample_text
from playground.makers.training.text.tokenizer import read_chat_tokenizer

SHAPE = Shape(layers=1, width=160, heads=5, feed_forward=432)


def _make(run: Run) -> Trainable[Network]:
    """Return a draft that learns the next token, or the "divergence" or the "rejection" rate from the target."""
    corpus, target = run.corpus(), run.teacher()
    if run.changes.plan.get("compiled"):
        target.compile_layers()
    is_corpus = run.about["source"] == "corpus"
    tokens = corpus.train if is_corpus else read_samples(samples_folder(run.work, run.about["teacher"]), target)
    losses = {"next-token": next_token, "divergence": Divergence(target), "rejection": Rejection(target)}
    contexts = even_windows(corpus.held_out, *CONTEXTS)
    objective = losses[run.about["objective"]]
    return language_model(run, corpus, tokens, SHAPE, objective, lambda draft: agreement(target, draft, contexts))


DRAFT = Kind(
    "draft",
    {"teacher": "target", "source": "samples", "objective": "divergence"},
    _make,
    {"source": ("corpus", "samples"), "objective": ("next-token", "divergence", "rejection")},
)


def make_samples(work: Path, name: str, num_tokens: int, *, say: Say, is_chat: bool = False) -> dict[str, Any]:
    """Have the target write text for its drafter to learn on, or more of it.

    Args:
        work: the work folder.
        name: the target.
        say: called with each line of progress.
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
