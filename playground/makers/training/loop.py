"""The one training loop: read windows, lower an objective, keep checkpoints, write a log.

A run can be killed at any moment and goes on from its last checkpoint with the same losses as if it had not been: what
a step reads depends on its number alone, and the log is cut back to the checkpoint before it is continued. A polite
end (SIGTERM, SIGINT) writes a checkpoint first.
"""

import contextlib
import json
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
import torch

from playground.errors import PlaygroundError
from playground.files import write_file
from playground.makers.training.checkpoints import load_checkpoint, only_one, save_checkpoint
from playground.makers.training.network import Network, Trained
from playground.makers.training.optimiser import Optimiser, Rates, rate_scale

MAX_NORM = 1.0

NetworkT = TypeVar("NetworkT", bound=Trained)
Objective = Callable[[NetworkT, torch.Tensor], torch.Tensor]
Read = Callable[[int, int], torch.Tensor]  # this many windows before, this many now; (n, T + 1), or (n,) by number


@dataclass(frozen=True, slots=True)
class Plan:
    """Plan of a run.

    Raises:
        PlaygroundError: if it cannot be followed.
    """

    tokens_per_step: int = 8192  # One update of the weights reads so many, in whole windows.
    window: int = 256  # tokens in a window
    tokens_at_once: int = 2048  # One pass of the network takes so many; more only costs memory.
    warm_up: int = 100  # steps of rising rate
    max_steps: int | None = None  # The run ends there; None goes on until it is stopped.
    decay_steps: int = 0  # the last of these steps, in which the rate falls to zero; 0 keeps it
    checkpoint_s: float = 300.0  # seconds between checkpoints
    measure_steps: int = 250  # steps between measurements on held-out text
    low_precision: bool = True  # multiply in bfloat16
    compiled: bool = False  # let torch fuse the operations of a layer: faster, once it is compiled
    seed: int = 0  # It decides the weights and the order of the windows.

    def __post_init__(self) -> None:
        for name in ("tokens_per_step", "window", "tokens_at_once", "measure_steps"):
            if getattr(self, name) < 1:
                raise PlaygroundError(f"{name.replace('_', ' ')} is {getattr(self, name)}. Choose 1 or more.")
        for name in ("warm_up", "decay_steps", "checkpoint_s", "seed"):
            if getattr(self, name) < 0:
                raise PlaygroundError(f"{name.replace('_', ' ')} is {getattr(self, name)}. Choose 0 or more.")
        if self.decay_steps and (self.max_steps or 0) < self.decay_steps:
            raise PlaygroundError(f"A decay of {self.decay_steps} steps needs at least that many max steps.")


@dataclass(frozen=True, slots=True)
class Trainable(Generic[NetworkT]):
    """Network, data, loss and measurements of one kind of run."""

    about: dict[str, str]  # its settings besides shape, plan and rates, as checkpoints keep them
    network: Callable[[int], NetworkT]  # a network that has learnt nothing, by the seed of its weights
    # the windows of a step, by the plan and by how many were read before it: the same ones at every call
    read: Callable[[Plan], Read]
    objective: Objective[NetworkT]  # the loss of a batch, from the network and the windows that were read
    # numbers of the network on held-out text, for the log and the result
    measure: Callable[[NetworkT], dict[str, float]]
    # defaults of a new run's plan and rates, where they are not those of `Plan` and `Rates`
    plan: Mapping[str, Any] = field(default_factory=dict)
    rates: Mapping[str, Any] = field(default_factory=dict)
    # a checkpoint of another run that a new one begins from; without an "optimiser" (None) that starts over
    start: dict[str, Any] | None = None


