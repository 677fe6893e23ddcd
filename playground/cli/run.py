"""`run`: decode a prompt once."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from playground.cli.command import add_command, add_estimate, add_sampling, print_json, read_machine, read_sampling
from playground.errors import PlaygroundError


def add(commands: Any) -> None:
    """Add `run` to the subcommands."""
    run = add_command(commands, "run", _run, "Decode a prompt once.")
    run.add_argument("--method", required=True, help="a method's id, see methods")
    run.add_argument("--prompt", required=True)
    run.add_argument("--pair", default="bundled", help="a pair's id, see pairs")
    run.add_argument("--target", help="Hub id or folder, instead of --pair")
    run.add_argument("--draft", help="Hub id or folder, beside --target")
    run.add_argument(
        "--other-draft", action="append", default=[], metavar="DRAFT", help="a further draft model, beside --draft"
    )
    run.add_argument("--set", action="append", default=[], metavar="OPTION=VALUE", help="an option of the method")
    add_sampling(run)
    run.add_argument("--dtype", default="auto", help="auto, float32, bfloat16 or float16")
    run.add_argument("--threads", type=int, default=1, choices=range(1, 257), metavar="N", help="CPU threads")
    run.add_argument("--trace", type=Path, metavar="FILE", help="save the trace here")
    add_estimate(run)


def _run(parsed: argparse.Namespace) -> None:
    from playground.metrics.summary import summarise
    from playground.trace import Trace, save

    machine = read_machine(parsed)
    trace = Trace(tuple(_events(parsed)))
    if parsed.trace:
        save(trace, parsed.trace)
    summary = summarise(trace, machine)
    if parsed.json:
        print_json(summary)
    else:
        rate = summary["tokens_per_s"] or 0
        print(parsed.prompt + summary["text"])
        print(f"\n{summary['num_tokens']} tokens, {summary['target_calls']} target calls, {rate:.1f} tokens/s")


def _events(parsed: argparse.Namespace) -> Any:
    """The events of the run that the flags describe."""
    import torch

    from playground.bench.entry import read_settings
    from playground.decoding.decode import Request
    from playground.decoding.method import make_method
    from playground.decoding.record import record
    from playground.models.loading import load_models, load_pair

    torch.set_num_threads(parsed.threads)
    method = make_method(parsed.method, read_settings(parsed.set))
    sampling = read_sampling(parsed)
    if parsed.draft and not parsed.target:
        raise PlaygroundError("--draft needs --target beside it. Give both, or --pair with a name from the catalog.")
    if parsed.other_draft and not parsed.draft:
        raise PlaygroundError("--other-draft needs --draft beside it. Give the first draft model with --draft.")
    if parsed.target:
        pair = load_models(parsed.target, parsed.draft, parsed.other_draft, dtype=parsed.dtype)
    else:
        pair = load_pair(parsed.pair, dtype=parsed.dtype)
    request = Request(
        method,
        pair.target,
        parsed.prompt,
        pair.draft,
        sampling,
        parsed.seed,
        parsed.max_new_tokens,
        other_drafts=pair.others,
    )
    for events in record(request):
        yield from events
