"""A drafter that is trained for a target and lies beside it, a head or exits: exported, measured, described."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic

import torch
from safetensors.torch import save

from playground.errors import PlaygroundError
from playground.files import write_file
from playground.models.drafters.beside import fingerprint
from playground.models.machine import machine
from playground.training.evaluation import COUNT
from playground.training.export import read_exported
from playground.training.loop import NetworkT
from playground.training.run import read_checkpoint, read_target, settings_of

RECORD_FILE, EVALUATION = "made.json", "evaluation.json"  # beside the models


@dataclass(frozen=True, slots=True)
class Beside(Generic[NetworkT]):
    """One kind of such a drafter.

    Attributes:
        name: of its folder, and of its entries in `made.json` and `evaluation.json`.
        config_file, weights_file: in that folder.
        load: the network of a checkpoint.
        config: what the file says of a network, beside the fingerprint of its target.
        measure: figures of the one in a folder of models, on held-out text.
        card: its model card, of the folder of models, `made.json` and `evaluation.json`.
    """

    name: str
    config_file: str
    weights_file: str
    load: Callable[[dict[str, Any]], NetworkT]
    config: Callable[[NetworkT], dict[str, Any]]
    measure: Callable[..., dict[str, Any]]
    card: Callable[[Path, dict[str, Any], dict[str, Any]], str]


def export_beside(kind: Beside[Any], work: Path, out: Path, run: str) -> dict[str, Any]:
    """Write a trained drafter in bfloat16 beside its target, and into `made.json` how it was made.

    Args:
        kind: head or exits.
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
    network, folder = kind.load(state), out / kind.name
    weights = {
        name: (weight.to(torch.bfloat16) if weight.is_floating_point() else weight).contiguous()
        for name, weight in network.state_dict().items()
    }
    config = kind.config(network)
    write_file(folder / kind.weights_file, lambda file: file.write(save(weights)))
    write_json(folder / kind.config_file, config | {"fingerprint": mark}, end="\n")
    put(out / RECORD_FILE, kind.name, settings_of(state) | {"machine": machine()["processor"]})
    return {kind.name: str(folder), "parameters": network.num_parameters, "step": state["step"], **config}


def evaluate_beside(kind: Beside[Any], models: Path, held_out: Path, *, count: int = COUNT) -> dict[str, Any]:
    """Measure the drafter beside a target; its figures go into `evaluation.json`, and its card beside it.

    Args:
        kind: head or exits.
        models: the folder with the model `target`.
        held_out: a text that neither has read.
        count: windows of it.
    """
    measured = kind.measure(models, held_out, count=count)
    put(models / EVALUATION, kind.name, measured)
    write_card(kind, models)
    return measured


def write_card(kind: Beside[Any], models: Path) -> None:
    """Write the drafter's `README.md`, where it is known how it was made and what it is worth."""
    record, evaluation = read_json_file(models / RECORD_FILE), read_json_file(models / EVALUATION)
    if kind.name in record and kind.name in evaluation:
        card = kind.card(models, record, evaluation)
        write_file(models / kind.name / "README.md", lambda file: file.write(card.encode()))


def put(path: Path, name: str, value: dict[str, Any]) -> None:
    """Keep a value under this name in a file of such values."""
    write_json(path, read_json_file(path) | {name: value})


def read_json_file(path: Path) -> dict[str, Any]:
    """Return the values of a file by name; none where there is no file."""
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def write_json(path: Path, value: dict[str, Any], *, end: str = "") -> None:
    """Write a file whole or not at all."""
    write_file(path, lambda file: file.write((json.dumps(value, indent=2) + end).encode()))
