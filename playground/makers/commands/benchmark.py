"""`benchmark`: the engine against others, and how what it does grows; every line as soon as it is measured."""

import json
from typing import Annotated, Any

from playground.cli.command import FlagsOf, Json, add_command, flag, print_json, say_progress
from playground.errors import PlaygroundError
from playground.run_options import PlacementOptions


def add(commands: Any) -> None:
    """Add `benchmark` to the subcommands."""
    add_command(commands, benchmark)


def benchmark(
    *,
    pair: Annotated[str, flag("of the catalog; default: bundled", metavar="ID")] = "bundled",
    prompts: Annotated[int, flag("number of them", choices=range(1, 11), metavar="N")] = 8,
    repeats: Annotated[int, flag("of each", choices=range(1, 101), metavar="N")] = 2,
    only: Annotated[
        str | None, flag("these lines alone, by the names that they have in --json", metavar="LINE,..")
    ] = None,
    options: Annotated[dict[str, Any], FlagsOf(PlacementOptions)],
    as_json: Json = False,
) -> None:
    """Measure ratios of the engine, side by side in one run."""
    import torch

    from playground.makers.engine.benchmark import benchmark_lines, conditions
    from playground.models.language_model import LanguageModel
    from playground.models.loading import Models
    from playground.models.sources.placement import find_placement

    torch.set_num_threads(1)  # transformers' side has one, too
    models = Models.named(pair, placement=find_placement(**options)).load()
    if not isinstance(models.draft, LanguageModel):
        raise PlaygroundError(f"The pair {pair} has no draft model to compare with transformers'. Choose another.")
    lines = {line.name: line for line in benchmark_lines(models, models.draft, prompts, repeats)}
    names = only.split(",") if only else list(lines)
    if unknown := [name for name in names if name not in lines]:
        raise PlaygroundError(f"No line is called {unknown[0]!r}. Choose from {', '.join(lines)}.")
    results = {"conditions": conditions(pair, models.target, models.draft, prompts, repeats)}
    for number, name in enumerate(names, 1):
        say_progress(f"{number} of {len(names)}: {lines[name].title} ...")
        results[name] = lines[name].measure()
        if not as_json:
            print(f"{lines[name].title}: {json.dumps(results[name])}", flush=True)
    if as_json:
        print_json(results)
