"""What the controls of the Sweep tab ask for, checked, and turned into a grid; and a grid turned into controls."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from itertools import product
from pathlib import Path
from typing import Any

from playground.bench.grid import Grid, count_runs, points
from playground.bench.prompts import presets
from playground.decoding.method import find_method, make_method, methods
from playground.decoding.sampling import Sampling
from playground.errors import PlaygroundError, did_you_mean
from playground.models.catalog import PAIRS
from playground.ui.page.controls import OTHER
from playground.ui.race.setup import FILE, MOST_PROMPTS, MOST_TOKENS, ONE, PRESET, chosen_prompts
from playground.ui.sweep.values import read_values, read_whole, written

MOST_RUNS, MOST_SEEDS = 500, 20
BETWEEN = " + "  # in a grid's pair: the names of two models that are in no catalogue
# the controls in the order of `sweep_setup`, those of the options behind them
NAMES = (
    "methods", "source", "prompt", "set", "prompts", "pair", "target", "draft", "tokens", "seeds", "temperature",
    "top_k", "top_p",
)  # fmt: skip


def option_names() -> list[tuple[str, str]]:
    """(method, option) of every option there is."""
    return [(name, item.name) for name, method in methods().items() for item in fields(method.Options)]


def sweep_setup(
    methods_: Sequence[str] | None,
    source: str,
    typed: str,
    preset: str,
    num_prompts: int,
    pair: str,
    target: str,
    draft: str,
    tokens: str,
    seeds: str,
    temperature: str,
    top_k: str,
    top_p: str,
    file: str | None,
    *option_texts: str,
) -> Grid:
    """The grid of these choices, every one checked: a program can post what no control offers.

    Args:
        option_texts: the values of every option, in the order of `option_names`.

    Raises:
        PlaygroundError: if something is missing, out of range, named twice or unknown, or there are too many runs.
    """
    chosen = list(methods_ or [])
    if not chosen:
        raise PlaygroundError("There is no method to sweep. Choose one or more, or a ready-made grid.")
    texts = dict(zip(option_names(), option_texts, strict=True))
    values = {name: _option_values(name, texts) for name in chosen}
    if len(values) < len(chosen):
        raise PlaygroundError("A method stands twice. Name it once, and give its options several values.")
    of_sampling = {
        "temperature": read_values(temperature, "Temperature"),
        "top_k": read_whole(top_k, "Top-k", 0, 10**6),
        "top_p": read_values(top_p, "Top-p"),
        "max_new_tokens": read_whole(tokens, "New tokens", 1, MOST_TOKENS),
    }
    for name, among in of_sampling.items():
        if name != "max_new_tokens":
            for value in among:
                Sampling(**{name: value})  # refuses what is out of range
    varied = {name: among for name, among in of_sampling.items() if len(among) > 1}
    fixed = {name: among[0] for name, among in of_sampling.items()}
    choices, axes = _choices(values)
    grid = Grid(
        choices=choices,
        axes=axes | varied,
        prompts=tuple(chosen_prompts(source, typed, preset, file, num_prompts)),
        seeds=read_whole(seeds, "Seeds", 0, 2**32),
        sampling=Sampling(float(fixed["temperature"]), int(fixed["top_k"]), float(fixed["top_p"])),
        max_new_tokens=int(fixed["max_new_tokens"]),
        pair=_pair(pair, target, draft),
    )
    refuse_size(grid)
    points(grid)  # refuses what contradicts itself
    return grid


def num_settings(grid: Grid) -> int:
    """How many settings a grid has on each prompt and seed."""
    return count_runs(grid) // (len(grid.prompts) * len(grid.seeds))


def models_of(grid: Grid) -> tuple[str, str, str]:
    """The grid's models as the controls name them: (pair, target, draft)."""
    target, between, draft = grid.pair.partition(BETWEEN)
    return (OTHER, target, draft) if between else (grid.pair, "", "")


def refuse_size(grid: Grid) -> None:
    """Refuse a grid that is too large for the page.

    Raises:
        PlaygroundError: if it has too many runs, prompts or seeds.
    """
    num_runs = count_runs(grid)
    if len(grid.seeds) > MOST_SEEDS or len(grid.prompts) > MOST_PROMPTS:
        raise PlaygroundError(f"The page takes up to {MOST_SEEDS} seeds and {MOST_PROMPTS} prompts. Choose fewer.")
    if num_runs > MOST_RUNS:
        raise PlaygroundError(
            f"This grid has {num_runs:,} runs ({num_settings(grid):,} settings × {len(grid.prompts)} prompts × "
            f"{len(grid.seeds)} seeds); the page takes up to {MOST_RUNS}, because everyone here shares its machine. "
            "Choose fewer values, prompts or seeds, or use python -m playground sweep."
        )


