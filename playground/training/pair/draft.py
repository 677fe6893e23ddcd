"""The draft's run, and the text that its target writes for it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from playground.training.checkpoints import load_checkpoint
from playground.training.evaluation import agreement
from playground.training.network import Shape
from playground.training.objectives import Divergence, Rejection, next_token
from playground.training.pair.target import grown, language_model, shape_of
from playground.training.run import CONTEXTS, Changes, Say, check_known, newest_target, read_target, run
from playground.training.storage import only_one
from playground.training.text.corpus import even_windows, open_corpus
from playground.training.text.sampled_text import of_books, of_user, read_samples, sample_text
from playground.training.text.tokenizer import read_chat_tokenizer

SHAPE = Shape(layers=1, width=160, heads=5, feed_forward=432)
SOURCES = ("corpus", "samples")
OBJECTIVES = ("next-token", "divergence", "rejection")


def train_draft(
    work: Path,
    name: str,
    changes: Changes,
    *,
    say: Say,
    teacher: str | None = None,
    source: str | None = None,
    objective: str | None = None,
    grow_from: str | None = None,
) -> dict[str, Any]:
    """Train a draft, or continue it.

    Args:
        work, name, changes, say: as for `train_target`.
        teacher: the target, a run in the work folder or an exported folder.
        source: what the draft reads, "corpus" or "samples": text that the target wrote.
        objective: "next-token", or the "divergence" or the "rejection" rate from the target.
            None, for each of these three, is what the run was begun with; in a new run the target as far as it is
            made, its samples, and the divergence.
        grow_from: as for `train_target`.
    """
    corpus, folder = open_corpus(work / "corpus"), work / name
    saved = load_checkpoint(folder) or {}
    before = saved.get("about", {})
    about = {
        "teacher": teacher or before.get("teacher") or newest_target(work),
        "source": source or before.get("source") or "samples",
        "objective": objective or before.get("objective") or "divergence",
    }
    start = None
    if grow_from and not saved:
        start = grown(work, grow_from, replace(SHAPE, vocab=corpus.about["vocab"], **changes.shape))
    if grown_from := before.get("grown_from") or grow_from:
        about["grown_from"] = grown_from
    check_known("A draft", about["source"], SOURCES)
    check_known("A draft", about["objective"], OBJECTIVES)
    target = read_target(work, about["teacher"])
    if changes.plan.get("compiled"):
        target.compile_layers()
    is_corpus = about["source"] == "corpus"
    tokens = corpus.train if is_corpus else read_samples(samples_folder(work, about["teacher"]), target)
    losses = {"next-token": next_token, "divergence": Divergence(target), "rejection": Rejection(target)}
    shape, contexts = shape_of(saved or start or {}, SHAPE, corpus, changes), even_windows(corpus.held_out, *CONTEXTS)
    kind = language_model(
        corpus, tokens, shape, losses[about["objective"]], about, start, lambda q: agreement(target, q, contexts)
    )
    return run(folder, kind, changes, say)


def make_samples(
    work: Path, teacher: str | None, num_tokens: int, *, say: Say, is_chat: bool = False
) -> dict[str, Any]:
    """Have the target write text for its drafter to learn on, or more of it.

    Args:
        work, teacher, say: as for `train_draft`.
        num_tokens: how much is wanted.
        is_chat: whether it begins with its own empty user turn, and not with the corpus.
    """
    name = teacher or newest_target(work)
    beginnings = of_user(read_chat_tokenizer(name)) if is_chat else of_books(open_corpus(work / "corpus").train)
    folder, target = samples_folder(work, name), read_target(work, name)
    with only_one(folder):
        text = sample_text(target, beginnings, folder, num_tokens=num_tokens, progress=lambda n: say(f"{n:,} tokens"))
    return {"samples": str(folder), "tokens": len(text)}


def samples_folder(work: Path, target_name: str) -> Path:
    """Return the folder of the text that a target wrote."""
    return work / f"samples-of-{Path(target_name).name}"
