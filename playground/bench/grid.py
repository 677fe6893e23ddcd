"""The grid of a sweep: every combination of settings, prompts and seeds.

The order is fixed, so that a run can be found again by its number. All settings run on one prompt and seed
before the next begin: what changes on the machine over an hour then changes for all settings alike, and a sweep that is
stopped early has tried them all.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import product
from math import isfinite, nan, prod
from typing import Any

from playground.bench.entry import DRAFTER, Choice, Entry, enter
from playground.bench.prompts import Turn, as_turn
from playground.decoding.decode import Request
from playground.decoding.method import find_method
from playground.errors import PlaygroundError, did_you_mean
from playground.models.drafters.choice import DRAFT
from playground.models.loading import LoadedPair
from playground.models.sampling import NUMBERS, Sampling

SAMPLING = (*NUMBERS, "max_new_tokens")  # axes that are no options of a method
MOST_RUNS = 20_000


@dataclass(frozen=True, slots=True)
class Grid:
    """Everything that decides a sweep's runs."""

    choices: tuple[Choice, ...]  # methods, with options that stay
    # An axis is an option of all those methods or a field of sampling, with its values.
    axes: Mapping[str, tuple[float, ...]]
    prompts: tuple[str, ...]  # each setting runs on all of them
    seeds: tuple[int, ...] = (0,)  # each setting runs on all of them
    sampling: Sampling = field(default_factory=Sampling)  # Fields that an axis varies are not read from it.
    max_new_tokens: int = 128  # An axis may vary it.
    pair: str = "bundled"  # a pair's id in the catalog
    chat: bool = False  # The prompts are messages that the target's chat template makes turns of.

    def as_dict(self) -> dict[str, object]:
        """Return the grid as JSON data."""
        return {
            "methods": [{"method": name, "options": dict(options)} for name, options in self.choices],
            "grid": {name: list(values) for name, values in self.axes.items()},
            "prompts": list(self.prompts),
            "seeds": list(self.seeds),
            "sampling": self.sampling.as_dict() | {"max_new_tokens": self.max_new_tokens},
            "pair": self.pair,
            **({"chat": True} if self.chat else {}),
        }


@dataclass(frozen=True, slots=True)
class Point:
    """One run of a sweep."""

    run: int  # its number, from 1
    label: str  # the method, and what it varies in
    entry: Entry
    sampling: Sampling
    max_new_tokens: int
    prompt: int  # Prompts are counted from 1.
    seed: int

    def as_dict(self) -> dict[str, object]:
        """Return the beginning of its row; it names the drafter where that is not the pair's draft model."""
        drafter = {DRAFTER: self.entry.drafter} if self.entry.drafter != DRAFT else {}
        return {
            "run": self.run,
            "label": self.label,
            "method": self.entry.method,
            "options": self.entry.options,
            **drafter,
            **self.sampling.as_dict(),
            "max_new_tokens": self.max_new_tokens,
            "prompt": self.prompt,
            "seed": self.seed,
        }


def points(grid: Grid) -> list[Point]:
    """Return every run, in order.

    Raises:
        PlaygroundError: if a method, an option or a value is unknown or out of range, or there are too many.
    """
    if not grid.prompts or not grid.seeds or not grid.choices:
        raise PlaygroundError("A sweep needs a method, a prompt and a seed at least. Add what is missing.")
    num_runs = count_runs(grid)
    if grid.axes and num_runs > MOST_RUNS:
        raise PlaygroundError(f"This grid has {num_runs:,} runs. Choose at most {MOST_RUNS:,}: fewer values, or seeds.")
    if empty := [name for name, values in grid.axes.items() if not values]:  # without one nothing bounds the others
        raise PlaygroundError(f"{empty[0]} is to vary and has no value. Add one, or leave it out.")
    settings = _settings(grid)
    return [
        Point(number, label, entry, sampling, length, prompt, seed)
        for number, (seed, prompt, (label, entry, sampling, length)) in enumerate(
            product(grid.seeds, range(1, len(grid.prompts) + 1), settings), 1
        )
    ]


def refuse(point: Point, why: str) -> str:
    """Refuse a grid with a run that cannot be made."""
    raise PlaygroundError(f"{point.label}, prompt {point.prompt}: {why}")


def count_runs(grid: Grid) -> int:
    """Return the number of a grid's runs, without making any."""
    return prod(map(len, (grid.choices, grid.prompts, grid.seeds, *grid.axes.values())))


