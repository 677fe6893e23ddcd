"""The run of a drafting head for a target that is there, features first, and what lies beside the target then."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from playground.models.bundled import HEAD
from playground.models.drafters.head import CONFIG, WEIGHTS
from playground.training.beside import Beside
from playground.training.checkpoints import load_checkpoint
from playground.training.head.card import head_card
from playground.training.head.evaluation import SHOWN, accepted_by_step, measure_head
from playground.training.head.features import Features, make_features
from playground.training.head.network import HeadNetwork
from playground.training.head.objectives import METHODS, Recursion, Regression
from playground.training.network import NORM_EPS, ROPE_THETA, Network, Shape
from playground.training.run import CONTEXTS, Changes, Say, Trainable, check_known, newest_target, read_target, run
from playground.training.storage import only_one
from playground.training.text.corpus import Corpus, even_windows, open_corpus

SHAPE = {"layers": 1, "feed_forward": 224}  # the rest is the target's


def train_head(
    work: Path,
    name: str,
    changes: Changes,
    *,
    say: Say,
    teacher: str | None = None,
    objective: str | None = None,
    steps: int | None = None,
    num_tokens: int | None = None,
) -> dict[str, Any]:
    """Train a drafting head, or continue it.

    Args:
        work: the work folder.
        name: of the run.
        changes: to its settings.
        say: called with each line of progress.
        teacher: the target, a run in the work folder or an exported folder.
        objective: "divergence" of the distributions, or "features".
        steps: of the head's own guesses, in which the divergence is taken.
        num_tokens: of the corpus, whose features are read again and again.
            None, for each of these four, is what the run was begun with.

    Returns:
        What the run has come to.
    """
    corpus, folder = open_corpus(work / "corpus"), work / name
    saved = load_checkpoint(folder) or {}
    before = saved.get("about", {})
    about: dict[str, str] = {
        "teacher": teacher or before.get("teacher") or newest_target(work),
        "objective": objective or before.get("objective") or "divergence",
        "steps": str(steps or before.get("steps") or 3),
        "source": "corpus",
        "num_tokens": str(num_tokens or before.get("num_tokens") or 262_144),
    }
    check_known("A head", about["objective"], tuple(METHODS))
    target = read_target(work, about["teacher"]).requires_grad_(requires_grad=False)
    features = features_of(work, target, corpus, about, say)
    shape = Shape(**saved["shape"]) if saved else replace(target.shape, **SHAPE | changes.shape)
    contexts = even_windows(corpus.held_out, *CONTEXTS)

    def measure(head: HeadNetwork) -> dict[str, float]:
        rates = accepted_by_step(target, head, contexts, SHOWN)
        return {f"accepted_{step}": rate for step, rate in enumerate(rates, 1)}

    losses = {"divergence": Recursion(target, features, int(about["steps"])), "features": Regression(target, features)}
    kind = Trainable(
        about,
        network=lambda seed: HeadNetwork(shape, seed=seed, norm=target.model.norm.weight),
        read=lambda plan: lambda first, count: features.order(first, count, seed=plan.seed),
        objective=losses[about["objective"]],
        measure=measure,
        plan={"window": features.tokens.shape[1] - 1},
    )
    return run(folder, kind, changes, say)


def features_of(work: Path, target: Network, corpus: Corpus, about: dict[str, str], say: Say) -> Features:
    """The features that a run reads, made where they are not there yet."""
    folder = work / f"features-of-{Path(about['teacher']).name}"
    with only_one(folder):
        return make_features(
            target,
            corpus.train,
            folder,
            num_tokens=int(about["num_tokens"]),
            progress=lambda count: say(f"features of {count:,} tokens"),
        )


def trained_head(state: dict[str, Any]) -> HeadNetwork:
    """The head of a checkpoint."""
    head = HeadNetwork(Shape(**state["shape"]))
    head.load_state_dict(state["weights"])
    return head.eval()


def _config(head: HeadNetwork) -> dict[str, Any]:
    shape = head.shape
    return {
        "heads": shape.heads,
        "feed_forward": shape.feed_forward,
        "norm_eps": NORM_EPS,
        "rope_theta": ROPE_THETA,
    }


BESIDE = Beside(HEAD, CONFIG, WEIGHTS, load=trained_head, config=_config, measure=measure_head, card=head_card)
