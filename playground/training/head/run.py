"""The run of a drafting head for a target that is there, features first, and what lies beside the target then."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from playground.models.bundled import HEAD
from playground.models.drafters.head import CONFIG, VOCABULARY, WEIGHTS
from playground.training.beside import Beside
from playground.training.checkpoints import load_checkpoint
from playground.training.head.card import head_card
from playground.training.head.evaluation import SHOWN, accepted_by_step, measure_head
from playground.training.head.features import Features, make_features
from playground.training.head.network import HeadNetwork
from playground.training.head.objectives import METHODS, Recursion, Regression
from playground.training.network import NORM_EPS, Network, Shape
from playground.training.pair.draft import samples_folder
from playground.training.run import CONTEXTS, Changes, Say, Trainable, check_known, newest_target, read_target, run
from playground.training.storage import only_one
from playground.training.text.corpus import even_windows, open_corpus
from playground.training.text.sampled_text import read_samples

SHAPE = {"layers": 1, "feed_forward": 224}  # the rest is the target's
SOURCES = ("corpus", "samples")
HELD_OUT = 0.05  # of samples
DEFAULTS = {
    "objective": "divergence",
    "steps": "3",
    "source": "corpus",
    "num_tokens": "262144",
    "draft_vocabulary": "0",
}


def train_head(
    work: Path,
    name: str,
    changes: Changes,
    *,
    say: Say,
    teacher: str | None = None,
    objective: str | None = None,
    steps: int | None = None,
    source: str | None = None,
    num_tokens: int | None = None,
    draft_vocabulary: int | None = None,
) -> dict[str, Any]:
    """Train a drafting head, or continue it.

    Args:
        work: the work folder.
        name: of the run.
        changes: to its settings.
        say: called with each line of progress.
        teacher: the target, a run in the work folder, an exported folder or a GGUF file.
        objective: "divergence" of the distributions, or "features".
        steps: of the head's own guesses, in which the divergence is taken.
        source: "corpus" or "samples": text that the target wrote, of which the last part is held out.
        num_tokens: of that text, whose features are read again and again.
        draft_vocabulary: how many of the text's most frequent tokens it drafts; 0: all. Such a head begins as the
            target's last layer where it is as wide inside.
            None, for each of these six, is what the run was begun with.

    Returns:
        What the run has come to.
    """
    folder, saved = work / name, load_checkpoint(work / name) or {}
    given = {"teacher": teacher, "objective": objective, "steps": steps, "source": source}
    given |= {"num_tokens": num_tokens, "draft_vocabulary": draft_vocabulary}
    usual = DEFAULTS | {"teacher": newest_target(work)}
    about = usual | saved.get("about", {}) | {name: str(value) for name, value in given.items() if value is not None}
    check_known("A head", about["objective"], tuple(METHODS))
    check_known("A head", about["source"], SOURCES)
    target = read_target(work, about["teacher"]).requires_grad_(requires_grad=False)
    text, held_out = _text(work, target, about)
    features = features_of(work, target, text, about, say)
    shape = Shape(**saved["shape"]) if saved else replace(target.shape, groups=None, **SHAPE | changes.shape)
    tokens = most_frequent(text, int(about["draft_vocabulary"])) if int(about["draft_vocabulary"]) else None
    contexts = even_windows(held_out, *CONTEXTS)

    def measure(head: HeadNetwork) -> dict[str, float]:
        rates = accepted_by_step(target, head, contexts, SHOWN)
        return {f"accepted_{step}": rate for step, rate in enumerate(rates, 1)}

    losses = {"divergence": Recursion(target, features, int(about["steps"])), "features": Regression(target, features)}
    kind = Trainable(
        about,
        network=partial(_begin, target, shape, tokens),
        read=lambda plan: lambda first, count: features.order(first, count, seed=plan.seed),
        objective=losses[about["objective"]],
        measure=measure,
        plan={"window": features.tokens.shape[1] - 1},
    )
    return run(folder, kind, changes, say)


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


def _text(work: Path, target: Network, about: dict[str, str]) -> tuple[np.ndarray, np.ndarray]:
    """Return the tokens that a run reads, and those that are held out."""
    if about["source"] == "corpus":
        corpus = open_corpus(work / "corpus")
        return corpus.train, corpus.held_out
    samples = read_samples(samples_folder(work, about["teacher"]), target)
    end = len(samples) - round(HELD_OUT * len(samples))
    return samples[:end], samples[end:]


def features_of(work: Path, target: Network, text: np.ndarray, about: dict[str, str], say: Say) -> Features:
    """Return the features that a run reads, made where they are not there yet."""
    folder = work / f"features-of-{Path(about['teacher']).name}"
    with only_one(folder):
        return make_features(
            target,
            text,
            folder,
            num_tokens=int(about["num_tokens"]),
            progress=lambda count: say(f"features of {count:,} tokens"),
        )


def trained_head(state: dict[str, Any]) -> HeadNetwork:
    """Return the head of a checkpoint."""
    head = HeadNetwork(Shape(**state["shape"]), tokens=state["weights"].get(VOCABULARY))
    head.load_state_dict(state["weights"])
    return head.eval()


def _config(head: HeadNetwork) -> dict[str, Any]:
    shape = head.shape
    return {
        "heads": shape.heads,
        "feed_forward": shape.feed_forward,
        "norm_eps": NORM_EPS,
        "rope_theta": shape.rope_theta,
    }


BESIDE = Beside(HEAD, CONFIG, WEIGHTS, load=trained_head, config=_config, measure=measure_head, card=head_card)