def controls_of(grid: Grid) -> dict[str, Any]:
    """What the controls hold for this grid: by the names in `NAMES`, "file", and each option as "method.option".

    Raises:
        PlaygroundError: if the controls cannot hold it.
    """
    sampling = asdict(grid.sampling) | {"max_new_tokens": grid.max_new_tokens}
    shown = {name: written(grid.axes.get(name, (value,))) for name, value in sampling.items()}
    chosen = list(dict.fromkeys(name for name, _ in grid.choices))
    found: dict[str, Any] = {"methods": chosen} | _prompts_of(grid)
    for name in chosen:
        made = [make_method(name, dict(options)).options for method, options in grid.choices if method == name]
        for item in fields(find_method(name).Options):
            values = dict.fromkeys(getattr(each, item.name) for each in made)
            found[f"{name}.{item.name}"] = written(grid.axes.get(item.name, tuple(values)))
    found |= dict(zip(("pair", "target", "draft"), models_of(grid), strict=True))
    found |= {"tokens": shown["max_new_tokens"], "seeds": written(grid.seeds)}
    found |= {name: shown[name] for name in ("temperature", "top_k", "top_p")}
    again = sweep_setup(*values_in_order(found))
    if points(again) != points(grid) or again.prompts != grid.prompts:
        raise PlaygroundError(
            "The controls here cannot hold its grid. Go on with python -m playground sweep, which made it."
        )
    return found


def values_in_order(values: Mapping[str, Any]) -> list[Any]:
    """The values as `sweep_setup` takes them; options that are not named stay at their defaults."""
    options = [
        values.get(f"{name}.{option}", written((find_method(name).Options.__dataclass_fields__[option].default,)))
        for name, option in option_names()
    ]
    return [*(values[name] for name in NAMES), values.get("file"), *options]


def _option_values(name: str, texts: Mapping[tuple[str, str], str]) -> dict[str, tuple[float, ...]]:
    """Every option of a method with its values, each in range."""
    method, found = find_method(name), {}
    for item in fields(method.Options):
        label = f"{method.title}: {item.metadata['label'].lower()}"
        found[item.name] = read_values(texts[name, item.name], label)
        low, high = item.metadata["min"], item.metadata["max"]
        for value in found[item.name]:
            if not low <= value <= high:
                raise PlaygroundError(f"{label} has {value:g}. Choose {low:g} to {high:g}.")
            if item.type == "int" and value != int(value):
                raise PlaygroundError(f"{label} has {value:g}. Choose whole numbers.")
    return found


def _choices(values: Mapping[str, Mapping[str, tuple[float, ...]]]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Entries and axes: what varies alike in all methods is an axis, as `sweep --grid` would have it."""
    every = list(values.values())
    axes = {
        option: among
        for option, among in every[0].items()
        if len(among) > 1 and all(each.get(option) == among for each in every)
    }
    choices = []
    for name, options in values.items():
        defaults = {item.name: item.default for item in fields(find_method(name).Options)}
        own = {
            option: among for option, among in options.items() if option not in axes and among != (defaults[option],)
        }
        choices += [(name, dict(zip(own, combination, strict=True))) for combination in product(*own.values())]
        if len(choices) > MOST_RUNS:
            raise PlaygroundError(f"These are more than {MOST_RUNS} settings. Choose fewer values.")
    return tuple(choices), axes


def _pair(pair: str, target: str, draft: str) -> str:
    if pair != OTHER:
        if _unknown(pair):
            raise PlaygroundError(f"Unknown pair {pair!r}.{did_you_mean(str(pair), [each.id for each in PAIRS])}")
        return pair
    if not (target or "").strip():
        raise PlaygroundError("There is no target model. Name one, by its Hub id or its folder.")
    return f"{target.strip()}{BETWEEN}{(draft or '').strip()}"


def _unknown(pair: str) -> bool:
    return pair not in [each.id for each in PAIRS]


def _prompts_of(grid: Grid) -> dict[str, Any]:
    """Where the prompts come from: a set that begins with them, a single one, or a file made of them."""
    asked = list(grid.prompts)
    found = {"source": PRESET, "prompt": "", "set": "quick", "prompts": len(asked), "file": None}
    for name, known in presets().items():
        if known[: len(asked)] == asked:
            return found | {"set": name}
    if len(asked) == 1:
        return found | {"source": ONE, "prompt": asked[0], "prompts": 1}
    path = Path(tempfile.mkdtemp(prefix="playground-")) / "prompts.jsonl"
    path.write_text("".join(json.dumps({"prompt": each}) + "\n" for each in asked), encoding="utf-8")
    return found | {"source": FILE, "file": str(path)}
