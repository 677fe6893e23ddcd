"""A training run of any kind, and what it has come to: target, draft, head, exits, and the shop's recommenders.

A work folder holds `corpus/` and one folder per run: `target`, `target-finished` (a copy of it whose rate fell to
zero), `draft`, and whatever else they are named. A kind of run is a `Trainable`; `run` trains it or goes on with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic

from playground.errors import PlaygroundError, did_you_mean
from playground.models.sources.gguf_file import is_gguf
from playground.training.checkpoints import checkpoints, load_checkpoint, load_network
from playground.training.export import read_exported
from playground.training.loop import NetworkT, Objective, Plan, Read, train
from playground.training.network import Network
from playground.training.optimiser import Rates

FINISHED = "-finished"
LINES = 10  # steps between two lines of progress
CONTEXTS = (16, 256)  # windows of held-out text on which a drafter is compared with its target while it trains

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Changes:
    """Fields of shape, plan and rates that differ from a run's own settings, or from the defaults in a new run."""

    shape: dict[str, Any] = field(default_factory=dict)
    plan: dict[str, Any] = field(default_factory=dict)
    rates: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Trainable(Generic[NetworkT]):
    """One kind of run: all that a target, a draft, a head and exits differ in.

    Attributes:
        about: its settings beside shape, plan and rates, as checkpoints keep them.
        network: a network that has learnt nothing, by the seed of its weights.
        read: the windows of each step of a plan.
        objective: the loss of a batch.
        measure: numbers of the network on held-out text, for the log and the result.
        plan, rates: defaults of a new run, where they are not those of `Plan` and `Rates`.
        start: a checkpoint of another run that a new one begins from.
    """

    about: dict[str, str]
    network: Callable[[int], NetworkT]
    read: Callable[[Plan], Read]
    objective: Objective[NetworkT]
    measure: Callable[[NetworkT], dict[str, float]]
    plan: Mapping[str, Any] = field(default_factory=dict)
    rates: Mapping[str, Any] = field(default_factory=dict)
    start: dict[str, Any] | None = None


def advance(
    folder: Path,
    kind: Trainable[NetworkT],
    changes: Changes,
    *,
    progress: Callable[[dict[str, Any]], None],
) -> dict[str, Any]:
    """Train to the plan's end, or go on with the run that is there; its last checkpoint.

    Settings are those of the checkpoint that is continued, or the kind's defaults, with the changes.
    """
    saved = load_checkpoint(folder) or kind.start or {}
    plan = Plan(**{**kind.plan, **saved.get("plan", {}), **changes.plan})
    rates = Rates(**{**kind.rates, **saved.get("rates", {}), **changes.rates})
    return train(
        folder,
        kind.network(plan.seed),
        plan,
        rates,
        kind.read(plan),
        kind.objective,
        about=kind.about,
        start=kind.start,
        measure=kind.measure,
        progress=progress,
    )


def run(folder: Path, kind: Trainable[NetworkT], changes: Changes, say: Say) -> dict[str, Any]:
    """Train as `advance` does, with a line of progress every few steps; steps, tokens, hours and measurements."""
    saved = load_checkpoint(folder) or kind.start or {"step": 0}
    state = advance(folder, kind, changes, progress=Progress(say))
    network = kind.network(state["plan"]["seed"])
    network.load_state_dict(state["weights"])
    return {
        "run": str(folder),
        "parameters": network.num_parameters,
        "steps_now": state["step"] - saved["step"],
        "step": state["step"],
        "tokens": state["tokens"],
        "cpu_hours": state["cpu_s"] / 3600,
        **kind.measure(network.eval()),
    }


def newest_target(work: Path) -> str:
    """Return the name of the finished target, or of the one in training."""
    return f"target{FINISHED}" if checkpoints(work / f"target{FINISHED}") else "target"


def read_target(work: Path, name: str) -> Network:
    """Return the target of a drafter: a run in the work folder, an exported folder, or a GGUF file."""
    if (Path(name) / "config.json").is_file() or (is_gguf(name) and Path(name).is_file()):
        return read_exported(Path(name))
    if (work / name).is_dir():
        return load_network(work / name)
    raise PlaygroundError(f"{name!r} is neither a run in {work} nor a model folder. Train it first.")


def read_checkpoint(folder: Path) -> dict[str, Any]:
    """Return the newest checkpoint of a run.

    Raises:
        PlaygroundError: if there is none.
    """
    state = load_checkpoint(folder)
    if state is None:
        raise PlaygroundError(f"{folder} holds no checkpoint. Train this model first.")
    return state


def settings_of(state: dict[str, Any]) -> dict[str, Any]:
    """Return a run's settings and amounts as `made.json` has them, without the paths of folders."""
    settings = {name: state[name] for name in ("shape", "plan", "rates", "step", "tokens", "cpu_s")}
    return settings | {"about": {name: Path(value).name for name, value in state["about"].items()}}


def check_known(role: str, name: str, known: tuple[str, ...]) -> None:
    """Refuse a source or an objective that this role is not trained on."""
    if name not in known:
        raise PlaygroundError(f"{role} is not trained on {name!r}. {did_you_mean(name, known)}")


class Progress:
    """A line of words every few steps."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._losses: list[float] = []
        self._seconds = 0.0
        self._tokens: int | None = None

    def __call__(self, line: dict[str, Any]) -> None:
        """Take a line of the log."""
        self._losses.append(line["loss"])
        self._seconds += line["seconds"]
        if "held_out_bits_per_byte" in line:
            self._say(f"step {line['step']}  held out {line['held_out_bits_per_byte']:.4f} bits a byte")
        if line["step"] % LINES == 0:
            read = line["tokens"] - (self._tokens if self._tokens is not None else 0)
            speed = f"  {read / self._seconds:.0f} tokens/s" if self._tokens is not None else ""
            mean = sum(self._losses) / len(self._losses)
            self._say(f"step {line['step']}  loss {mean:.4f}  {line['tokens'] / 1e6:.2f} M tokens{speed}")
            self._losses, self._seconds, self._tokens = [], 0.0, line["tokens"]
