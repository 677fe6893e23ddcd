"""Parts that all subcommands share: their parser, flags of declared options, and the printing of a result."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from playground.errors import PlaygroundError
from playground.options import Declared

if TYPE_CHECKING:
    from playground.models.sources.placement import Placement
    from playground.theory.roofline import Machine

Options = TypeVar("Options", bound=Declared)


class Parser(argparse.ArgumentParser):
    """An argument parser whose mistakes are one sentence."""

    def error(self, message: str) -> NoReturn:
        """One sentence instead of the usage page."""
        raise PlaygroundError(f"{message[:1].upper()}{message[1:]}. See {self.prog} --help.")


def refuse_empty(words: Sequence[str]) -> None:
    """Refuse an empty value, which a shell writes for a variable that is not set.

    Raises:
        PlaygroundError: naming the first flag without a value.
    """
    for flag, word in zip(["", *words], words, strict=False):
        name, sign, value = word.partition("=")
        if not word or (name.startswith("--") and sign and not value):
            named = name or (flag if flag.startswith("-") else "An argument")
            raise PlaygroundError(f"{named} is empty. Give a value, or leave it out.")


def add_command(
    commands: Any, name: str, run: Callable[[argparse.Namespace], int | None], help: str
) -> argparse.ArgumentParser:
    """Add a subcommand that calls `run`, whose number is the exit code; the caller adds its flags."""
    command = commands.add_parser(name, help=help, description=help)
    command.set_defaults(run=run)
    command.add_argument("--json", action="store_true", help="print one JSON value and nothing else")
    return command


def add_options(command: argparse.ArgumentParser, options: type[Any], *but: str) -> None:
    """Add a flag for each field of a dataclass of options but these; `option` declares its help and range."""
    for item in fields(options):
        if item.name in but:
            continue
        facts = item.metadata
        given: dict[str, Any] = {"action": "store_true"} if item.default is False else {"default": item.default}
        if isinstance(item.default, tuple):
            given = {"action": "append", "default": []}
        elif str(item.type).startswith(("int", "float")):
            given["type"] = int if str(item.type).startswith("int") else float
        given |= {fact: facts[fact] for fact in ("metavar", "choices") if fact in facts}
        flag = facts.get("flag") or item.name.replace("_", "-")
        command.add_argument(f"--{flag}", dest=item.name, help=facts["help"], **given)


def read_options(parsed: argparse.Namespace, options: type[Options]) -> Options:
    """Return the options that those flags name; the others at their defaults."""
    return options(**{item.name: getattr(parsed, item.name) for item in fields(options) if hasattr(parsed, item.name)})


def read_placement(parsed: argparse.Namespace) -> Placement:
    """Return the placement that the flags of `PlacementOptions` name."""
    from playground.models.sources.placement import find_placement

    return find_placement(parsed.device, parsed.dtype, parsed.bits, parsed.draft_bits)


def add_estimate(command: argparse.ArgumentParser) -> None:
    """Add the option that chooses the constants of estimated energy."""
    command.add_argument(
        "--estimate-with",
        metavar="MACHINE[:CONSTANT=VALUE..]",
        help="constants of the energy estimate: l40, a100 or cpu_core, and flops_per_s, bytes_per_s, flop_w, memory_w",
    )


def add_engine(command: argparse.ArgumentParser) -> None:
    """Add the options that say where runs are made."""
    from playground.bench.workers import ENGINES

    command.add_argument(
        "--engine",
        choices=ENGINES,
        default="local",
        help="one run after another, or several at a time: by processes of this machine, or by ray on any number",
    )
    command.add_argument("--workers", type=int, metavar="N", help="runs at a time; default: the most there is room for")


def read_machine(parsed: argparse.Namespace) -> Machine | None:
    """Read the machine that the option names; None leaves the choice to where the run was made."""
    from playground.bench.entry import read_settings
    from playground.metrics.energy import machine_from

    if parsed.estimate_with is None:
        return None
    name, *constants = parsed.estimate_with.split(":")
    return machine_from(name, read_settings(constants))


def print_json(value: Any) -> None:
    """One JSON value on standard output, whatever characters a prompt holds."""
    print(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace").decode())


def finish(parsed: argparse.Namespace, result: dict[str, Any]) -> None:
    """Print a command's result: as JSON where --json says so, else line by line."""
    if parsed.json:
        print_json(result)
    else:
        print("\n".join(f"{name}: {value}" for name, value in result.items()))


def say_on_one_line(text: str) -> None:
    """Progress over the line before, in a terminal; elsewhere nothing but the last."""
    if sys.stderr.isatty():
        print(f"\r{text:<78}", end="" if text.endswith("...") else "\n", file=sys.stderr, flush=True)
    elif not text.endswith("..."):
        say_progress(text)


def say_progress(text: str) -> None:
    """Print a line in addition to the command's output."""
    print(text, file=sys.stderr, flush=True)
