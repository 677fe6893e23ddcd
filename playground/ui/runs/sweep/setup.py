"""The form of the Sweep tab, checked, and turned into a grid; and a grid turned into a form."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import product
from math import prod
from typing import Any

from playground.bench.entry import drafter_of, with_drafters
from playground.bench.grid import Grid, count_runs, points
from playground.bench.prompts import presets
from playground.decoding.method import find_method, is_whole, make_method
from playground.errors import PlaygroundError
from playground.files import write_file
from playground.models.drafters.choice import DRAFT
from playground.models.sampling import Sampling
from playground.ui.page.checks import LARGEST_SEED, MOST_TOKENS
from playground.ui.page.controls import option_in_sentence
from playground.ui.page.form import Form
from playground.ui.page.model_chooser import BUNDLED, models_of, pair_named
from playground.ui.page.prompt_chooser import FILE, FIRST_SET, MOST_PROMPTS, ONE, PRESET, PromptsForm, chosen_prompts
from playground.ui.runs.sweep.values import read_values, read_whole, written
from playground.ui.served.taken_along import folder_to_take
from playground.words import word

MOST_RUNS, MOST_SEEDS = 500, 20


@dataclass(frozen=True)
class SweepForm(PromptsForm):
    """The grid of a sweep; where a field can have several values it is a text of them."""

    methods: Sequence[str] = ()
    pair: str = BUNDLED
    target: str = ""
    draft: str = ""
    drafter: str = DRAFT
    tokens: str = "64"
    seeds: str = "0, 1"
    temperature: str = "1"
    top_k: str = "0"
    top_p: str = "1"
    options: dict[str, dict[str, str]] = field(default_factory=dict)

    @staticmethod
    def usual_options(method: str) -> dict[str, str]:
        """Return a method's options at their defaults, as texts."""
        return {name: written((value,)) for name, value in Form.usual_options(method).items()}

    def filled_in(self) -> list[Any]:
        """For the form's controls as outputs: all of this form's values."""
        return self.updates({item.name: getattr(self, item.name) for item in fields(self)})


def sweep_setup(form: SweepForm, before: Sequence[str] = ()) -> Grid:
    """Return the grid of this form, everything checked: a program can post what no control offers.

    Args:
        form: the controls.
        before: the prompts of the sweep that goes on, in case the file that they came from is gone.

    Raises:
        PlaygroundError: if something is missing, out of range, named twice or unknown, or there are too many runs.
    """
    form.refuse_damaged()
    chosen = list(form.methods or [])
    if not chosen:
        raise PlaygroundError("Choose one or more methods to sweep, or a ready-made grid.")
    values = {name: _option_values(name, form.usual_options(name) | form.options_of(name)) for name in chosen}
    if len(values) < len(chosen):
        raise PlaygroundError("A method is listed twice. Name it once, and give its options several values.")
    of_sampling = _sampling_values(form)
    varied = {name: among for name, among in of_sampling.items() if len(among) > 1}
    fixed = {name: among[0] for name, among in of_sampling.items()}
    choices, axes = _choices(values)
    grid = Grid(
        choices=tuple(with_drafters(choices, _words(form.drafter))),
        axes=axes | varied,
        prompts=tuple(chosen_prompts(form, before)),
        seeds=read_whole(form.seeds, word("sweep_seeds"), 0, LARGEST_SEED),
        sampling=Sampling(float(fixed["temperature"]), int(fixed["top_k"]), float(fixed["top_p"])),
        max_new_tokens=int(fixed["max_new_tokens"]),
        pair=pair_named(form.pair, form.target, form.draft),
        chat=form.chat and form.source != PRESET,
    )
    refuse_size(grid)
    points(grid)  # refuses what contradicts itself
    return grid


def num_settings(grid: Grid) -> int:
    """Return the number of settings of a grid on each prompt and seed."""
    return count_runs(grid) // (len(grid.prompts) * len(grid.seeds))


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


