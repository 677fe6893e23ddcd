"""A training run of any kind, and what it has come to: target, draft, head, block drafter, and the recommenders.

A work folder holds `corpus/` and one folder per run: `target`, `draft`, and whatever else they are named. A `Kind`
makes a `Trainable` of a run's settings; `train_run` trains it or goes on with it.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

import torch

from playground.errors import PlaygroundError, did_you_mean
from playground.makers.training.checkpoints import checkpoints, load_checkpoint, load_network
from playground.makers.training.export import read_exported
from playground.makers.training.loop import NetworkT, Plan, Trainable, train
from playground.makers.training.network import Network, Shape
from playground.makers.training.optimiser import Rates
from playground.makers.training.text.corpus import Corpus, open_corpus
from playground.models.sources.gguf_file import is_gguf

LINES = 10  # steps between two lines of progress
CONTEXTS = (16, 256)  # windows of held-out text on which a drafter is compared with its target while it trains
# A run that has made no step has these.
FRESH = {"optimiser": None, "step": 0, "windows": 0, "tokens": 0, "cpu_s": 0.0}
STARTED_FROM = "started_from"  # the setting that names the network with which a run begins

Say = Callable[[str], None]
ShapeT = TypeVar("ShapeT", bound=Shape)


@dataclass(frozen=True, slots=True)
class Changes:
    """Fields of shape, plan and rates that differ from a run's own settings, or from the defaults in a new run."""

    shape: dict[str, Any] = field(default_factory=dict)
    plan: dict[str, Any] = field(default_factory=dict)
    rates: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Run:
    """A run that begins or goes on."""

    work: Path
    saved: dict[str, Any]  # the checkpoint that is continued or begun from; empty where there is none
    start: dict[str, Any] | None  # It is `saved` where that is another run's checkpoint.
    about: dict[str, str]  # its settings besides shape, plan and rates
    changes: Changes
    say: Say  # called with each line of progress

    def corpus(self) -> Corpus:
        """Return the text of the work folder."""
        return open_corpus(self.work / "corpus")

    def shape(self, usual: ShapeT) -> ShapeT:
        """Return the shape of its network: the saved one or the usual one, with the changes."""
        return replace(type(usual)(**self.saved["shape"]) if self.saved else usual, **self.changes.shape)

    def teacher(self) -> Network:
        """Return the target that a drafter learns from, whose weights stay as they are."""
        return read_target(self.work, self.about["teacher"]).requires_grad_(requires_grad=False)


@dataclass(frozen=True, slots=True)
class Kind(Generic[NetworkT]):
    """A kind of run."""

    name: str  # The command line calls it so, and its runs unless they are named.
    usual: Mapping[str, str]  # settings of a new run besides shape, plan and rates
    make: Callable[[Run], Trainable[NetworkT]]  # It gives what such a run trains.
    # the values that a setting can have, where they are few
    known: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def train_run(
    kind: Kind[Any], work: Path, name: str, changes: Changes, given: Mapping[str, str], say: Say
) -> dict[str, Any]:
    """Train a run to its plan's end, or go on with it.

    Args:
        given: settings of a new run, which it keeps; `started_from` names a network to begin with, of a run or of an
            exported folder, and counts for nothing once the run has begun.

    Returns:
        Steps, tokens, hours and measurements of the run.

    Raises:
        PlaygroundError: if something it needs is missing, or a run was begun with another setting.
    """
    folder, start = work / name, None
    if STARTED_FROM in given and not checkpoints(folder):
        start = _started_from(read_target(work, given[STARTED_FROM]))
    saved = load_checkpoint(folder) or start or {}
    about = _settings(kind, folder, saved.get("about", {}), given)
    return come_to(folder, kind.make(Run(work, saved, start, about, changes, say)), changes, say)


def _settings(kind: Kind[Any], folder: Path, saved: Mapping[str, str], given: Mapping[str, str]) -> dict[str, str]:
    """Return a run's settings, which stay what it was begun with."""
    for name, value in given.items():
        if saved and name != STARTED_FROM and saved.get(name, value) != value:
            raise PlaygroundError(
                f"{folder} was begun with the {name.replace('_', ' ')} {saved[name]!r}, not {value!r}. Leave it out to "
                "go on, or begin a new run with --start-from."
            )
    about = {**kind.usual, **(saved or given)}
    for name, values in kind.known.items():
        if about[name] not in values:
            raise PlaygroundError(f"A {kind.name} has no {name} {about[name]!r}. {did_you_mean(about[name], values)}")
    return about


def _started_from(network: Network) -> dict[str, Any]:
    """Return the start of a new run from an existing network."""
    return {"shape": asdict(network.shape), "plan": {}, "rates": {}, "weights": network.state_dict()} | FRESH


def come_to(folder: Path, trainable: Trainable[Any], changes: Changes, say: Say) -> dict[str, Any]:
    """Train or continue a run to its plan's end, and measure it.

    Settings are those of the checkpoint that is continued, or the defaults, with the changes; every few steps there is
    a line of progress.
    """
    saved = load_checkpoint(folder) or trainable.start or {"step": 0}
    plan = Plan(**{**trainable.plan, **saved.get("plan", {}), **changes.plan})
    rates = Rates(**{**trainable.rates, **saved.get("rates", {}), **changes.rates})
    state = train(folder, trainable, plan, rates, _progress(say))
    network = trainable.network(state["plan"]["seed"])
    network.load_state_dict(state["weights"])
    with torch.inference_mode():
        measured = trainable.measure(network.eval())
    return {
        "run": str(folder),
        "parameters": network.num_parameters,
        "steps_now": state["step"] - saved["step"],
        "step": state["step"],
        "tokens": state["tokens"],
        "cpu_hours": state["cpu_s"] / 3600,
        **measured,
    }


def read_target(work: Path, name: str) -> Network:
    """Return the target of a drafter: a run in the work folder, an exported folder, or a GGUF file."""
    if (Path(name) / "config.json").is_file() or (is_gguf(name) and Path(name).is_file()):
        return read_exported(Path(name))
    if (work / name).is_dir():
        return load_network(work / name)
    raise PlaygroundError(f"{name!r} is neither a run in {work} nor a model folder. Train it first.")


def settings_of(state: dict[str, Any]) -> dict[str, Any]:
    """Return a run's settings and amounts as `made.json` has them, without the paths of folders."""
    settings = {name: state[name] for name in ("shape", "plan", "rates", "step", "tokens", "cpu_s")}
    return settings | {"about": {name: Path(value).name for name, value in state["about"].items()}}


def _progress(say: Say) -> Callable[[dict[str, Any]], None]:
    """Return what takes each line of a log, and says the mean of every few, and what was measured."""
    recent: list[dict[str, Any]] = []

    def take(line: dict[str, Any]) -> None:
        recent.append(line)
        if measured := {name: line[name] for name in line if name.startswith("held_out")}:
            said = ", ".join(f"{name.replace('_', ' ')} {value:.4f}" for name, value in measured.items())
            say(f"step {line['step']}  {said}")
        if line["step"] % LINES == 0:
            mean, seconds = (sum(each[name] for each in recent) for name in ("loss", "seconds"))
            speed = f"{line['tokens'] / 1e6:.2f} M tokens  {len(recent) / seconds:.2f} steps/s"
            say(f"step {line['step']}  loss {mean / len(recent):.4f}  {speed}")
            recent.clear()

    return take
