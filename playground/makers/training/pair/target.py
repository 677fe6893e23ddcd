"""The target's run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from playground.makers.training.evaluation import bits_per_byte, held_out_losses
from playground.makers.training.loop import Objective
from playground.makers.training.network import Network, Shape
from playground.makers.training.objectives import next_token
from playground.makers.training.run import Kind, Run, Trainable
from playground.makers.training.text.corpus import Corpus, windows

SHAPE = Shape(layers=8, width=320, heads=5, feed_forward=896, tied=False)


def _make(run: Run) -> Trainable[Network]:
    """Return a target that learns the next token of the corpus."""
    corpus = run.corpus()
    return language_model(run, corpus, corpus.train, SHAPE, next_token)


TARGET = Kind("target", {"objective": "next-token", "source": "corpus"}, _make)


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