def form_of(grid: Grid) -> SweepForm:
    """Return the form that asks for this grid.

    Raises:
        PlaygroundError: if the controls cannot hold it.
    """
    sampling = {name: getattr(grid.sampling, name) for name in ("temperature", "top_k", "top_p")}
    sampling["max_new_tokens"] = grid.max_new_tokens
    shown = {name: written(grid.axes.get(name, (value,))) for name, value in sampling.items()}
    chosen = list(dict.fromkeys(name for name, _ in grid.choices))
    options: dict[str, dict[str, str]] = {}
    for name in chosen:
        own = [drafter_of(name, options)[0] for method, options in grid.choices if method == name]
        option_sets = [make_method(name, each).options for each in own]
        for item in fields(find_method(name).Options):
            values = dict.fromkeys(getattr(each, item.name) for each in option_sets)
            options.setdefault(name, {})[item.name] = written(grid.axes.get(item.name, tuple(values)))
    drafters = dict.fromkeys(drafter_of(*each)[1] for each in grid.choices if find_method(each[0]).needs_draft_model)
    pair, target, draft = models_of(grid)
    form = SweepForm(
        methods=chosen,
        pair=pair,
        target=target,
        draft=draft,
        drafter=", ".join(drafters) or DRAFT,
        tokens=shown["max_new_tokens"],
        seeds=written(grid.seeds),
        temperature=shown["temperature"],
        top_k=shown["top_k"],
        top_p=shown["top_p"],
        options=options,
        **_prompts_of(grid),
    )
    again = sweep_setup(form)
    if points(again) != points(grid) or again.prompts != grid.prompts:
        raise PlaygroundError(
            "The controls here cannot hold its grid. Go on with python -m playground sweep, which made it."
        )
    return form


def _sampling_values(form: SweepForm) -> Mapping[str, tuple[float, ...]]:
    """Return the values of temperature, top_k, top_p and max_new_tokens, each in range."""
    values: dict[str, tuple[float, ...]] = {
        "temperature": read_values(form.temperature, word("temperature")),
        "top_k": read_whole(form.top_k, "Top-k", 0, 10**6),
        "top_p": read_values(form.top_p, "Top-p"),
    }
    for name, among in values.items():
        for value in among:
            sampling: dict[str, Any] = {name: value}
            Sampling(**sampling)  # refuses what is out of range
    return {**values, "max_new_tokens": read_whole(form.tokens, word("sweep_field_tokens"), 1, MOST_TOKENS)}


def _option_values(name: str, texts: Mapping[str, str]) -> dict[str, tuple[float, ...]]:
    """Every option of a method with its values, each in range."""
    method, values = find_method(name), {}
    for item in fields(method.Options):
        label = word("sweep_option_of", method=method.title, option=option_in_sentence(name, item))
        values[item.name] = read_values(texts[item.name], label)
        low, high = item.metadata["min"], item.metadata["max"]
        for value in values[item.name]:
            if not low <= value <= high:
                raise PlaygroundError(f"{label} has {value:g}. Choose {low:g} to {high:g}.")
            if is_whole(item) and value != int(value):
                raise PlaygroundError(f"{label} has {value:g}. Choose whole numbers.")
    return values


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
        if len(choices) + prod(map(len, own.values())) > MOST_RUNS:  # counted before they are made
            raise PlaygroundError(f"These are more than {MOST_RUNS} settings. Choose fewer values.")
        choices += [(name, dict(zip(own, combination, strict=True))) for combination in product(*own.values())]
    return tuple(choices), axes


def _words(text: str) -> list[str]:
    return [part for each in (text or "").split(",") if (part := each.strip())]


def _prompts_of(grid: Grid) -> dict[str, Any]:
    """Return the source of prompts: a set that begins with them, a single one, or a file made of them."""
    prompts = list(grid.prompts)
    values = {"source": PRESET, "prompt": "", "set": FIRST_SET, "prompts": len(prompts), "file": None}
    values["chat"] = grid.chat
    for name, known in presets().items():
        if not grid.chat and known[: len(prompts)] == prompts:
            return values | {"set": name}
    if len(prompts) == 1:
        return values | {"source": ONE, "prompt": prompts[0], "prompts": 1}
    path = folder_to_take() / "prompts.jsonl"
    write_file(path, "".join(json.dumps({"prompt": each}) + "\n" for each in prompts))
    return values | {"source": FILE, "file": str(path)}
