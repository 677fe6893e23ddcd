"""A drafter that is trained for a target and saved next to it, head, block or exits: exported, measured, described."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save

from playground.errors import PlaygroundError
from playground.files import write_file
from playground.makers.training.checkpoints import read_checkpoint
from playground.makers.training.evaluation import COUNT
from playground.makers.training.export import as_transformers, read_exported
from playground.makers.training.loop import NetworkT
from playground.makers.training.network import Network
from playground.makers.training.pair.card import fill_card, front, title_of
from playground.makers.training.pair.evaluation import contexts_of
from playground.makers.training.run import read_target, settings_of
from playground.models.drafters.beside import fingerprint
from playground.models.machine import machine

RECORD_FILE, EVALUATION = "made.json", "evaluation.json"  # beside the models
Weights = dict[str, torch.Tensor]


@dataclass(frozen=True, slots=True)
class Beside(Generic[NetworkT]):
    """One kind of such a drafter.

    Attributes:
        name: of its folder, and of its entries in `made.json` and `evaluation.json`.
        files: names of its config and of its weights in that folder.
        of_state: a network for the weights of a checkpoint.
        of_config: a network for the weights in a file, by its config and the target.
        config: what the file says of a network, beside the fingerprint of its target.
        measure: figures of target and network on windows of a held-out text, and of the target's own. (n, T) each
        figures: what its template, assets/cards/NAME.md, says that other cards do not, of the run, the figures, and
            those of the pair.
    """

    name: str
    files: tuple[str, str]
    of_state: Callable[[dict[str, Any]], NetworkT]
    of_config: Callable[[dict[str, Any], Network, Weights], NetworkT]
    config: Callable[[NetworkT], dict[str, Any]]
    measure: Callable[[Network, NetworkT, torch.Tensor, torch.Tensor], dict[str, Any]]
    figures: Callable[[dict[str, Any], dict[str, Any], dict[str, Any]], dict[str, Any]]


def export_beside(kind: Beside[Any], work: Path, out: Path, run: str) -> dict[str, Any]:
    """Write a trained drafter in bfloat16 beside its target, and into `made.json` how it was made.

    Args:
        kind: of the drafter.
        work: the work folder.
        out: with the model `target`.
        run: of the drafter.

    Raises:
        PlaygroundError: if the target there is not the one that it was trained on, or it cannot be written.
    """
    state = read_checkpoint(work / run)
    mark = fingerprint(read_target(work, state["about"]["teacher"]))
    if mark != fingerprint(read_exported(out / "target")):
        raise PlaygroundError(f"The target in {out} is not the one that {run} was trained on. Name its own folder.")
    network, folder = _with_weights(kind.of_state(state), state["weights"]), out / kind.name
    weights = {
        name: (weight.to(torch.bfloat16) if weight.is_floating_point() else weight).contiguous()
        for name, weight in network.state_dict().items()
    }
    config = kind.config(network)
    write_file(folder / kind.files[1], lambda file: file.write(save(weights)))
    write_json(folder / kind.files[0], config | {"fingerprint": mark}, end="\n")
    _put(out / RECORD_FILE, kind.name, settings_of(state) | {"machine": machine()["processor"]})
    return {kind.name: str(folder), "parameters": network.num_parameters, "step": state["step"], **config}


def read_beside(kind: Beside[NetworkT], folder: Path, target: Network) -> NetworkT:
    """Return the drafter in a folder.

    Raises:
        PlaygroundError: if there is none, or it is another target's.
    """
    try:
        config = json.loads((folder / kind.files[0]).read_text(encoding="utf-8"))
        weights = load_file(folder / kind.files[1])
        network = _with_weights(kind.of_config(config, target, weights), weights)
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
        raise PlaygroundError(f"{folder} holds no {kind.name} of this kind: {str(error).splitlines()[0]}") from None
    if config["fingerprint"] != fingerprint(target):
        raise PlaygroundError(f"What {folder} holds was trained on another target. Train the {kind.name} for this one.")
    return network


def _with_weights(network: NetworkT, weights: Weights) -> NetworkT:
    network.load_state_dict(weights)
    return network.eval()


def evaluate_beside(kind: Beside[Any], models: Path, held_out: Path, *, count: int = COUNT) -> dict[str, Any]:
    """Measure the drafter beside a target; its figures go into `evaluation.json`, and its card beside it.

    The contexts are those on which the pair's drafts are measured.

    Args:
        kind: of the drafter.
        models: the folder with the model `target`.
        held_out: a text that neither has read.
        count: windows of it.

    Raises:
        PlaygroundError: if there is none, or it is another target's.
    """
    target = read_exported(models / "target")
    network = read_beside(kind, models / kind.name, target)
    contexts = contexts_of(models, as_transformers(target), held_out, count)
    measured = {"parameters": network.num_parameters, **kind.measure(target, network, *contexts)}
    _put(models / EVALUATION, kind.name, measured)
    write_card(kind, models)
    return measured


def write_card(kind: Beside[Any], models: Path) -> None:
    """Write the drafter's `README.md`, where it is known how it was made and what it is worth."""
    record, evaluation = read_json_file(models / RECORD_FILE), read_json_file(models / EVALUATION)
    if kind.name not in record or kind.name not in evaluation:
        return
    run, numbers = record[kind.name], evaluation[kind.name]
    size = (models / kind.name / kind.files[1]).stat().st_size
    shared = {
        "front": front(record),
        "title": title_of(record),
        "data": record["data"],
        "parameters": numbers["parameters"],
        "megabytes": size / 1e6,
        "kilobytes": size / 1e3,
        "tokens_per_step": run["plan"]["tokens_per_step"],
        "tokens": run["tokens"] / 1e6,
        "step": run["step"],
        "kept": int(run["about"].get("num_tokens", 0)) / 1e6,
        "hours": run["cpu_s"] / 3600,
        "machine": run["machine"],
    }
    figures = kind.figures(run, numbers, evaluation)
    fill_card(models / kind.name, kind.name, **{**run["about"], **run["shape"], **shared, **figures})


def _put(path: Path, name: str, value: dict[str, Any]) -> None:
    """Keep a value under this name in a file of such values."""
    write_json(path, read_json_file(path) | {name: value})


def read_json_file(path: Path) -> dict[str, Any]:
    """Return the values of a file by name; none where there is no file."""
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def write_json(path: Path, value: dict[str, Any], *, end: str = "") -> None:
    """Write a file whole or not at all."""
    write_file(path, lambda file: file.write((json.dumps(value, indent=2) + end).encode()))
