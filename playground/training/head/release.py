"""From a trained head to the folder beside its target: export, measure, describe."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save

from playground.decoding.record import machine
from playground.errors import PlaygroundError
from playground.files import write_file
from playground.models.bundled import HEAD
from playground.models.drafters.head import CONFIG, WEIGHTS, fingerprint
from playground.training.evaluation import COUNT
from playground.training.export import read_exported
from playground.training.head.card import write_head_card
from playground.training.head.evaluation import measure_head
from playground.training.head.network import HeadNetwork
from playground.training.network import NORM_EPS, ROPE_THETA, Shape
from playground.training.pipeline import read_checkpoint, read_target

MADE, EVALUATION = "made.json", "evaluation.json"  # beside the models


def export_head(work: Path, out: Path, run: str) -> dict[str, Any]:
    """Write a head in bfloat16 beside its target, and into `made.json` how it was made.

    Args:
        work: the work folder.
        out: with the model `target`.
        run: the head's.

    Raises:
        PlaygroundError: if the target there is not the one that it was trained on, or it cannot be written.
    """
    state = read_checkpoint(work / run)
    mark = fingerprint(read_target(work, state["about"]["teacher"]))
    if mark != fingerprint(read_exported(out / "target")):
        raise PlaygroundError(f"The target in {out} is not the one that {run} was trained on. Name its own folder.")
    head = HeadNetwork(Shape(**state["shape"]))
    head.load_state_dict(state["weights"])
    weights = {name: weight.to(torch.bfloat16).contiguous() for name, weight in head.state_dict().items()}
    config = {
        "heads": head.shape.heads,
        "feed_forward": head.shape.feed_forward,
        "norm_eps": NORM_EPS,
        "rope_theta": ROPE_THETA,
        "fingerprint": mark,
    }
    write_file(out / HEAD / WEIGHTS, lambda file: file.write(save(weights)))
    write_file(out / HEAD / CONFIG, lambda file: file.write((json.dumps(config, indent=2) + "\n").encode()))
    made = {name: state[name] for name in ("shape", "plan", "rates", "step", "tokens", "cpu_s")}
    made["about"] = {name: Path(said).name for name, said in state["about"].items()}  # no folders
    put(out / MADE, "head", made | {"machine": machine()["processor"]})
    return {"head": str(out / HEAD), "parameters": head.num_parameters, "step": state["step"]}


def evaluate_head(models: Path, held_out: Path, *, count: int = COUNT) -> dict[str, Any]:
    """Measure the head beside a target; its figures go into `evaluation.json`, and its card beside it.

    The arguments are those of `measure_head`.
    """
    measured = measure_head(models, held_out, count=count)
    put(models / EVALUATION, "head", measured)
    made = read(models / MADE)
    if "head" in made:
        write_head_card(models, made, read(models / EVALUATION))
    return measured


def put(path: Path, name: str, value: dict[str, Any]) -> None:
    """Keep a value under this name in a file of such values."""
    whole = read(path) | {name: value}
    write_file(path, lambda file: file.write(json.dumps(whole, indent=2).encode()))


def read(path: Path) -> dict[str, Any]:
    """The values of a file by name; none where there is no file."""
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
