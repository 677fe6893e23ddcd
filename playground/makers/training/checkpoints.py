"""A training run's state on disk: whole at every moment, the last two kept, of one shape, written by one process.

A checkpoint holds everything a run needs to go on as if it had never stopped: weights, what the optimiser remembers,
and how many windows were read.
"""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from playground.errors import PlaygroundError
from playground.files import remove_unfinished, write_file
from playground.locks import lock_file
from playground.makers.training.network import Network, Shape

CHECKPOINTS_LEFT = 2


def save_checkpoint(folder: Path, state: dict[str, object]) -> Path:
    """Write a checkpoint, then drop all but the last two.

    Args:
        state: plain values and tensors, with the number of the step under "step".

    Raises:
        PlaygroundError: if it cannot be written; the earlier ones are untouched.
    """
    path = folder / f"step-{state['step']:07d}.pt"
    write_file(path, lambda file: torch.save(state, file))
    for old in checkpoints(folder)[:-CHECKPOINTS_LEFT]:
        old.unlink()
    return path


def checkpoints(folder: Path) -> list[Path]:
    """Return the checkpoints in a folder, oldest first."""
    return sorted(folder.glob("step-*.pt"))


def load_checkpoint(folder: Path) -> dict[str, Any] | None:
    """Return the newest checkpoint that can be read, or None where there is none.

    Raises:
        PlaygroundError: if there are some, and none can be read.
    """
    paths = checkpoints(folder)
    for path in reversed(paths):
        try:
            return torch.load(path, map_location="cpu", weights_only=True)
        except Exception:  # a damaged disk: the one before it is kept for this
            continue
    if paths:
        raise PlaygroundError(f"No checkpoint in {folder} can be read. Remove that folder to start over.")
    return None


def read_checkpoint(folder: Path) -> dict[str, Any]:
    """Return the newest checkpoint.

    Raises:
        PlaygroundError: if there is none.
    """
    state = load_checkpoint(folder)
    if state is None:
        raise PlaygroundError(f"{folder} holds no checkpoint. Train this model first.")
    return state


def load_network(folder: Path) -> Network:
    """Return the network of the newest checkpoint.

    Raises:
        PlaygroundError: if there is none.
    """
    state = read_checkpoint(folder)
    network = Network(Shape(**state["shape"]))
    network.load_state_dict(state["weights"])
    return network.eval()


@contextlib.contextmanager
def only_one(folder: Path) -> Iterator[None]:
    """Hold a folder, so that no two processes train the same run; the file `pid` says who holds it.

    Raises:
        PlaygroundError: if another process holds it, or it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / "pid").open("a+", encoding="utf-8")
    except OSError as error:
        raise PlaygroundError(f"{folder} cannot be written: {error.strerror}. Choose another folder.") from None
    with file:
        try:
            lock_file(file)
        except OSError:
            file.seek(0)
            raise PlaygroundError(
                f"Process {file.read().strip()} is at work in {folder}. Stop it first, or choose another name."
            ) from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        remove_unfinished(folder)
        yield
