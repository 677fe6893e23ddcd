"""`benchmark`: the engine against others, and how what it does grows; every line as soon as it is measured."""

import argparse
import json
from typing import Any

from playground.cli.command import add_command, add_options, print_json, read_placement, say_progress
from playground.errors import PlaygroundError
from playground.run_options import PlacementOptions


def add(commands: Any) -> None:
    """Add `benchmark` to the subcommands."""
    benchmark = add_command(commands, "benchmark", _benchmark, "Ratios of the engine, side by side in one run.")
    benchmark.add_argument("--pair", default="bundled", metavar="ID", help="of the catalog; default: bundled")
    benchmark.add_argument("--prompts", type=int, default=8, choices=range(1, 11), metavar="N")
    benchmark.add_argument("--repeats", type=int, default=2, choices=range(1, 101), metavar="N")
    benchmark.add_argument("--only", metavar="LINE,..", help="these lines alone, by the names that they have in --json")
    add_options(benchmark, PlacementOptions)


def _benchmark(parsed: argparse.Namespace) -> None:
    import torch

    from playground.makers.engine.benchmark import benchmark_lines, conditions
    from playground.models.language_model import LanguageModel
    from playground.models.loading import Models

    torch.set_num_threads(1)  # transformers' side has one, too
    placement = read_placement(parsed)
    pair = Models.named(parsed.pair, placement=placement).load()
    if not isinstance(pair.draft, LanguageModel):
        raise PlaygroundError(
            f"The pair {parsed.pair} has no draft model to compare with transformers'. Choose another."
        )
    lines = {line.name: line for line in benchmark_lines(pair, pair.draft, parsed.prompts, parsed.repeats)}
    names = parsed.only.split(",") if parsed.only else list(lines)
    if unknown := [name for name in names if name not in lines]:
        raise PlaygroundError(f"No line is called {unknown[0]!r}. Choose from {', '.join(lines)}.")
    results = {"conditions": conditions(parsed.pair, pair.target, pair.draft, parsed.prompts, parsed.repeats)}
    for number, name in enumerate(names, 1):
        say_progress(f"{number} of {len(names)}: {lines[name].title} ...")
        results[name] = lines[name].measure()
        if not parsed.json:
            print(f"{lines[name].title}: {json.dumps(results[name])}", flush=True)
    if parsed.json:
        print_json(results)
