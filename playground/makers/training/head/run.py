"""The run of a drafting head for an existing target: the target's features first, then the head next to it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import torch

from playground.makers.training.checkpoints import only_one
from playground.makers.training.head.beside import SHOWN, accepted_by_step
from playground.makers.training.head.features import Features, make_features
from playground.makers.training.head.network import HeadNetwork
from playground.makers.training.head.objectives import Recursion
from playground.makers.training.network import Network, Shape
from playground.makers.training.pair.draft import samples_folder
from playground.makers.training.run import CONTEXTS, Kind, Run, Trainable
from playground.makers.training.text.corpus import even_windows
from playground.makers.training.text.sampled_text import read_samples

SHAPE = {"layers": 1, "feed_forward": 224}  # the rest is the target's
HELD_OUT = 0.05  # of samples


def _make(run: Run) -> Trainable[HeadNetwork]:
    """Return a head.

    Its settings: `steps` of its own guesses are trained on; `source` is the corpus or samples, text that the target
    wrote, of which the last part is held out; `num_tokens` of it have their features read again and again; it drafts
    the `draft_vocabulary` most frequent tokens of it, or all where that is 0.
    """
    about, target = run.about, run.teacher()
    text, held_out = _text(run, target)
    features = features_of(run, target, text)
    base = Shape(**run.saved["shape"]) if run.saved else replace(target.shape, groups=None, **SHAPE)
    shape = replace(base, **run.changes.shape)
    tokens = most_frequent(text, int(about["draft_vocabulary"])) if int(about["draft_vocabulary"]) else None
    contexts = even_windows(held_out, *CONTEXTS)

    def measure(head: HeadNetwork) -> dict[str, float]:
        rates = accepted_by_step(target, head, contexts, SHOWN)
        return {f"accepted_{step}": rate for step, rate in enumerate(rates, 1)}

    return Trainable(
        about,
        network=partial(_begin, target, shape, tokens),
        read=lambda plan: lambda first, count: features.order(first, count, seed=plan.seed),
        objective=Recursion(target, features, int(about["steps"])),
        measure=measure,
        plan={"window": features.tokens.shape[1] - 1},
    )


HEAD = Kind(
    "head",
    {
        "teacher": "target",
        "objective": "divergence",
        "steps": "3",
        "source": "corpus",
        "num_tokens": "262144",
        "draft_vocabulary": "0",
    },
    _make,
    {"source": ("corpus", "samples")},
)


def _begin(target: Network, shape: Shape, tokens: torch.Tensor | None, seed: int) -> HeadNetwork:
    """Make an untrained head; with a draft vocabulary it starts as the target's last layer, if it is as wide."""
    head = HeadNetwork(shape, seed=seed, norm=target.model.norm.weight, tokens=tokens)
    if tokens is not None and shape.feed_forward == target.shape.feed_forward:
        head.begin_as(target.model.layers[-1])
    return head


def most_frequent(text: np.ndarray, count: int) -> torch.Tensor:
    """Return the most frequent tokens of a text, in the order of the vocabulary. (at most count,)"""
    ids, counts = np.unique(text, return_counts=True)
    return torch.from_numpy(np.sort(ids[np.argsort(-counts, kind="stable")[:count]]).astype(np.int32))


def _text(run: Run, target: Network) -> tuple[np.ndarray, np.ndarray]:
    """Return the tokens that a run reads, and those that are held out."""
    if run.about["source"] == "corpus":
        corpus = run.corpus()
        return corpus.train, corpus.held_out
    samples = read_samples(samples_folder(run.work, run.about["teacher"]), target)
    end = len(samples) - round(HELD_OUT * len(samples))
    return samples[:end], samples[end:]


def features_of(run: Run, target: Network, text: np.ndarray) -> Features:
    """Return the features that a run reads, made where they are not there yet."""
    folder = run.work / f"features-of-{Path(run.about['teacher']).name}"
    with only_one(folder):
        return make_features(
            target,
            text,
            folder,
            num_tokens=int(run.about["num_tokens"]),
            progress=lambda count: run.say(f"features of {count:,} tokens"),
        )
