"""The headless interface: every subcommand of `python -m playground`, each with its flags in one file.

With `--json`, exactly one JSON value goes to standard output and nothing else. A mistake is one sentence on standard
error, with exit code 2.
"""

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from playground.cli import costs, exactness, expect, greedy, listing, meters, recommend, run, servers, traces
from playground.cli.command import add_command, call
from playground.cli.comparing import compare, sweep
from playground.cli.console import Console
from playground.errors import PlaygroundError
from playground.flags import Parser, refuse_empty

COMMANDS: dict[str, Callable[..., int | None]] = {
    "methods": listing.methods,
    "pairs": listing.pairs,
    "environment": listing.environment,
    "need": listing.memory_estimate,
    "run": run.run,
    "validate": traces.validate,
    "export": traces.export,
    "site": traces.site,
    "hindsight": traces.hindsight,
    "log": servers.log,
    "check": exactness.check,
    "greedy": greedy.greedy,
    "acceptance": exactness.acceptance,
    "compare": compare.compare,
    "costs": costs.costs,
    "expect": expect.expect,
    "sweep": sweep.sweep,
    "recommend": recommend.recommend,
    "meters": meters.meters,
}


def main(arguments: Sequence[str] | None = None, also: Iterable[Any] = ()) -> int:
    """Run one subcommand; its exit code.

    Args:
        arguments: the words of the command line; None: this process's own.
        also: modules of further subcommands, each with a function `add`.
    """
    with Console("stderr"):
        try:
            with Console("stdout"):
                words = sys.argv[1:] if arguments is None else arguments
                refuse_empty(words)
                parsed = parser(also).parse_args(words)
                return call(parsed) or 0
        except PlaygroundError as error:
            print(error, file=sys.stderr)
            return 2
        except KeyboardInterrupt:
            print("Stopped.", file=sys.stderr)
            return 130


def parser(also: Iterable[Any] = ()) -> Parser:
    """Every subcommand, in the order that help lists them; see `main`."""
    whole = Parser(prog="python -m playground", description="Speculative decoding, without the page.")
    commands = whole.add_subparsers(dest="command", required=True, parser_class=Parser)
    for name, command in COMMANDS.items():
        add_command(commands, command, name)
    for module in also:
        module.add(commands)
    return whole
