"""The target's run, and the plainest texts for its last steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from playground.errors import PlaygroundError
from playground.makers.training.checkpoints import only_one
from playground.makers.training.evaluation import bits_per_byte, held_out_losses
from playground.makers.training.loop import Objective
from playground.makers.training.network import Network, Shape
from playground.makers.training.objectives import next_token
from playground.makers.training.run import Kind, Run, Say, Trainable, newest_target, read_target
from playground.makers.training.text.corpus import Corpus, open_corpus, windows
from playground.makers.training.text.plainest import keep_plainest, read_plainest
from playground.makers.training.text.tokenizer import END_OF_TEXT, read_tokenizer

SHAPE = Shape(layers=8, width=320, heads=5, feed_forward=896, tied=False)
PLAINEST = "plainest"


def _make(run: Run) -> Trainable[Network]:
    """Return a target that learns the next token of the corpus, or of the texts that `make_plainest` kept."""
    corpus = run.corpus()
    tokens = corpus.train if run.about["source"] == "corpus" else _plainest_tokens(run)
    return language_model(run, corpus, tokens, SHAPE, next_token)


TARGET = Kind("target", {"objective": "next-token", "source": "corpus"}, _make, {"source": ("corpus", PLAINEST)})


def _plainest_tokens(run: Run) -> np.ndarray:
    """Return the plainest texts, which must be as many as the run was begun with."""
    tokens, of_texts = read_plainest(run.work / PLAINEST)
    if run.about.setdefault("of_texts", of_texts) != of_texts:
        raise PlaygroundError(
            f"{run.folder} was begun with {run.about['of_texts']} texts, and {run.work / PLAINEST} now keeps "
            f"{of_texts}. Run the step plainest with the share of then, or begin a new run."
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
    run: Run,
    corpus: Corpus,
    tokens: np.ndarray,
    usual: Shape,
    objective: Objective[Network],
    also: Callable[[Network], dict[str, float]] = lambda _: {},
) -> Trainable[Network]:
    """Return a language model that reads these tokens and is measured by its held-out loss, and by `also`."""
    base = Shape(**run.saved["shape"]) if run.saved else replace(usual, vocab=corpus.about["vocab"])
    shape = replace(base, **run.changes.shape)

    def measure(network: Network) -> dict[str, float]:
        nats = held_out_losses(network, corpus.held_out).mean().item()
        loss = {"held_out_nats": nats, "held_out_bits_per_byte": bits_per_byte(nats, corpus.bytes_per_token)}
        return loss | also(network)

    return Trainable(
        run.about,
        network=lambda seed: Network(shape, seed=seed),
        read=lambda plan: lambda first, count: windows(tokens, first, count, plan.window, seed=plan.seed),
        objective=objective,
        measure=measure,
        start=run.start,
    )
