"""The target's run, and the plainest texts for its last steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from playground.errors import PlaygroundError
from playground.training.checkpoints import checkpoints, load_checkpoint
from playground.training.evaluation import bits_per_byte, held_out_losses
from playground.training.growth import grow
from playground.training.loop import Objective
from playground.training.network import Network, Shape
from playground.training.objectives import next_token
from playground.training.run import (
    FINISHED,
    Changes,
    Say,
    Trainable,
    check_known,
    newest_target,
    read_checkpoint,
    read_target,
    run,
)
from playground.training.storage import only_one
from playground.training.text.corpus import Corpus, open_corpus, windows
from playground.training.text.plainest import keep_plainest, read_plainest
from playground.training.text.tokenizer import END_OF_TEXT, read_tokenizer

SHAPE = Shape(layers=8, width=320, heads=5, feed_forward=896, tied=False)
SOURCES = ("corpus", "plainest")
PLAINEST = "plainest"


def train_target(
    work: Path,
    name: str,
    changes: Changes,
    *,
    say: Say,
    finish: int = 0,
    source: str | None = None,
    grow_from: str | None = None,
) -> dict[str, Any]:
    """Train a target on the next token, or continue it, or finish it.

    Args:
        work: the work folder.
        name: of the run.
        changes: to its settings.
        say: called with each line of progress.
        finish: if positive, train a copy of the run for so many more steps, with a rate that falls to zero. A finish
            that was interrupted is continued.
        source: what it reads, "corpus" or "plainest": the texts that `make_plainest` kept. None is what the run was
            begun with, and in a new one the corpus.
        grow_from: a smaller network to begin from, a run or an exported folder; ignored where the run has begun.

    Returns:
        What the run has come to.
    """
    corpus = open_corpus(work / "corpus")
    folder, start = work / name, None
    if finish:
        folder, start = work / f"{name}{FINISHED}", _finish(work, name, finish)
    elif grow_from and not checkpoints(folder):
        start = grown(work, grow_from, replace(SHAPE, vocab=corpus.about["vocab"], **changes.shape))
    saved = load_checkpoint(folder) or start or {}
    about = saved.get("about") or {"objective": "next-token", "source": source or "corpus"}
    if grow_from and "about" not in saved:
        about["grown_from"] = grow_from
    if source and source != about["source"]:
        raise PlaygroundError(
            f"{folder} reads the {about['source']} to its end. To go on with other text, begin a new run with "
            f"--grow-from {name}."
        )
    check_known("A target", about["source"], SOURCES)
    tokens = corpus.train if about["source"] == "corpus" else _plainest_tokens(work, folder, about)
    shape = shape_of(saved, SHAPE, corpus, changes)
    return run(folder, language_model(corpus, tokens, shape, next_token, about, start), changes, say)


def _finish(work: Path, name: str, steps: int) -> dict[str, Any]:
    """Return the start of a finished copy: the run's last checkpoint, with so many more steps of falling rate."""
    folder, start = work / f"{name}{FINISHED}", read_checkpoint(work / name)
    start["plan"] |= {"max_steps": start["step"] + steps, "decay_steps": steps}
    if (saved := load_checkpoint(folder)) and saved["step"] >= saved["plan"]["max_steps"]:
        raise PlaygroundError(f"{folder} is finished already. Remove it to finish the run anew.")
    return start


def _plainest_tokens(work: Path, folder: Path, about: dict[str, str]) -> np.ndarray:
    """Return the plainest texts, which must be as many as the run was begun with."""
    tokens, of_texts = read_plainest(work / PLAINEST)
    if about.setdefault("of_texts", of_texts) != of_texts:
        raise PlaygroundError(
            f"{folder} was begun with {about['of_texts']} texts, and {work / PLAINEST} now keeps {of_texts}. Run "
            "the step plainest with the share of then, or begin a new run."
        )
    return tokens


def make_plainest(work: Path, teacher: str | None, share: float, *, say: Say) -> dict[str, Any]:
    """Have a network choose the texts that it finds easiest, for a target's last steps."""
    corpus = open_corpus(work / "corpus")
    end = read_tokenizer(corpus.folder / "tokenizer.json").token_to_id(END_OF_TEXT)
    folder, network = work / PLAINEST, read_target(work, teacher or newest_target(work))
    with only_one(folder):
        about = keep_plainest(
            network, corpus.train, end, folder, share=share, progress=lambda n: say(f"{n:,} texts ranked")
        )
    return {"plainest": str(folder), **about}


def language_model(
    corpus: Corpus,
    tokens: np.ndarray,
    shape: Shape,
    objective: Objective[Network],
    about: dict[str, str],
    start: dict[str, Any] | None,
    also: Callable[[Network], dict[str, float]] = lambda _: {},
) -> Trainable[Network]:
    """Return a language model that reads these tokens and is measured by its held-out loss, and by `also`."""

    def measure(network: Network) -> dict[str, float]:
        nats = held_out_losses(network, corpus.held_out).mean().item()
        loss = {"held_out_nats": nats, "held_out_bits_per_byte": bits_per_byte(nats, corpus.bytes_per_token)}
        return loss | also(network)

    return Trainable(
        about,
        network=lambda seed: Network(shape, seed=seed),
        read=lambda plan: lambda first, count: windows(tokens, first, count, plan.window, seed=plan.seed),
        objective=objective,
        measure=measure,
        start=start,
    )


def shape_of(saved: dict[str, Any], default: Shape, corpus: Corpus, changes: Changes) -> Shape:
    """Return the shape of the checkpoint that is continued, or the default one, with the changes."""
    base = Shape(**saved["shape"]) if saved else replace(default, vocab=corpus.about["vocab"])
    return replace(base, **changes.shape)


def grown(work: Path, source: str, shape: Shape) -> dict[str, Any]:
    """Return the start of a new run: a network that is there already, made larger."""
    start = {"shape": asdict(shape), "plan": {}, "rates": {}, "step": 0, "windows": 0, "tokens": 0, "cpu_s": 0.0}
    return start | {"weights": grow(read_target(work, source), shape).state_dict(), "optimiser": None}
