"""The headless interface: every subcommand of `python -m playground`, each with its flags in one file.

With `--json`, exactly one JSON value goes to standard output and nothing else. A mistake is one sentence on standard
error, with exit code 2.
"""

import os
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from playground.cli import exactness, expect, listing, meters, recommend, run, servers, traces
from playground.cli.command import Parser
from playground.cli.comparing import compare, sweep
from playground.errors import PlaygroundError


def main(arguments: Sequence[str] | None = None, also: Iterable[Any] = ()) -> int:
    """Run one subcommand; its exit code.

    Args:
        arguments: the words of the command line; None: this process's own.
        also: modules of further subcommands, each with a function `add`.
    """
    try:
        parsed = parser(also).parse_args(arguments)
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


def parser(also: Iterable[Any] = ()) -> Parser:
    """Every subcommand, in the order that help lists them; see `main`."""
    whole = Parser(prog="python -m playground", description="Speculative decoding, without the page.")
    commands = whole.add_subparsers(dest="command", required=True, parser_class=Parser)
    modules = (listing, run, traces, servers, exactness, compare, expect, sweep, recommend, meters)
    for module in (*modules, *also):
        module.add(commands)
    return whole
