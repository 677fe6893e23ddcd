"""The run of exits for a target that is there, and what lies beside the target then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from playground.errors import PlaygroundError
from playground.models.bundled import EXITS
from playground.models.drafters.trained_exit import CONFIG, WEIGHTS
from playground.training.beside import Beside
from playground.training.checkpoints import load_checkpoint
from playground.training.exits.card import exits_card
from playground.training.exits.evaluation import acceptance_by_depth, measure_exits
from playground.training.exits.network import Divergence, Exits
from playground.training.network import NORM_EPS, Shape
from playground.training.run import CONTEXTS, Changes, Say, Trainable, newest_target, read_target, run
from playground.training.text.corpus import even_windows, open_corpus, windows

RANK = 24  # of a translator; five of them are 160 kB for the bundled target
EVERY = 2  # layers, where no depths are chosen
PLAN = {"tokens_per_step": 2048, "warm_up": 20, "max_steps": 300, "decay_steps": 150}
RATES = {"matrices": 0.01, "others": 0.003}


def train_exits(
    work: Path,
    name: str,
    changes: Changes,
    *,
    say: Say,
    teacher: str | None = None,
    depths: Sequence[int] | None = None,
) -> dict[str, Any]:
    """Train exits, or continue them.

    Args:
        work: the work folder.
        name: of the run.
        changes: to its settings; of the shape only the rank, as `feed_forward`.
        say: called with each line of progress.
        teacher: the target, a run in the work folder or an exported folder.
        depths: after how many layers.
            None, for both, is what the run was begun with; in a new run every second layer.

    Returns:
        What the run has come to.

    Raises:
        PlaygroundError: if the target has no such layers, or the run was begun with other depths.
    """
    corpus, folder = open_corpus(work / "corpus"), work / name
    saved = load_checkpoint(folder) or {}
    about: dict[str, str] = {"teacher": teacher or saved.get("about", {}).get("teacher") or newest_target(work)}
    target = read_target(work, about["teacher"]).requires_grad_(requires_grad=False)
    chosen = _chosen(folder, depths, depths_of(saved), target.shape.layers)
    rank = changes.shape.get("feed_forward", saved["shape"]["feed_forward"] if saved else RANK)
    shape, contexts = replace(target.shape, feed_forward=rank), even_windows(corpus.held_out, *CONTEXTS)

    def measure(exits: Exits) -> dict[str, float]:
        trained = acceptance_by_depth(target, exits, contexts)["trained"]
        return {f"accepted_{depth}": numbers["acceptance_1.0"] for depth, numbers in trained.items()}

    kind = Trainable(
        about | {"depths": ",".join(map(str, chosen)), "source": "corpus"},
        network=lambda seed: Exits(shape, chosen, seed=seed),
        read=lambda plan: lambda first, count: windows(corpus.train, first, count, plan.window, seed=plan.seed),
        objective=Divergence(target),
        measure=measure,
        plan=PLAN,
        rates=RATES,
    )
    return run(folder, kind, changes, say)


def _chosen(folder: Path, depths: Sequence[int] | None, saved: list[int], layers: int) -> list[int]:
    """Return the depths of a run, which stay what it was begun with."""
    chosen = sorted(set(depths or saved or range(EVERY, layers, EVERY)))
    if not chosen or not 1 <= chosen[0] <= chosen[-1] < layers:
        raise PlaygroundError(f"The target has {layers} layers. Choose depths from 1 to {layers - 1}.")
    if saved and chosen != saved:
        raise PlaygroundError(
            f"The run in {folder} has exits after {saved} layers. Leave the depths out to continue it, or choose "
            "another name."
        )
    return chosen


def trained_exits(state: dict[str, Any]) -> Exits:
    """Return the exits of a checkpoint."""
    exits = Exits(Shape(**state["shape"]), depths_of(state))
    exits.load_state_dict(state["weights"])
    return exits.eval()


def depths_of(state: dict[str, Any]) -> list[int]:
    """Return the numbers of layers behind which a checkpoint's exits are; none where it is of no exits."""
    return [int(depth) for depth in state.get("about", {}).get("depths", "").split(",") if depth]


def _config(exits: Exits) -> dict[str, Any]:
    return {"depths": exits.depths, "rank": exits.shape.feed_forward, "norm_eps": NORM_EPS}


BESIDE = Beside(EXITS, CONFIG, WEIGHTS, load=trained_exits, config=_config, measure=measure_exits, card=exits_card)
