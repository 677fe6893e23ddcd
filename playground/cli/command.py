"""Subcommands are functions: their parameters are the arguments and flags. And the printing of a result, for all."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import Field, fields
from inspect import Parameter, signature
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

from playground.bench.workers import ENGINES

if TYPE_CHECKING:
    from playground.theory.roofline import Machine

Result = TypeVar("Result")


def flag(help: str, **facts: Any) -> dict[str, object]:
    """Return the help of a parameter, to be written beside its type in `Annotated`.

    Args:
        facts: for `ArgumentParser.add_argument`; `flag` is its name where the parameter has another.
    """
    return {"help": help, **facts}


class FlagsOf(NamedTuple):
    """A flag for each field of a dataclass of options; the parameter takes their values as a dictionary."""

    options: type[Any]
    but: tuple[str, ...] = ()  # fields without a flag
    unset: tuple[str, ...] = ()  # fields that are None where their flag is not given

    @property
    def fields(self) -> list[Field[Any]]:
        """The fields that have a flag."""
        return [item for item in fields(self.options) if item.name not in self.but]


JSON = flag("print one JSON value and nothing else", flag="json")
Json = Annotated[bool, JSON]
Estimate = Annotated[
    str | None,
    flag(
        "constants of the energy estimate: l40, a100 or cpu_core, and flops_per_s, bytes_per_s, flop_w, memory_w",
        metavar="MACHINE[:CONSTANT=VALUE..]",
    ),
]
Settings = Annotated[Sequence[str], flag("an option of the method", flag="set", metavar="OPTION=VALUE")]
Threads = Annotated[int, flag("CPU threads", choices=range(1, 257), metavar="N")]
Prompts = Annotated[str, flag("a .txt, .jsonl, .json or .csv, or a preset", metavar="FILE|PRESET")]
Workers = Annotated[int | None, flag("runs at a time; default: the most there is room for", metavar="N")]
Engine = Annotated[
    str,
    flag(
        "one run after another, or several at a time: by processes of this machine, or by ray on any number",
        choices=ENGINES,
    ),
]
TraceFile = Annotated[Path, flag("the trace", metavar="TRACE")]


def add_command(commands: Any, run: Callable[..., int | None], name: str = "") -> argparse.ArgumentParser:
    """Add a subcommand that calls a function: an argument for each positional parameter, a flag for each other.

    Args:
        run: its docstring is the help, its number the exit code. Each subcommand has --json.
        name: of the subcommand, if not the function's.
    """
    command = commands.add_parser(name or run.__name__, help=run.__doc__, description=run.__doc__)
    command.set_defaults(run=run)
    for parameter, kind, beside in _parameters(run):
        if isinstance(beside, FlagsOf):
            kinds = get_type_hints(beside.options)
            for item in beside.fields:
                default = None if item.name in beside.unset else item.default
                _add_argument(command, item.name, kinds[item.name], default, item.metadata, is_flag=True)
        else:
            is_flag = parameter.kind is Parameter.KEYWORD_ONLY
            _add_argument(command, parameter.name, kind, parameter.default, beside, is_flag=is_flag)
    if "as_json" not in signature(run).parameters:
        _add_argument(command, "as_json", bool, False, JSON, is_flag=True)
    return command


def call(parsed: argparse.Namespace) -> int | None:
    """Call the function of the subcommand that was parsed."""
    given: dict[str, Any] = {}
    for parameter, _, beside in _parameters(parsed.run):
        if isinstance(beside, FlagsOf):
            given[parameter.name] = {item.name: getattr(parsed, item.name) for item in beside.fields}
        else:
            given[parameter.name] = getattr(parsed, parameter.name)
    return parsed.run(**given)


def _parameters(run: Callable[..., Any]) -> Iterator[tuple[Parameter, Any, Any]]:
    """Yield each parameter of a command, its type, and what stands beside that."""
    kinds = get_type_hints(run, include_extras=True)
    for name, parameter in signature(run).parameters.items():
        kind, *beside = get_args(kinds[name]) if get_origin(kinds[name]) is Annotated else [kinds[name]]
        yield parameter, kind, beside[0] if beside else {}


def _add_argument(
    command: argparse.ArgumentParser, name: str, kind: Any, default: Any, facts: Mapping[str, Any], *, is_flag: bool
) -> None:
    """Add an argument, or a flag, of the type of a parameter; one without a default has to be given."""
    given: dict[str, Any] = {}
    if default is not Parameter.empty:
        given["default"] = [*default] if isinstance(default, tuple) else default
    kinds = [each for each in get_args(kind) or [kind] if each is not NoneType]
    if kind is bool:
        given["action"] = "store_true"
    elif "action" in facts:
        pass
    elif get_origin(kind) in (tuple, Sequence):
        given["action"] = "append"
    else:
        given["type"] = kinds[0]
    given |= {fact: facts[fact] for fact in ("help", "metavar", "choices", "nargs", "action", "type") if fact in facts}
    if is_flag:
        required = default is Parameter.empty
        command.add_argument(f"--{facts.get('flag', name.replace('_', '-'))}", dest=name, required=required, **given)
    else:
        command.add_argument(name, **({"nargs": "?"} if "default" in given else {}), **given)


def part(options: Mapping[str, Any], kind: Callable[..., Result]) -> Result:
    """Call a dataclass, or a function, with those of the options that it takes."""
    return kind(**{name: options[name] for name in signature(kind).parameters if name in options})


def read_machine(estimate_with: str | None) -> Machine | None:
    """Read the machine that the flag of `Estimate` names; None leaves the choice to where the run was made."""
    from playground.bench.entry import read_settings
    from playground.metrics.energy import machine_from

    if estimate_with is None:
        return None
    name, *constants = estimate_with.split(":")
    return machine_from(name, read_settings(constants))


def print_json(value: Any) -> None:
    """One JSON value on standard output, whatever characters a prompt holds."""
    print(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace").decode())


def finish(result: Mapping[str, Any], *, as_json: bool) -> None:
    """Print a command's result: as JSON where --json says so, else line by line."""
    if as_json:
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
