"""`benchmark`: the engine against others, and how what it does grows; every line as soon as it is there."""

import argparse
from typing import Any

from playground.cli.command import add_command, add_placement, print_json, say_progress
from playground.errors import PlaygroundError


def add(commands: Any) -> None:
    """Add `benchmark` to the subcommands."""
    benchmark = add_command(commands, "benchmark", _benchmark, "Ratios of the engine, side by side in one run.")
    benchmark.add_argument("--pair", default="bundled", help="bundled, or smollm2-135m: a chat model's own lines")
    benchmark.add_argument("--prompts", type=int, default=8, choices=range(1, 21), metavar="N")
    benchmark.add_argument("--repeats", type=int, default=2, choices=range(1, 101), metavar="N")
    benchmark.add_argument(
        "--limit", type=float, default=300, metavar="SECONDS", help="begin no line after so long; the rest is named"
    )
    benchmark.add_argument(
        "--sizes",
        metavar="TARGET,DRAFT",
        help="the same pair as large as a real one, without its texts changing: 1.5B,0.5B; for a GPU",
    )
    benchmark.add_argument("--only", metavar="LINE,..", help="these lines alone, by the names that they have in --json")
    add_placement(benchmark)


def _benchmark(parsed: argparse.Namespace) -> None:
    import torch

    from playground.makers.engine.benchmark import benchmark
    from playground.models.sources.placement import find_placement

    sizes = _sizes(parsed.sizes)
    torch.set_num_threads(1)  # before a place is looked for: several threads share no product of 16 bits

    def about(number: int, total: int, title: str) -> None:
        say_progress(f"{number} of {total}: {title} ...")

    results = {}
    for line in benchmark(
        num_prompts=parsed.prompts,
        repeats=parsed.repeats,
        placement=find_placement(parsed.device, parsed.dtype, parsed.bits, parsed.draft_bits),
        pair_id=parsed.pair,
        sizes=sizes,
        only=parsed.only.split(",") if parsed.only else (),
        limit_s=parsed.limit,
        about=about,
    ):
        results[line.name] = line.result
        if not parsed.json:
            print(f"{line.title}: {_in_words(line.result)}", flush=True)
    if parsed.json:
        print_json(results)


def _sizes(words: str | None) -> tuple[str, str] | None:
    from playground.makers.engine.enlarged import SIZES

    if words is None:
        return None
    target, _, draft = words.partition(",")
    if target not in SIZES or draft not in SIZES:
        raise PlaygroundError(f"Sizes {words!r} are not known. Choose two of {', '.join(SIZES)}, the target's first.")
    return target, draft


def _in_words(result: Any) -> str:
    """Write a line's result, its numbers with three digits."""
    if result is None:
        return "not measured: there was no time left for it, or nothing to compare"
    if isinstance(result, float):
        return f"{result:.3g}"
    if isinstance(result, dict):
        return ", ".join(
            f"{name} ({_in_words(value)})" if isinstance(value, dict) else f"{name} {_in_words(value)}"
            for name, value in result.items()
        )
    if isinstance(result, list):
        return "; ".join(_in_words(each) for each in result)
    return str(result)
