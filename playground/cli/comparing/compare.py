"""`compare`: methods side by side on the same prompts, of one's own choice or as in a paper."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from playground.cli.command import (
    add_command,
    add_engine,
    add_estimate,
    add_options,
    print_json,
    read_machine,
    read_options,
    read_placement,
)
from playground.errors import PlaygroundError
from playground.models.sampling import Sampling
from playground.run_options import RunOptions

if TYPE_CHECKING:
    from playground.bench.entry import Choice
    from playground.bench.grid import Grid
    from playground.bench.sweep import Progress
    from playground.papers.presets import Preset
    from playground.trace.events import RunStarted, Trace

# A preset may decide these: None says that the flag was not given.
DEFAULTS = {"methods": "all", "repeats": 3, "temperature": 1.0, "top_k": 0, "top_p": 1.0, "max_new_tokens": 128}

NOT_HERE = ("target", "draft", "other_drafts", "drafter", "allow", "grammar", "stop", "layers")


def add(commands: Any) -> None:
    """Add `compare` to the subcommands."""
    compare = add_command(
        commands, "compare", _compare, "Methods side by side on the same prompts: medians, spreads, speed-ups."
    )
    compare.add_argument(
        "--methods",
        metavar="ID,ID:OPTION=VALUE,..",
        help="ids with commas between, each with options where they are wanted; or all",
    )
    compare.add_argument("--preset", metavar="NAME", help="the comparison of a paper, in place of --methods; or list")
    compare.add_argument(
        "--prompts", default="quick", metavar="FILE|PRESET", help="a .txt, .jsonl, .json or .csv, or a preset"
    )
    compare.add_argument("--repeats", type=int, choices=range(1, 101), metavar="R")
    add_engine(compare)
    compare.add_argument("--markdown", action="store_true", help="print a table for a document, with its conditions")
    add_options(compare, RunOptions, *NOT_HERE)
    add_estimate(compare)
    compare.set_defaults(**dict.fromkeys(DEFAULTS))


def _compare(parsed: argparse.Namespace) -> None:
    if parsed.preset == "list":
        _print_presets(parsed.json)
    else:
        _race(parsed)


def _race(parsed: argparse.Namespace) -> None:
    import torch

    from playground.bench.grid import Grid
    from playground.bench.prompts import read_prompts
    from playground.bench.race import race
    from playground.papers.presets import find_preset

    torch.set_num_threads(1)
    machine = read_machine(parsed)
    preset = find_preset(parsed.preset) if parsed.preset else None
    _fill_in(parsed, preset)
    grid = Grid(
        choices=tuple(_choices(parsed, preset)),
        axes={},
        prompts=tuple(read_prompts(parsed.prompts)[: preset.num_prompts if preset else None]),
        seeds=tuple(range(parsed.seed, parsed.seed + parsed.repeats)),
        sampling=read_options(parsed, Sampling),
        max_new_tokens=parsed.max_new_tokens,
        pair=parsed.pair,
        chat=parsed.chat,
    )
    starts: list[RunStarted] = []
    last: list[Progress] = []

    def keep(run: int, trace: Trace) -> None:
        if trace.started.draft or not starts:  # the baseline says nothing of the draft model
            starts[:] = [trace.started]

    def progress(at: Progress) -> None:
        last[:] = [at]
        if at.row and not parsed.json:
            print(f"\rrun {at.done} of {at.total}", end="" if at.done < at.total else "\n", file=sys.stderr, flush=True)

    rows = race(
        grid,
        progress=progress,
        keep=keep,
        machine=machine,
        engine=parsed.engine,
        workers=parsed.workers,
        placement=read_placement(parsed),
    )
    if parsed.engine != "local":
        rows = [row | {"workers": last[0].workers} for row in rows]
        print(_together(last[0]), file=sys.stderr)
    if parsed.markdown and starts and not parsed.json:
        _print_markdown(parsed, rows, starts[0], len(grid.prompts), last[0].workers)
    else:
        _print_rows(parsed, preset, rows, grid)


def _choices(parsed: argparse.Namespace, preset: Preset | None) -> list[Choice]:
    """Return the methods to race, plain decoding first: every ratio needs it."""
    from playground.bench.entry import read_choices
    from playground.bench.race import BASELINE

    choices = list(preset.choices) if preset else read_choices(parsed.methods)
    return choices if any(name == BASELINE for name, _ in choices) else [(BASELINE, {}), *choices]


def _print_markdown(
    parsed: argparse.Namespace, rows: list[dict[str, Any]], start: RunStarted, num_prompts: int, workers: int
) -> None:
    import msgspec

    from playground.views.race.tables import markdown

    start = msgspec.structs.replace(start, seed=parsed.seed)
    print(markdown(rows, start, num_prompts=num_prompts, repeats=parsed.repeats, workers=workers), end="")


def _print_rows(parsed: argparse.Namespace, preset: Preset | None, rows: list[dict[str, Any]], grid: Grid) -> None:
    """Print the race as JSON or as text; that of a preset next to the paper."""
    from playground.papers.as_in_paper import reproduce
    from playground.papers.preset import conditions_of
    from playground.views.race.tables import plain_text

    beside = reproduce(preset, rows, conditions_of(grid)) if preset else {}
    if parsed.json:
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


def _fill_in(parsed: argparse.Namespace, preset: Preset | None) -> None:
    """Fill in the flags that were not given, from the preset or as usual."""
    if preset and parsed.methods:
        raise PlaygroundError("--preset names the methods already. Leave out --methods, or the preset.")
    values = DEFAULTS | (asdict(preset.sampling) if preset else {})
    if preset:
        values |= {"repeats": preset.repeats, "max_new_tokens": preset.max_new_tokens}
    for name, value in values.items():
        if getattr(parsed, name) is None:
            setattr(parsed, name, value)


def _with_paper(preset: Preset, rows: list[dict[str, Any]], beside: dict[str, Any]) -> dict[str, Any]:
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
