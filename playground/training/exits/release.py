"""From trained exits to the folder beside their target: export, measure, describe."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save

from playground.decoding.record import machine
from playground.errors import PlaygroundError
from playground.files import write_file
from playground.models.bundled import EXITS
from playground.models.drafters.head import fingerprint
from playground.models.drafters.trained_exit import CONFIG, WEIGHTS
from playground.training.evaluation import COUNT
from playground.training.exits.card import write_exits_card
from playground.training.exits.evaluation import measure_exits
from playground.training.exits.run import trained_exits
from playground.training.export import read_exported
from playground.training.head.release import EVALUATION, MADE, put, read
from playground.training.network import NORM_EPS
from playground.training.pipeline import read_checkpoint, read_target


def export_exits(work: Path, out: Path, run: str) -> dict[str, Any]:
    """Write exits in bfloat16 beside their target, and into `made.json` how they were made.

    Args:
        work: the work folder.
        out: with the model `target`.
        run: the exits'.

    Raises:
        PlaygroundError: if the target there is not the one that they were trained on, or they cannot be written.
    """
    state, exits = read_checkpoint(work / run), trained_exits(work / run)
    mark = fingerprint(read_target(work, state["about"]["teacher"]))
    if mark != fingerprint(read_exported(out / "target")):
        raise PlaygroundError(f"The target in {out} is not the one that {run} was trained on. Name its own folder.")
    weights = {name: weight.to(torch.bfloat16).contiguous() for name, weight in exits.state_dict().items()}
    rank = exits.shape.feed_forward
    config = {"depths": exits.depths, "rank": rank, "norm_eps": NORM_EPS, "fingerprint": mark}
    write_file(out / EXITS / WEIGHTS, lambda file: file.write(save(weights)))
    write_file(out / EXITS / CONFIG, lambda file: file.write((json.dumps(config, indent=2) + "\n").encode()))
    made = {name: state[name] for name in ("shape", "plan", "rates", "step", "tokens", "cpu_s")}
    made["about"] = state["about"] | {"teacher": Path(state["about"]["teacher"]).name}  # no folders
    put(out / MADE, "exits", made | {"machine": machine()["processor"]})
    return {
        "exits": str(out / EXITS),
        "depths": exits.depths,
        "parameters": exits.num_parameters,
        "step": state["step"],
    }


def evaluate_exits(models: Path, held_out: Path, *, count: int = COUNT) -> dict[str, Any]:
    """Measure the exits beside a target; their figures go into `evaluation.json`, and their card beside them.

    The arguments are those of `measure_exits`.
    """
    measured = measure_exits(models, held_out, count=count)
    put(models / EVALUATION, "exits", measured)
    made = read(models / MADE)
    if "exits" in made:
        write_exits_card(models, made, measured)
    return measured
