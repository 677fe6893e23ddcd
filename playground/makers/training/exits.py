"""Exits from the middle of a target, trained to predict what its last layer will: network, loss, run and figures.

    stream after layer k -> norm -> x -> x + up(down(x)) -> the target's last norm -> the target's output layer -> q

`up` begins at zero and the norm at ones, so an exit begins as the untrained one: norms of norms are norms. All depths
train together, on one pass of the target, whose weights stay what they are.

Source: Belrose et al. 2023, the tuned lens, arXiv 2303.08112; see models/drafters/trained_exit.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from playground.errors import PlaygroundError
from playground.makers.training.beside import TEXTS, Beside, Weights
from playground.makers.training.evaluation import agreement_of
from playground.makers.training.loop import Trainable
from playground.makers.training.network import NORM_EPS, Network, Shape
from playground.makers.training.run import CONTEXTS, Kind, Run
from playground.makers.training.text.corpus import even_windows, windows
from playground.models.bundled import EXITS as NAME
from playground.models.drafters.trained_exit import CONFIG, WEIGHTS

RANK = 24  # of a translator; five of them are 160 kB for the bundled target
EVERY = 2  # layers, where no depths are chosen
PLAN = {"tokens_per_step": 2048, "warm_up": 20, "max_steps": 300, "decay_steps": 150}
RATES = {"matrices": 0.01, "others": 0.003}
STATES = ("untrained", "trained")

# a state, a depth, and what `agreement` says there
ByDepth = dict[str, dict[str, dict[str, float]]]


class Exits(Beside):
    """Translators from layers of a target to its last one, by depth."""

    name, files = NAME, (CONFIG, WEIGHTS)

    def __init__(self, shape: Shape, depths: Sequence[int], *, seed: int = 0) -> None:
        super().__init__()
        self.shape = shape  # the target's, but `feed_forward`, which is the rank of the translators
        # by the number of layers, written out
        self.exits = nn.ModuleDict({str(depth): _Translator(shape) for depth in depths})
        self.initialise(seed, ("up.weight", "up.bias"))

    @property
    def depths(self) -> list[int]:
        """After how many layers, ascending."""
        return sorted(map(int, self.exits))

    def forward(self, stream: torch.Tensor, depth: int) -> torch.Tensor:
        """Input of the target's last norm, from its stream after this many layers. (..., width) to the same."""
        return self.exits[str(depth)](stream)

    @classmethod
    def of_config(cls, config: dict[str, Any], target: Network, weights: Weights) -> Exits:
        """Return exits for the weights in a file."""
        return cls(replace(target.shape, feed_forward=config["rank"]), config["depths"])

    @staticmethod
    def config_of(state: dict[str, Any]) -> dict[str, Any]:
        """Return what the file says."""
        return {"depths": depths_of(state["about"]), "rank": state["shape"]["feed_forward"], "norm_eps": NORM_EPS}

    def measure(self, target: Network, *texts: torch.Tensor) -> dict[str, Any]:
        """Return agreement by depth on each text."""
        return {name: acceptance_by_depth(target, self, text) for name, text in zip(TEXTS, texts, strict=True)}

    @staticmethod
    def figures(run: dict[str, Any], numbers: dict[str, Any], evaluation: dict[str, Any]) -> dict[str, Any]:
        """Return what only the exits' card says."""
        depths = run["about"]["depths"].split(",")
        table, rank = depths_table(numbers), run["shape"]["feed_forward"]
        return {"rank": rank, "deepest": depths[-1], "depths": ", ".join(depths), "table": table}


class _Translator(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.norm = nn.RMSNorm(shape.width, NORM_EPS)
        self.down = nn.Linear(shape.width, shape.feed_forward, bias=False)
        self.up = nn.Linear(shape.feed_forward, shape.width)

    def forward(self, stream: torch.Tensor) -> torch.Tensor:
        x = self.norm(stream)
        return x + self.up(self.down(x))


def divergence(teacher: Network, exits: Exits, batch: torch.Tensor) -> torch.Tensor:
    """KL(p || q) in nats, averaged over positions and depths of (n, T + 1) tokens; p is the target's own."""
    with torch.no_grad():
        streams = list(teacher.model.streams(batch[:, :-1]))  # (n, T, width) after each layer
        target_probs = torch.softmax(_logits(teacher, streams[-1]), -1)  # (n * T, V)
        entropy = torch.special.entr(target_probs).sum(-1).mean()
    total = torch.zeros(())
    for depth in exits.depths:
        logits = _logits(teacher, exits(streams[depth - 1], depth))
        total = total + functional.cross_entropy(logits, target_probs) - entropy
    return total / len(exits.depths)


def _logits(teacher: Network, stream: torch.Tensor) -> torch.Tensor:
    """Return what the target's last norm and output layer make of a stream. (n, T, width) to (n * T, V)"""
    return teacher.lm_head(teacher.model.norm(stream)).float().flatten(0, 1)


def _make(run: Run) -> Trainable[Exits]:
    """Return exits after `depths` layers of the target; of the shape only the rank, `feed_forward`, changes."""
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
        read=lambda plan: partial(windows, corpus.train, length=plan.window, seed=plan.seed),
        objective=partial(divergence, target),
        measure=measure,
        plan=PLAN,
        rates=RATES,
    )


EXITS = Kind("exits", {"teacher": "target", "depths": "", "source": "corpus"}, _make)


def depths_of(about: Mapping[str, str]) -> list[int]:
    """Return the numbers of layers behind which a run's exits are, ascending; none where none are chosen.

    Raises:
        PlaygroundError: if they are not numbers.
    """
    try:
        return sorted({int(depth) for depth in about["depths"].split(",") if depth})
    except ValueError:
        raise PlaygroundError(f"Depths are numbers of layers, such as 2,4,6, not {about['depths']!r}.") from None


@torch.inference_mode()
def acceptance_by_depth(target: Network, exits: Exits, batch: torch.Tensor) -> ByDepth:
    """Return expected acceptance and greedy agreement of each depth, untrained and trained, over (n, T) tokens."""
    sums: ByDepth = {state: {str(depth): {} for depth in exits.depths} for state in STATES}
    for window in batch.split(4):
        streams = list(target.model.streams(window))
        p_logits = _logits(target, streams[-1])
        for depth in exits.depths:
            stream = streams[depth - 1]
            for state, seen in zip(STATES, (stream, exits(stream, depth)), strict=True):
                sums_here = sums[state][str(depth)]
                for name, mean in agreement_of(p_logits, _logits(target, seen)).items():
                    sums_here[name] = sums_here.get(name, 0.0) + mean * len(window) / len(batch)
    return sums


def depths_table(measured: dict[str, Any]) -> str:
    """Return acceptance at temperature 1 by depth, before and after training."""
    rows = [
        "| exit after | held-out text, untrained | trained | text of the target, untrained | trained |\n",
        "| --- | --- | --- | --- | --- |\n",
    ]
    for depth in measured[TEXTS[0]]["trained"]:
        figures = [measured[text][state][depth]["acceptance_1.0"] for text in TEXTS for state in STATES]
        rows.append(f"| {depth} layers | {' | '.join(f'{each:.3f}' for each in figures)} |\n")
    return "".join(rows)
