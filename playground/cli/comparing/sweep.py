"""`sweep`: a grid of settings over prompts and seeds, which survives being killed."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

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
from playground.cli.comparing.compare import NOT_HERE as NOT_OF_SEVERAL
from playground.models.sampling import Sampling
from playground.run_options import PlacementOptions, RunOptions

NOT_HERE = ("seed", *NOT_OF_SEVERAL, *PlacementOptions.__dataclass_fields__)


def sweep(
    *,
    method: Annotated[str, flag("a method, or several with commas between", metavar="ID[:OPTION=VALUE..]")],
    grid: Annotated[
        Sequence[str],
        flag(
            "an option of the method, or temperature, top_k, top_p, max_new_tokens, and its values",
            nargs="+",
            action="extend",
            metavar="NAME=V1,V2",
        ),
    ] = (),
    prompts: Prompts = "quick",
    seeds: Annotated[str, flag("every setting runs with each", metavar="S1,S2")] = "0",
    out: Annotated[Path, flag("where the rows and traces go", metavar="DIR")],
    drafters: Annotated[str, flag("who drafts: draft, head, exit4, suffix; or several", metavar="WORD,..")] = "draft",
    engine: Engine = "local",
    workers: Workers = None,
    traces: Annotated[str, flag("save each run's trace, to be played", choices=("all", "none"))] = "all",
    options: Annotated[dict[str, Any], FlagsOf(RunOptions, but=NOT_HERE)],
    estimate_with: Estimate = None,
    as_json: Json = False,
) -> None:
    """Run a grid of settings over prompts and seeds; the same command resumes it."""
    import torch

    from playground.bench.entry import read_choices, with_drafters
    from playground.bench.grid import Grid, read_axes, read_seeds
    from playground.bench.prompts import read_prompts
    from playground.bench.sweep import sweep as swept

    torch.set_num_threads(1)
    whole = Grid(
        choices=tuple(with_drafters(read_choices(method), drafters.split(","))),
        axes=read_axes(grid),
        prompts=tuple(read_prompts(prompts)),
        seeds=read_seeds(seeds),
        sampling=part(options, Sampling),
        max_new_tokens=options["max_new_tokens"],
        pair=options["pair"],
        chat=options["chat"],
    )
    counts = ("done", "total", "new", "failed", "lost_workers")
    result: dict[str, Any] = {"out": str(out), **dict.fromkeys(counts, 0), "stopped": False}
    try:
        where = {"engine": engine, "workers": workers, "machine": read_machine(estimate_with)}
        for at in swept(whole, out, traces=traces == "all", **where):
            result |= {"done": at.done, "total": at.total, "lost_workers": at.lost}
            if at.row:
                result["new"] += 1
                result["failed"] += "failed" in at.row
            if not as_json:
                _print_progress(at)
    except KeyboardInterrupt:
        result["stopped"] = True
    result["trace_bytes"] = sum(path.stat().st_size for path in (out / "traces").glob("*.json*"))
    if as_json:
        print_json(result | {"rows": str(out / "rows.jsonl")})
    else:
        _print_end(result)


def _print_end(result: dict[str, Any]) -> None:
    state = "Stopped; the same command goes on" if result["stopped"] else "Done"
    print(
        f"{state}. {result['done']} of {result['total']} runs in {result['out']}, {result['new']} of them new", end=""
    )
    print(f", {result['failed']} of these failed. Traces: {result['trace_bytes'] / 1e6:.1f} MB.")
    if result["lost_workers"]:
        print(f"{result['lost_workers']} workers were lost; others made their runs.")


def _print_progress(at: Any) -> None:
    left = "" if at.seconds_left is None else f", {at.seconds_left:.0f} s left"
    end = "\n" if at.done == at.total else ""
    print(f"\r{at.done} of {at.total} runs{left}   ", end=end, file=sys.stderr, flush=True)