def train(
    folder: Path,
    trainable: Trainable[Any],
    plan: Plan,
    rates: Rates,
    progress: Callable[[dict[str, Any]], None] = lambda _: None,
) -> dict[str, Any]:
    """Train until the plan ends or the run is stopped; return its last checkpoint.

    Args:
        folder: the run's: checkpoints and `log.jsonl`. A run that is there is continued.
        progress: called with every line of the log.

    Raises:
        PlaygroundError: if the run in the folder has another shape, the text is too short, or the disk is full.
    """
    with only_one(folder), _stop_signals() as stopped:
        network, saved = trainable.network(plan.seed), load_checkpoint(folder)
        optimiser = Optimiser(network, rates)
        counts = _restore(folder, network, optimiser, saved or trainable.start)
        read, num_windows = trainable.read(plan), max(1, plan.tokens_per_step // plan.window)
        read(0, num_windows)  # too short a text is refused before anything starts

        def keep() -> dict[str, Any]:
            settings = {"shape": asdict(network.shape), "plan": asdict(plan), "rates": asdict(rates)}
            weights = {"weights": network.state_dict(), "optimiser": optimiser.state()}
            save_checkpoint(folder, checkpoint := {**settings, "about": trainable.about, **counts, **weights})
            return checkpoint

        if saved is None:
            keep()
        network.train()
        if plan.compiled and isinstance(network, Network):  # Compiling the others is not worth it.
            network.compile_layers()
        log, last_kept = _open_log(folder / "log.jsonl", counts["step"]), time.monotonic()
        while not stopped() and (plan.max_steps is None or counts["step"] < plan.max_steps):
            began, began_cpu = time.monotonic(), time.process_time()
            scale = rate_scale(counts["step"], plan.warm_up, plan.max_steps, plan.decay_steps)
            batch = read(counts["windows"], num_windows)
            loss = _step(network, optimiser, trainable.objective, batch, plan, scale)
            counts["step"] += 1
            counts["windows"] += num_windows
            counts["tokens"] += num_windows * plan.window
            counts["cpu_s"] += time.process_time() - began_cpu
            line = {"step": counts["step"], "tokens": counts["tokens"], "loss": loss, "rate": scale}
            line |= {"seconds": time.monotonic() - began, "cpu_s": counts["cpu_s"]}
            if counts["step"] % plan.measure_steps == 0:
                line |= _measured(network, trainable.measure)
            log(line)
            progress(line)
            if time.monotonic() - last_kept >= plan.checkpoint_s:
                keep()
                last_kept = time.monotonic()
        return keep()


def _restore(folder: Path, network: Trained, optimiser: Optimiser, state: dict[str, Any] | None) -> dict[str, Any]:
    """Give network and optimiser the state of a checkpoint, if there is one, and return its counts."""
    if state is not None:
        saved = type(network.shape)(**state["shape"])
        if saved != network.shape:
            raise PlaygroundError(
                f"The run in {folder} has a network of {saved}, not of {network.shape}. Leave the shape out to "
                "continue it, or choose another folder."
            )
        network.load_state_dict(state["weights"])
        if state["optimiser"] is not None:
            optimiser.restore(state["optimiser"])
    return {name: state[name] if state else 0 for name in ("step", "windows", "tokens", "cpu_s")}


def _step(
    network: NetworkT,
    optimiser: Optimiser,
    objective: Objective[NetworkT],
    batch: torch.Tensor,
    plan: Plan,
    scale: float,
) -> float:
    """Update the weights once, and return the mean loss before the update."""
    parts = batch.split(max(1, plan.tokens_at_once // plan.window))
    total = 0.0
    for part in parts:
        with torch.autocast("cpu", torch.bfloat16, enabled=plan.low_precision):
            loss = objective(network, part) * (len(part) / len(batch))
        loss.backward()
        total += loss.item()
    if not np.isfinite(total):
        raise PlaygroundError("The loss is no longer a number. Continue from the last checkpoint with a lower rate.")
    torch.nn.utils.clip_grad_norm_(network.parameters(), MAX_NORM)
    optimiser.step(scale)
    return total


def _measured(network: NetworkT, measure: Callable[[NetworkT], dict[str, float]]) -> dict[str, float]:
    network.eval()
    with torch.inference_mode(), torch.compiler.set_stance("force_eager"):  # other shapes are not worth compiling for
        numbers = measure(network)
    network.train()
    return numbers


def _open_log(path: Path, step: int) -> Callable[[dict[str, object]], None]:
    """Return a function that writes a line of JSON, in step with the checkpoints.

    Lines past `step` were written after the checkpoint that is continued: they will be written again.
    """
    lines = []
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            with contextlib.suppress(ValueError, KeyError):  # a line cut short by a kill
                if json.loads(line)["step"] <= step:
                    lines.append(line + "\n")
    write_file(path, "".join(lines))

    def write(line: dict[str, object]) -> None:
        try:
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
        except OSError as error:
            raise PlaygroundError(f"{path} cannot be written: {error.strerror}. Make room, then go on.") from None

    return write


@contextlib.contextmanager
def _stop_signals() -> Iterator[Callable[[], bool]]:
    """Yield a function that returns True once the terminal or the parent process has ended the run."""
    signals = []
    earlier = {}
    with contextlib.suppress(ValueError):  # not the main thread: signals cannot be handled
        for number in (signal.SIGINT, signal.SIGTERM):
            earlier[number] = signal.signal(number, lambda *_: signals.append(True))
    try:
        yield lambda: bool(signals)
    finally:
        for number, handler in earlier.items():
            signal.signal(number, handler)
