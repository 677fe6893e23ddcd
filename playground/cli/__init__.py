"""The headless interface: every subcommand of `python -m playground`, each with its flags in one file.

With `--json`, exactly one JSON value goes to standard output and nothing else. A mistake is one sentence on standard
error, with exit code 2.
"""

import sys
from collections.abc import Iterable, Sequence
from typing import Any

from playground.cli import exactness, expect, listing, meters, recommend, run, servers, traces
from playground.cli.command import Parser, add_command, call, refuse_empty
from playground.cli.comparing import compare, sweep
from playground.cli.console import Console
from playground.errors import PlaygroundError

COMMANDS = (
    *(listing.methods, listing.pairs, listing.environment, listing.need),
    *(run.run, traces.validate, traces.export, traces.site, traces.hindsight, servers.log),
    *(exactness.check, exactness.acceptance, compare.compare, expect.expect, sweep.sweep),
    *(recommend.recommend, meters.meters),
)


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
    for command in COMMANDS:
        add_command(commands, command)
    for module in also:
        module.add(commands)
    return whole
