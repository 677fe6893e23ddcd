"""`sweep`: a grid of settings over prompts and seeds, which survives being killed."""

import argparse
import sys
from pathlib import Path
from typing import Any

from playground.cli.command import (
    add_command,
    add_engine,
    add_estimate,
    add_options,
    print_json,
    read_machine,
    read_options,
)
from playground.cli.comparing.compare import NOT_HERE as NOT_OF_SEVERAL
from playground.models.sampling import Sampling
from playground.run_options import PlacementOptions, RunOptions

NOT_HERE = ("seed", *NOT_OF_SEVERAL, *PlacementOptions.__dataclass_fields__)


def add(commands: Any) -> None:
    """Add `sweep` to the subcommands."""
    sweep = add_command(
        commands, "sweep", _sweep, "Run a grid of settings over prompts and seeds; the same command resumes it."
    )
    sweep.add_argument(
        "--method", required=True, metavar="ID[:OPTION=VALUE..]", help="a method, or several with commas between"
    )
    sweep.add_argument(
        "--grid",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME=V1,V2",
        help="an option of the method, or temperature, top_k, top_p, max_new_tokens, and its values",
    )
    sweep.add_argument(
        "--prompts", default="quick", metavar="FILE|PRESET", help="a .txt, .jsonl, .json or .csv, or a preset"
    )
    sweep.add_argument("--seeds", default="0", metavar="S1,S2", help="every setting runs with each")
    sweep.add_argument("--out", type=Path, required=True, metavar="DIR", help="where the rows and traces go")
    sweep.add_argument(
        "--drafters",
        default="draft",
        metavar="WORD,..",
        help="who drafts: draft, head, exit4, suffix; or several",
    )
    add_engine(sweep)
    sweep.add_argument("--traces", choices=("all", "none"), default="all", help="save each run's trace, to be played")
    add_options(sweep, RunOptions, *NOT_HERE)
    add_estimate(sweep)


def _sweep(parsed: argparse.Namespace) -> None:
    import torch

    from playground.bench.entry import read_choices, with_drafters
    from playground.bench.grid import Grid, read_axes, read_seeds
    from playground.bench.prompts import read_prompts
    from playground.bench.sweep import sweep

    torch.set_num_threads(1)
    grid = Grid(
        choices=tuple(with_drafters(read_choices(parsed.method), parsed.drafters.split(","))),
        axes=read_axes(parsed.grid),
        prompts=tuple(read_prompts(parsed.prompts)),
        seeds=read_seeds(parsed.seeds),
        sampling=read_options(parsed, Sampling),
        max_new_tokens=parsed.max_new_tokens,
        pair=parsed.pair,
        chat=parsed.chat,
    )
    result: dict[str, Any] = {"out": str(parsed.out), "done": 0, "total": 0, "new": 0, "failed": 0, "stopped": False}
    result["lost_workers"] = 0
    try:
        settings = {"traces": parsed.traces == "all", "machine": read_machine(parsed)}
        settings |= {"engine": parsed.engine, "workers": parsed.workers}
        for at in sweep(grid, parsed.out, **settings):
            result |= {"done": at.done, "total": at.total, "lost_workers": at.lost}
            if at.row:
                result["new"] += 1
                result["failed"] += "failed" in at.row
            if not parsed.json:
                _print_progress(at)
    except KeyboardInterrupt:
        result["stopped"] = True
    sizes = sum(path.stat().st_size for path in (parsed.out / "traces").glob("*.json*"))
    if parsed.json:
        print_json(result | {"rows": str(parsed.out / "rows.jsonl"), "trace_bytes": sizes})
        return
    state = "Stopped; the same command goes on" if result["stopped"] else "Done"
    print(f"{state}. {result['done']} of {result['total']} runs in {parsed.out}, {result['new']} of them new", end="")
    print(f", {result['failed']} of these failed. Traces: {sizes / 1e6:.1f} MB.")
    if result["lost_workers"]:
        print(f"{result['lost_workers']} workers were lost; others made their runs.")


def _print_progress(at: Any) -> None:
    left = "" if at.seconds_left is None else f", {at.seconds_left:.0f} s left"
    end = "\n" if at.done == at.total else ""
    print(f"\r{at.done} of {at.total} runs{left}   ", end=end, file=sys.stderr, flush=True)
