"""The step that trains a drafting head for a target that is there: features first, then the head on them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from playground.errors import PlaygroundError, did_you_mean
from playground.training.checkpoints import load_checkpoint
from playground.training.head.evaluation import SHOWN, accepted_by_step
from playground.training.head.features import make_features
from playground.training.head.network import HeadNetwork
from playground.training.head.objectives import METHODS, Recursion, Regression
from playground.training.loop import Plan, train
from playground.training.network import Shape
from playground.training.optimiser import Rates
from playground.training.pipeline import CONTEXTS, Changes, Progress, Say, newest_target, read_target
from playground.training.storage import only_one
from playground.training.text.corpus import even_windows, open_corpus

HEAD = {"layers": 1, "feed_forward": 224}  # the rest is the target's


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
        say: told how it goes.
        teacher: the target, a run in the work folder or an exported folder.
        objective: "divergence" of the distributions, or "features".
        steps: of the head's own guesses, in which the divergence is taken.
        num_tokens: of the corpus, whose features are read again and again.
            None, for each of these four, is what the run was begun with.

    Returns:
        What the run has come to.
    """
    corpus, folder = open_corpus(work / "corpus"), work / name
    kept = load_checkpoint(folder) or {"about": {}, "plan": {}, "rates": {}, "step": 0}
    about: dict[str, str] = {
        "teacher": teacher or kept["about"].get("teacher") or newest_target(work),
        "objective": objective or kept["about"].get("objective") or "divergence",
        "steps": str(steps or kept["about"].get("steps") or 3),
        "source": "corpus",
        "num_tokens": str(num_tokens or kept["about"].get("num_tokens") or 262_144),
    }
    if about["objective"] not in METHODS:
        raise PlaygroundError(
            f"A head is not trained on {about['objective']!r}.{did_you_mean(about['objective'], METHODS)}"
        )
    target = read_target(work, about["teacher"]).requires_grad_(requires_grad=False)
    features_folder = work / f"features-of-{Path(about['teacher']).name}"
    with only_one(features_folder):
        features = make_features(
            target,
            corpus.train,
            features_folder,
            num_tokens=int(about["num_tokens"]),
            progress=lambda count: say(f"features of {count:,} tokens"),
        )
    shape = Shape(**kept["shape"]) if "shape" in kept else replace(target.shape, **HEAD | changes.shape)
    plan = Plan(**{"window": features.tokens.shape[1] - 1} | kept["plan"] | changes.plan)
    contexts = even_windows(corpus.held_out, *CONTEXTS)

    def measure(head: HeadNetwork) -> dict[str, float]:
        rates = accepted_by_step(target, head, contexts, SHOWN)
        return {f"accepted_{place}": rate for place, rate in enumerate(rates, 1)}

    goals = {"divergence": Recursion(target, features, int(about["steps"])), "features": Regression(target, features)}
    state = train(
        folder,
        HeadNetwork(shape, seed=plan.seed, norm=target.model.norm.weight),
        plan,
        Rates(**kept["rates"] | changes.rates),
        lambda first, count: features.order(first, count, seed=plan.seed),
        goals[about["objective"]],
        about=about,
        measure=measure,
        progress=Progress(say),
    )
    head = HeadNetwork(shape)
    head.load_state_dict(state["weights"])
    return {
        "run": str(folder),
        "parameters": head.num_parameters,
        "steps_now": state["step"] - kept["step"],
        "step": state["step"],
        "tokens": state["tokens"],
        "cpu_hours": state["cpu_s"] / 3600,
        **measure(head.eval()),
    }
