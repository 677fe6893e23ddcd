"""The step that trains exits for a target that is there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from playground.errors import PlaygroundError
from playground.training.checkpoints import load_checkpoint
from playground.training.exits.evaluation import acceptance_by_depth
from playground.training.exits.network import Divergence, Exits
from playground.training.loop import Plan, train
from playground.training.network import Shape
from playground.training.optimiser import Rates
from playground.training.pipeline import CONTEXTS, Changes, Progress, Say, newest_target, read_checkpoint, read_target
from playground.training.text.corpus import even_windows, open_corpus, windows

RANK = 24  # of a translator; five of them are 160 kB for the bundled target
EVERY = 2  # layers, where no depths are asked for
SETTINGS = {"tokens_per_step": 2048, "warm_up": 20, "max_steps": 300, "decay_steps": 150}
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
        say: told how it goes.
        teacher: the target, a run in the work folder or an exported folder.
        depths: after how many layers.
            None, for both, is what the run was begun with; in a new run every second layer.

    Returns:
        What the run has come to.

    Raises:
        PlaygroundError: if the target has no such layers, or the run was begun with other depths.
    """
    corpus, folder = open_corpus(work / "corpus"), work / name
    kept = load_checkpoint(folder) or {"about": {}, "plan": SETTINGS, "rates": RATES, "step": 0}
    name_of_target: str = teacher or kept["about"].get("teacher") or newest_target(work)
    target = read_target(work, name_of_target).requires_grad_(requires_grad=False)
    begun, layers = depths_of(kept), target.shape.layers
    chosen = sorted(set(depths or begun or range(EVERY, layers, EVERY)))
    if not chosen or not 1 <= chosen[0] <= chosen[-1] < layers:
        raise PlaygroundError(f"The target has {layers} layers. Choose depths from 1 to {layers - 1}.")
    if begun and chosen != begun:
        raise PlaygroundError(
            f"The run in {folder} has exits after {begun} layers. Leave the depths out to continue it, or choose "
            "another name."
        )
    rank = kept["shape"]["feed_forward"] if "shape" in kept else RANK
    shape = replace(target.shape, feed_forward=changes.shape.get("feed_forward", rank))
    plan = Plan(**kept["plan"] | changes.plan)
    contexts = even_windows(corpus.held_out, *CONTEXTS)

    def measure(exits: Exits) -> dict[str, float]:
        found = acceptance_by_depth(target, exits, contexts)
        return {f"accepted_{depth}": numbers["acceptance_1.0"] for depth, numbers in found["trained"].items()}

    state = train(
        folder,
        Exits(shape, chosen, seed=plan.seed),
        plan,
        Rates(**kept["rates"] | changes.rates),
        lambda first, count: windows(corpus.train, first, count, plan.window, seed=plan.seed),
        Divergence(target),
        about={"teacher": name_of_target, "depths": ",".join(map(str, chosen)), "source": "corpus"},
        measure=measure,
        progress=Progress(say),
    )
    exits = trained_exits(folder)
    return {
        "run": str(folder),
        "parameters": exits.num_parameters,
        "steps_now": state["step"] - kept["step"],
        "step": state["step"],
        "tokens": state["tokens"],
        "cpu_hours": state["cpu_s"] / 3600,
        **measure(exits),
    }


def trained_exits(folder: Path) -> Exits:
    """The exits of a run's newest checkpoint.

    Raises:
        PlaygroundError: if there is none.
    """
    state = read_checkpoint(folder)
    exits = Exits(Shape(**state["shape"]), depths_of(state))
    exits.load_state_dict(state["weights"])
    return exits.eval()


def depths_of(state: dict[str, Any]) -> list[int]:
    """After how many layers a checkpoint's exits are; none where it is of no exits."""
    return [int(depth) for depth in state["about"].get("depths", "").split(",") if depth]
