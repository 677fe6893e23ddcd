"""`drafters`: one target, many drafters, by kind of text."""

from __future__ import annotations

import argparse
from typing import Any

from playground.cli.command import add_command, add_warping, print_json, read_sampling, say_progress


def add(commands: Any) -> None:
    """Add `drafters` to the subcommands."""
    drafters = add_command(
        commands,
        "drafters",
        _drafters,
        "Drafters of one target: acceptance, cost, block efficiency, by kind of text.",
    )
    drafters.add_argument(
        "--methods",
        metavar="ID:drafter=WORD,..",
        help="as for compare; drafters are draft, other, exit4 (first layers of the target), suffix (the text)",
    )
    drafters.add_argument("--prompts", default="bundled", metavar="FILE|PRESET", help="a .txt, a .jsonl, or a preset")
    drafters.add_argument("--seeds", default="0", metavar="S1,S2", help="every prompt runs with each")
    drafters.add_argument("--pair", default="bundled", help="a pair's id, see pairs")
    add_warping(drafters)
    drafters.set_defaults(max_new_tokens=32)


def _drafters(parsed: argparse.Namespace) -> None:
    import torch

    from playground.bench.drafters import METHODS, drafter_table
    from playground.bench.entry import enter, read_choices
    from playground.bench.grid import read_seeds
    from playground.bench.prompts import read_kinds
    from playground.models.loading import load_pair

    torch.set_num_threads(1)
    entries = enter(read_choices(parsed.methods or METHODS))
    prompts, seeds = read_kinds(parsed.prompts), read_seeds(parsed.seeds)
    sampling = read_sampling(parsed)
    asked = {"sampling": sampling, "max_new_tokens": parsed.max_new_tokens}

    def progress(done: int, total: int) -> None:
        if not parsed.json and (done % 50 == 0 or done == total):
            say_progress(f"run {done} of {total}")

    pair = load_pair(parsed.pair)
    rows = drafter_table(pair, entries, prompts, seeds=seeds, asked=asked, progress=progress)
    if parsed.json:
        conditions = sampling.as_dict() | {"max_new_tokens": parsed.max_new_tokens, "seeds": list(seeds)}
        print_json({"target": pair.target.facts(), "prompts": parsed.prompts, **conditions, "rows": rows})
        return
    print(f"{'drafter':44} {'kind':20} {'acceptance':22} {'cost':>6} {'block efficiency':>22}")
    for row in rows:
        told = [_told(row[name], row[f"{name}_interval"]) for name in ("acceptance", "block_efficiency")]
        print(f"{row['label']:44} {row['kind'][:20]:20} {told[0]:22} {row['draft_cost']:6.2f} {told[1]:>22}")


def _told(value: float | None, interval: list[float] | None) -> str:
    if value is None:
        return "-"
    return f"{value:.2f}" + (f" ({interval[0]:.2f} to {interval[1]:.2f})" if interval else "")
