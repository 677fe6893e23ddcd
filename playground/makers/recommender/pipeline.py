"""The steps that make the recommenders of a shop: target, first draft, the target's lists, six versions of the draft.

Every step can be stopped or killed and goes on from its last checkpoint. A work folder has a folder per run.
"""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch

from playground.errors import PlaygroundError, did_you_mean
from playground.files import write_file
from playground.makers.recommender.examples import TOP, Pairs, Windows, make_lists, validation
from playground.makers.recommender.objectives import ALPHA, LOSSES, Alignment, next_item, next_token
from playground.makers.training.checkpoints import load_network, read_checkpoint
from playground.makers.training.export import as_transformers, write_model
from playground.makers.training.loop import Objective, Plan, Read, Trainable
from playground.makers.training.network import Network, Shape
from playground.makers.training.optimiser import Rates
from playground.makers.training.run import FRESH, Changes, come_to
from playground.models.machine import machine
from playground.recommender.shop import Shop

TARGET = Shape(layers=8, width=80, heads=5, feed_forward=216)
DRAFT = Shape(layers=1, width=64, heads=4, feed_forward=176)
RATES, ALIGN_RATES = Rates(decay=0.1), Rates(matrices=0.006, embeddings=0.004, others=0.002, decay=0.1)
ROWS = 64  # A step reads so many.
VALIDATED = 400  # users
FIRST = "first_draft"  # the run that every version begins from
RECORD_FILE = "made.json"

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Amounts:
    """Amounts of training; less than these are for tests and for a first look."""

    target_steps: int = 600
    draft_steps: int = 1200
    align_steps: int = 800
    moments: int = 6000  # The target's lists are made at so many.
    checkpoint_s: float = 60.0


def train_shop(
    shop: Shop,
    work: Path,
    *,
    only: str = "",
    amounts: Amounts = Amounts(),
    seed: int = 0,
    target: Shape = TARGET,
    draft: Shape = DRAFT,
    say: Say,
) -> dict[str, Any]:
    """Train what is not trained yet; what each run has come to.

    Args:
        only: one run alone: `target`, `first_draft`, or a version of the draft. What it begins from must be there.
        seed: of weights, rows and moments.
        target, draft: the shapes, but for the vocabulary.

    Raises:
        PlaygroundError: if there is no such run, or what it begins from is missing.
    """
    runs = ["target", FIRST, *LOSSES]
    if only and only not in runs:
        raise PlaygroundError(f"Unknown run {only!r}. {did_you_mean(only, runs)}")
    results = {}
    for name in [only] if only else runs:
        if name in LOSSES:
            wanted, results[name] = amounts.align_steps, _align(shop, work, name, amounts, seed, say)
        else:
            shape = replace(target if name == "target" else draft, vocab=len(shop.identifiers.pieces))
            wanted = amounts.target_steps if name == "target" else amounts.draft_steps
            windows = Windows(shop, seed=seed)
            plan = _plan(wanted, windows.length, amounts, seed)
            results[name] = _run(work / name, shop, shape, plan, RATES, windows.read, next_token, None, say)
        if results[name]["step"] < wanted:
            say(f"{name} was told to stop; the same command goes on with it.")
            break
    return results


def _align(shop: Shop, work: Path, name: str, amounts: Amounts, seed: int, say: Say) -> dict[str, object]:
    """One version of the draft, from the first draft."""
    target, start = load_network(work / "target"), read_checkpoint(work / FIRST)
    lists = make_lists(
        as_transformers(target, end=None), shop, work, count=amounts.moments, seed=seed,
        progress=lambda done: say(f"lists of the target: {done} of {amounts.moments}"),
    )  # fmt: skip
    pairs = Pairs(shop, lists, seed=seed)
    identifiers = shop.identifiers
    alignment = Alignment(LOSSES[name], target, identifiers.children, identifiers.length)
    plan = _plan(amounts.align_steps, pairs.length, amounts, seed)
    return _run(
        work / name, shop, Shape(**start["shape"]), plan, ALIGN_RATES, pairs.read, alignment, start | FRESH, say
    )


def _plan(steps: int, length: int, amounts: Amounts, seed: int) -> Plan:
    """Lower the learning rate over the last two thirds."""
    return Plan(
        tokens_per_step=ROWS * length,
        window=length,
        tokens_at_once=ROWS * length,
        warm_up=min(50, steps),
        max_steps=steps,
        decay_steps=steps * 2 // 3,
        checkpoint_s=amounts.checkpoint_s,
        measure_steps=100,
        seed=seed,
    )


def _run(
    folder: Path,
    shop: Shop,
    shape: Shape,
    plan: Plan,
    rates: Rates,
    read: Read,
    objective: Objective[Network],
    start: dict[str, Any] | None,
    say: Say,
) -> dict[str, Any]:
    held_back = validation(shop, VALIDATED)

    def measure(network: Network) -> dict[str, float]:
        if not len(held_back):
            return {}
        return {"held_out_nats": float(next_item(network, held_back, shop.identifiers.length))}

    kind = Trainable(
        {"objective": folder.name},
        network=lambda seed: Network(shape, seed=seed),
        read=lambda _: read,
        objective=objective,
        measure=measure,
        start=start,
    )
    changes = Changes(plan=asdict(plan), rates=asdict(rates))
    return come_to(folder, kind, changes, lambda line: say(f"{folder.name}: {line}"))


def export_models(shop: Shop, work: Path, out: Path) -> dict[str, Any]:
    """Write the trained models as folders that transformers can load, and next to them how they were made.

    Raises:
        PlaygroundError: if a run is missing, or something else is in the way.
    """
    training: dict[str, Any] = {
        "machine": machine()["processor"],
        "shop": {"title": shop.title, "items": len(shop.items), "users": len(shop.users)},
        "alpha": ALPHA,
        "lists": TOP,
        "runs": {},
    }
    for name in ["target", *LOSSES]:
        state, network = read_checkpoint(work / name), load_network(work / name)
        write_model(as_transformers(network, dtype=torch.float16, end=None), shop.identifiers.tokenizer(), out / name)
        training["runs"][name] = {key: state[key] for key in ("shape", "plan", "rates", "step", "cpu_s")}
        training["runs"][name]["parameters"] = network.num_parameters
    write_file(out / RECORD_FILE, json.dumps(training, indent=1) + "\n")
    return {name: run["parameters"] for name, run in training["runs"].items()}
