"""`compare`: methods side by side on the same prompts."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from playground.cli.command import add_command, add_sampling, print_json, read_sampling


def add(commands: Any) -> None:
    """Add `compare` to the subcommands."""
    compare = add_command(
        commands, "compare", _compare, "Methods side by side on the same prompts: medians, spreads, speed-ups."
    )
    compare.add_argument(
        "--methods",
        default="all",
        metavar="ID,ID:OPTION=VALUE,..",
        help="ids with commas between, each with options where they are wanted; or all",
    )
    compare.add_argument("--prompts", default="quick", metavar="FILE|PRESET", help="a .txt, a .jsonl, or a preset")
    compare.add_argument("--repeats", type=int, default=3, choices=range(1, 101), metavar="R")
    compare.add_argument("--pair", default="bundled", help="a pair's id, see pairs")
    add_sampling(compare)


def _compare(parsed: argparse.Namespace) -> None:
    import torch

    from playground.bench.entry import enter, read_choices
    from playground.bench.prompts import read_prompts
    from playground.bench.race import BASELINE, race
    from playground.models.loading import load_pair

    torch.set_num_threads(1)
    choices = read_choices(parsed.methods)
    if all(name != BASELINE for name, _ in choices):
        choices.insert(0, (BASELINE, {}))  # every ratio needs it
    entries = enter(choices)
    prompts = read_prompts(parsed.prompts)
    pair = load_pair(parsed.pair)
    asked = {"sampling": read_sampling(parsed), "seed": parsed.seed, "max_new_tokens": parsed.max_new_tokens}
    requests = {entry.label: [entry.request(pair, prompt, **asked) for prompt in prompts] for entry in entries}

    def progress(done: int, total: int) -> None:
        if not parsed.json:
            print(f"\rrun {done} of {total}", end="" if done < total else "\n", file=sys.stderr, flush=True)

    rows = race(requests, repeats=parsed.repeats, seed=parsed.seed, progress=progress)
    if parsed.json:
        print_json(rows)
    else:
        _print_race(rows)


def _print_race(rows: list[dict[str, Any]]) -> None:
    """The race as a table; a dash where a number does not exist."""

    def cell(row: dict[str, Any], field: str, digits: int) -> str:
        value = row.get(field)
        return "-" if value is None else f"{value['median']:.{digits}f}"

    width = max(len(row["label"]) for row in rows)
    titles = ("tokens/s", "speed-up (95 %)", "block eff.", "acceptance", "perplexity")
    print("{:{}} {:>8} {:>20} {:>10} {:>10} {:>10}".format("method", width, *titles))
    for row in rows:
        label = f"{row['label']:{width}}"
        if "failed" in row:
            print(f"{label} failed: {row['failed']}")
            continue
        speed_up = row["speed_up"]
        ratio = f"{speed_up['median']:.2f}" if speed_up else "-"
        if speed_up and speed_up["low"] is not None:
            ratio += f" ({speed_up['low']:.2f}-{speed_up['high']:.2f})"
        print(
            f"{label} {cell(row, 'tokens_per_s', 0):>8} {ratio:>20} {cell(row, 'block_efficiency', 2):>10} "
            f"{cell(row, 'acceptance_rate', 2):>10} {cell(row, 'perplexity', 1):>10}"
        )
