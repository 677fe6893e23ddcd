"""`run`: decode a prompt once."""

import argparse
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from playground.cli.command import (
    add_command,
    add_estimate,
    add_options,
    print_json,
    read_machine,
    read_options,
    say_on_one_line,
)
from playground.errors import PlaygroundError
from playground.run_options import RunOptions


def add(commands: Any) -> None:
    """Add `run` to the subcommands."""
    run = add_command(commands, "run", _run, "Decode a prompt once.")
    run.add_argument("--method", required=True, help="a method's id, see methods")
    run.add_argument("--prompt", required=True)
    run.add_argument("--set", action="append", default=[], metavar="OPTION=VALUE", help="an option of the method")
    run.add_argument("--allow", type=Path, metavar="FILE", help="a text per line: the run writes one of them")
    add_options(run, RunOptions, "allow")
    run.add_argument("--threads", type=int, default=1, choices=range(1, 257), metavar="N", help="CPU threads")
    run.add_argument("--trace", type=Path, metavar="FILE", help="save the trace here; under gzip where it ends in .gz")
    add_estimate(run)


def _run(parsed: argparse.Namespace) -> None:
    import torch

    import playground
    from playground.bench.entry import read_settings
    from playground.decoding.method import make_method
    from playground.decoding.stop_strings import read_stop_strings
    from playground.metrics.chance import near_chance
    from playground.metrics.summary import summarise
    from playground.trace import save

    machine = read_machine(parsed)
    torch.set_num_threads(parsed.threads)
    parsed.allow = _lines(parsed.allow) if parsed.allow else ()
    parsed.stop = read_stop_strings(parsed.stop)
    trace = playground.run(
        make_method(parsed.method, read_settings(parsed.set)),
        parsed.prompt,
        **asdict(read_options(parsed, RunOptions)),
        tell=say_on_one_line if parsed.target or parsed.pair != "bundled" else lambda _: None,
    )
    if parsed.trace:
        save(trace, parsed.trace)
    summary = summarise(trace, machine)
    if parsed.json:
        print_json(summary)
    else:
        rate = summary["tokens_per_s"] or 0
        print(trace.started.prompt + summary["text"])
        print(f"\n{summary['num_tokens']} tokens, {summary['target_calls']} target calls, {rate:.1f} tokens/s")
    if warning := near_chance(trace):
        print(warning, file=sys.stderr)


def _lines(path: Path) -> list[str]:
    """Return the lines of a file that are not empty."""
    try:
        lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text (UTF-8)"
        raise PlaygroundError(f"Cannot read the allowed texts from {path}: {reason}. Check the file.") from error
    if not lines:
        raise PlaygroundError(f"{path} allows no text. Write one per line.")
    return lines
