"""`compare`: methods side by side on the same prompts, of one's own choice or as in a paper."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from playground.cli.command import (
    Engine,
    Estimate,
    FlagsOf,
    Json,
    Prompts,
    Workers,
    flag,
    part,
    print_json,
    read_machine,
)
from playground.errors import PlaygroundError
from playground.models.sampling import Sampling
from playground.run_options import RunOptions

if TYPE_CHECKING:
    from playground.bench.entry import Choice
    from playground.bench.grid import Grid
    from playground.bench.sweep import Progress
    from playground.metrics.comparison import RaceRow
    from playground.papers.presets import Preset
    from playground.trace.events import RunStarted, Trace

# A preset may decide these: None says that the flag was not given.
DEFAULTS = {"repeats": 3, "temperature": 1.0, "top_k": 0, "top_p": 1.0, "max_new_tokens": 128}

NOT_HERE = ("target", "draft", "other_drafts", "drafter", "allow", "grammar", "stop", "layers")


def compare(
    *,
    methods: Annotated[
        str | None,
        flag(
            "ids with commas between, each with options where they are wanted; or all", metavar="ID,ID:OPTION=VALUE,.."
        ),
    ] = None,
    preset: Annotated[
        str | None, flag("the comparison of a paper, in place of --methods; or list", metavar="NAME")
    ] = None,
    prompts: Prompts = "quick",
    repeats: Annotated[int | None, flag("of each method on each prompt", choices=range(1, 101), metavar="R")] = None,
    engine: Engine = "local",
    workers: Workers = None,
    markdown: Annotated[bool, flag("print a table for a document, with its conditions")] = False,
    options: Annotated[dict[str, Any], FlagsOf(RunOptions, but=NOT_HERE, unset=(*DEFAULTS,))],
    estimate_with: Estimate = None,
    as_json: Json = False,
) -> None:
    """Run methods side by side on the same prompts: medians, spreads, speed-ups."""
    if preset == "list":
        _print_presets(as_json)
        return
    from playground.models.sources.placement import find_placement
    from playground.papers.presets import find_preset

    machine = read_machine(estimate_with)
    paper = find_preset(preset) if preset else None
    if paper and methods:
        raise PlaygroundError("--preset names the methods already. Leave out --methods, or the preset.")
    usual: dict[str, Any] = dict(DEFAULTS)
    if paper:
        usual |= asdict(paper.sampling) | {"repeats": paper.repeats, "max_new_tokens": paper.max_new_tokens}
    given = {"repeats": repeats, **options}
    given |= {name: value for name, value in usual.items() if given[name] is None}
    where = {"engine": engine, "workers": workers, "placement": part(given, find_placement), "machine": machine}
    grid = _grid(methods or "all", paper, prompts, given)
    rows, start, last = _race(grid, is_quiet=as_json, **where)
    if engine != "local":
        for row in rows:
            row["workers"] = last.workers
        print(_together(last), file=sys.stderr)
    if markdown and start and not as_json:
        _print_markdown(grid, rows, start, last.workers)
    else:
        _print_rows(paper, rows, grid, as_json=as_json)


def _grid(methods: str, paper: Preset | None, prompts: str, given: Mapping[str, Any]) -> Grid:
    """Return what races, plain decoding first."""
    from playground.bench.grid import Grid
    from playground.bench.prompts import read_prompts

    return Grid(
        choices=tuple(_choices(methods, paper)),
        axes={},
        prompts=tuple(read_prompts(prompts)[: paper.num_prompts if paper else None]),
        seeds=tuple(range(given["seed"], given["seed"] + given["repeats"])),
        sampling=part(given, Sampling),
        max_new_tokens=given["max_new_tokens"],
        pair=given["pair"],
        chat=given["chat"],
    )


def _race(grid: Grid, *, is_quiet: bool, **where: Any) -> tuple[list[RaceRow], RunStarted | None, Progress]:
    """Return the rows of a race, the start of one of its runs, and its last progress."""
    import torch

    from playground.bench.race import race

    torch.set_num_threads(1)
    starts: list[RunStarted] = []
    last: list[Progress] = []

    def keep(run: int, trace: Trace) -> None:
        if trace.started.draft or not starts:  # the baseline says nothing of the draft model
            starts[:] = [trace.started]

    def progress(at: Progress) -> None:
        last[:] = [at]
        if at.row and not is_quiet:
            print(f"\rrun {at.done} of {at.total}", end="" if at.done < at.total else "\n", file=sys.stderr, flush=True)

    rows = race(grid, progress=progress, keep=keep, **where)
    return rows, starts[0] if starts else None, last[0]


def _choices(methods: str, preset: Preset | None) -> list[Choice]:
    """Return the methods to race, plain decoding first: every ratio needs it."""
    from playground.bench.entry import read_choices
    from playground.bench.race import BASELINE

    choices = list(preset.choices) if preset else read_choices(methods)
    return choices if any(name == BASELINE for name, _ in choices) else [(BASELINE, {}), *choices]


def _print_markdown(grid: Grid, rows: list[RaceRow], start: RunStarted, workers: int) -> None:
    import msgspec

    from playground.views.race.tables import markdown

    start = msgspec.structs.replace(start, seed=grid.seeds[0])
    sizes = {"num_prompts": len(grid.prompts), "repeats": len(grid.seeds), "workers": workers}
    print(markdown(rows, start, **sizes), end="")


def _print_rows(preset: Preset | None, rows: list[RaceRow], grid: Grid, *, as_json: bool) -> None:
    """Print the race as JSON or as text; that of a preset next to the paper."""
    from playground.papers.as_in_paper import reproduce
    from playground.papers.preset import conditions_of
    from playground.views.race.tables import plain_text

    beside = reproduce(preset, rows, conditions_of(grid)) if preset else {}
    if as_json:
        print_json(rows if preset is None else _with_paper(preset, rows, beside))
        return
    if preset:
        print(f"{preset.title}. {preset.reduced}")
    print(plain_text(rows))
    if preset:
        _print_reported(preset)
        print()
        for sentence in (*beside["missing"], *(each["text"] for each in beside["says"])):
            print(sentence)


def _together(at: Progress) -> str:
    lost = f" {at.lost} workers were lost; others made their runs." if at.lost else ""
    return f"{at.workers} runs at a time: their times compare only among themselves.{lost}"


def _with_paper(preset: Preset, rows: list[RaceRow], beside: dict[str, object]) -> dict[str, object]:
    import msgspec

    reported = msgspec.to_builtins(preset.reported())
    shown = msgspec.to_builtins(preset) | {"sampling": preset.sampling.as_dict()}
    return {"preset": shown, "rows": rows, "reported": reported, "beside": beside}


def _print_presets(as_json: bool) -> None:
    import msgspec

    from playground.papers.presets import presets

    if as_json:
        print_json(msgspec.to_builtins(list(presets().values())))
        return
    for preset in presets().values():
        print(f"{preset.id:20} {preset.title}")


def _print_reported(preset: Preset) -> None:
    """Print the paper's own numbers, with the conditions they were measured under."""
    from playground.papers.printed import find_paper

    paper = find_paper(preset.paper)
    print(f"\nThe paper reports, on other hardware, models and texts ({paper.authors} {paper.year}, {paper.title}):")
    for result in preset.reported():
        print(f"{result.conditions()}: {result.metric}{f' in {result.unit}' if result.unit else ''}")
        for each in result.values:
            at = "" if each.x is None else f", {result.x} {each.x:g}"
            spread = "" if each.spread is None else f" +- {each.spread:g}"
            number = f"{each.value:g}{spread}" if each.value is not None else f"{each.low:g} to {each.high:g}"
            print(f"    {each.method}{at}: {number}")
    for each in paper.left_out:
        if each.place in preset.places:
            print(f"{each.place}: {each.why}")
