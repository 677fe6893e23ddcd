"""The headless interface: every subcommand of `python -m playground`, each with its flags in one file.

With `--json`, exactly one JSON value goes to standard output and nothing else. A mistake is one sentence on standard
error, with exit code 2.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from playground.cli import exactness, listing, meters, recommend, recommender, run, servers, traces
from playground.cli.command import Parser
from playground.cli.comparing import benchmark, compare, sweep
from playground.cli.studies import directions, drafters, expect, train
from playground.errors import PlaygroundError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one subcommand; its exit code."""
    try:
        parsed = parser().parse_args(arguments)
        return parsed.run(parsed) or 0
    except PlaygroundError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of our output, `head` say, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def parser() -> Parser:
    """Every subcommand, in the order that help lists them."""
    whole = Parser(prog="python -m playground", description="Speculative decoding, without the page.")
    commands = whole.add_subparsers(dest="command", required=True, parser_class=Parser)
    modules = (listing, run, traces, servers, exactness, compare, drafters, directions, expect, sweep)
    for module in (*modules, recommend, recommender, benchmark, meters, train):
        module.add(commands)
    return whole
