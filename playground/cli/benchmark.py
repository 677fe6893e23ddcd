"""`benchmark`: the engine against others, and against itself without a trace."""

from __future__ import annotations

import argparse
from typing import Any

from playground.cli.command import add_command, print_json


def add(commands: Any) -> None:
    """Add `benchmark` to the subcommands."""
    benchmark = add_command(
        commands, "benchmark", _benchmark, "Ratios of the engine, side by side in one run on the bundled pair."
    )
    benchmark.add_argument("--prompts", type=int, default=6, choices=range(1, 21), metavar="N")
    benchmark.add_argument("--repeats", type=int, default=3, choices=range(1, 101), metavar="N")
    benchmark.add_argument("--dtype", default="auto", help="of both models: auto, float32 or bfloat16")


def _benchmark(parsed: argparse.Namespace) -> None:
    from playground.bench.engine import benchmark

    print_json(benchmark(num_prompts=parsed.prompts, repeats=parsed.repeats, dtype=parsed.dtype))
