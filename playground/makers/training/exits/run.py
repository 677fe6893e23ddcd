"""The run of exits for an existing target."""

from __future__ import annotations

from dataclasses import replace

from playground.errors import PlaygroundError
from playground.makers.training.exits.beside import acceptance_by_depth, depths_of
from playground.makers.training.exits.network import Divergence, Exits
from playground.makers.training.run import CONTEXTS, Kind, Run, Trainable
from playground.makers.training.text.corpus import even_windows, windows

RANK = 24  # of a translator; five of them are 160 kB for the bundled target
EVERY = 2  # layers, where no depths are chosen
PLAN = {"tokens_per_step": 2048, "warm_up": 20, "max_steps": 300, "decay_steps": 150}
RATES = {"matrices": 0.01, "others": 0.003}


def _make(run: Run) -> Trainable[Exits]:
    """Return exits after this many layers of the target, `depths`; of the shape only the rank changes, `feed_forward`.

    Raises:
        PlaygroundError: if the target has no such layers.
    """
    corpus, target = run.corpus(), run.teacher()
    layers = target.shape.layers
    depths = depths_of(run.about) or list(range(EVERY, layers, EVERY))
    if not depths or not 1 <= depths[0] <= depths[-1] < layers:
        raise PlaygroundError(f"The target has {layers} layers. Choose depths from 1 to {layers - 1}, such as 1,2.")
    run.about["depths"] = ",".join(map(str, depths))
    rank = run.changes.shape.get("feed_forward", run.saved["shape"]["feed_forward"] if run.saved else RANK)
    shape, contexts = replace(target.shape, feed_forward=rank), even_windows(corpus.held_out, *CONTEXTS)

    def measure(exits: Exits) -> dict[str, float]:
        trained = acceptance_by_depth(target, exits, contexts)["trained"]
        return {f"accepted_{depth}": numbers["acceptance_1.0"] for depth, numbers in trained.items()}

    return Trainable(
        run.about,
        network=lambda seed: Exits(shape, depths, seed=seed),
        read=lambda plan: lambda first, count: windows(corpus.train, first, count, plan.window, seed=plan.seed),
        objective=Divergence(target),
        measure=measure,
        plan=PLAN,
        rates=RATES,
    )


EXITS = Kind("exits", {"teacher": "target", "depths": "", "source": "corpus"}, _make)