def requests(grid: Grid, pair: LoadedPair, refused: Callable[[Point, str], str] = refuse) -> dict[int, Request | str]:
    """Return the request of every run, by its number.

    Args:
        refused: called for a run that cannot be made, with the reason: raises, so that nothing is run at all, or
            returns the sentence with which that run fails.
    """
    by_run: dict[int, Request | str] = {}
    turns: dict[int, Turn] = {}  # with their tokens, so that each is split once
    for point in points(grid):
        settings = {"sampling": point.sampling, "seed": point.seed, "max_new_tokens": point.max_new_tokens}
        try:
            turn = turns.get(point.prompt) or as_turn(pair.target, grid.prompts[point.prompt - 1], chat=grid.chat)
            request = point.entry.request(pair, turn.prompt, prompt_ids=turn.ids, message=turn.message, **settings)
        except PlaygroundError as error:
            by_run[point.run] = refused(point, error.args[0])
            continue
        turns[point.prompt] = turn._replace(ids=request.prompt_ids)
        by_run[point.run] = request
    return by_run


def read_grid(data: Mapping[str, Any]) -> Grid:
    """Return the grid that `as_dict` wrote, which may come from anywhere.

    Raises:
        PlaygroundError: if something is missing or of another kind; whether the grid can run, `points` knows.
    """
    try:
        sampling = dict(data["sampling"])
        length = int(sampling.pop("max_new_tokens"))
        grid = Grid(
            choices=tuple((str(each["method"]), dict(each["options"])) for each in data["methods"]),
            axes={
                str(name): tuple(_value(name, str(each)) for each in values) for name, values in data["grid"].items()
            },
            prompts=tuple(data["prompts"]),
            seeds=tuple(int(seed) for seed in data["seeds"]),
            sampling=Sampling(**sampling),
            max_new_tokens=length,
            pair=str(data["pair"]),
            chat=bool(data.get("chat", False)),
        )
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        raise PlaygroundError("It does not say what was swept. Choose a file that a sweep has written.") from None
    if not all(isinstance(prompt, str) for prompt in grid.prompts):
        raise PlaygroundError("Its prompts are not texts. Choose a file that a sweep has written.")
    return grid


def read_axes(texts: Sequence[str]) -> dict[str, tuple[float, ...]]:
    """Parse texts such as `width=2,4` and `temperature=0.5,1` as axes.

    Raises:
        PlaygroundError: if a value is missing, is not a number, or is given twice.
    """
    axes: dict[str, tuple[float, ...]] = {}
    for text in texts:
        name, _, values = text.partition("=")
        if not name or not values:
            raise PlaygroundError(f"--grid {text} has no values. Write it as --grid width=2,4.")
        if name in axes:
            raise PlaygroundError(f"{name} is given twice in --grid. Write all its values after one.")
        axes[name] = tuple(_value(name, each) for each in values.split(","))
        _refuse_repeats(name, axes[name])
    return axes


def read_seeds(text: str) -> tuple[int, ...]:
    """Parse `0,1,2` as seeds."""
    try:
        seeds = tuple(int(each) for each in text.split(","))
    except ValueError:
        raise PlaygroundError(f"--seeds {text} is not a list of whole numbers. Write it as --seeds 0,1,2.") from None
    _refuse_repeats("--seeds", seeds)
    return seeds


def _settings(grid: Grid) -> list[tuple[str, Entry, Sampling, int]]:
    """Return label, entry, sampling and length of each combination of settings, prompts and seeds left out."""
    axes = dict(sorted(grid.axes.items()))  # a plan does not know their order, so a run's number must not either
    of_methods = {name: values for name, values in axes.items() if name not in SAMPLING}
    of_sampling = {name: values for name, values in axes.items() if name in SAMPLING}
    choices = []
    for name, options in grid.choices:
        known = find_method(name).Options.__dataclass_fields__
        for axis in of_methods:
            if axis not in known:
                raise PlaygroundError(
                    f"{name} has no option {axis!r} to vary. {did_you_mean(axis, [*known, *SAMPLING])}"
                )
            if axis in options:
                raise PlaygroundError(f"{axis} is fixed after {name} and varied in --grid. Leave one of them out.")
        choices += [(name, {**options, **varied}) for varied in _combinations(of_methods)]
    entries = enter(choices)
    base = {**asdict(grid.sampling), "max_new_tokens": grid.max_new_tokens}
    settings = []
    for entry, varied in product(entries, _combinations(of_sampling)):
        values: dict[str, Any] = {**base, **varied}
        length = values.pop("max_new_tokens")
        if length != int(length):
            raise PlaygroundError(f"{length} new tokens is not a whole number. Choose one.")
        label = " ".join([entry.label, *(f"{name}={value:g}" for name, value in varied.items())])
        settings.append((label, entry, Sampling(**values), length))
    return settings


def _combinations(axes: Mapping[str, tuple[float, ...]]) -> list[dict[str, float]]:
    return [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]


def _value(name: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = nan
    if not isfinite(number):
        raise PlaygroundError(f"{name} must be a number, not {text!r}. Write it as --grid {name}=2,4.")
    return int(number) if number.is_integer() else number


def _refuse_repeats(name: str, values: Sequence[float]) -> None:
    twice = [value for index, value in enumerate(values) if value in values[:index]]
    if twice:
        raise PlaygroundError(f"{name} has {twice[0]} twice. Name each value once.")
