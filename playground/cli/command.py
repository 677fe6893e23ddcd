"""Parts that all subcommands share: their parser, the flags of sampling, and the printing of a result."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, NoReturn

from playground.errors import PlaygroundError

if TYPE_CHECKING:
    from playground.models.sampling import Sampling
    from playground.theory.roofline import Machine


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


def add_sampling(command: argparse.ArgumentParser) -> None:
    """Add the flags of sampling and the seed, the same for every command that decodes."""
    add_warping(command)
    command.add_argument("--seed", type=int, default=0)


def add_warping(command: argparse.ArgumentParser) -> None:
    """Add the flags of sampling without a seed."""
    command.add_argument("--temperature", type=float, default=1.0, help="0 is greedy")
    command.add_argument("--top-k", type=int, default=0, help="0 is off")
    command.add_argument("--top-p", type=float, default=1.0, help="1 is off")
    command.add_argument("--min-p", type=float, default=0.0, help="share of the largest probability; 0 is off")
    command.add_argument("--repetition-penalty", type=float, default=1.0, help="of tokens in prompt or text; 1 is off")
    command.add_argument("--presence-penalty", type=float, default=0.0, help="of tokens in the text; 0 is off")
    command.add_argument("--frequency-penalty", type=float, default=0.0, help="of each time it occurs there; 0 is off")
    command.add_argument("--logit-bias", default="", metavar="TOKEN=BIAS,..", help="added to the logits of token ids")
    command.add_argument("--max-new-tokens", type=int, default=128)


def read_sampling(parsed: argparse.Namespace) -> Sampling:
    """Read the sampling that those flags name."""
    from playground.models.sampling import Sampling

    return Sampling(**{item.name: getattr(parsed, item.name) for item in fields(Sampling)})


def add_placement(command: argparse.ArgumentParser) -> None:
    """Add the options for device, number format and bits."""
    command.add_argument(
        "--device", default="auto", help="auto, cpu, cuda or cuda:1; spread: over all, by the package accelerate"
    )
    command.add_argument(
        "--dtype",
        default="auto",
        help="auto, float32, bfloat16 or float16; in 16 bits a call over "
        "many tokens rounds unlike one over a single token, and lossless is what agrees with the calls that ran; with "
        "auto, rows have 8 bits where they meet a GGUF file's blocks, as in llama.cpp",
    )
    command.add_argument(
        "--bits",
        type=int,
        choices=(16, 8, 4),
        help="of the layers' matrices: 16, the same numbers read in half the time, on one thread of a processor, as a "
        "small pair that was saved so has by itself unless --dtype says otherwise; or 8 and 4, by the packages "
        "bitsandbytes and accelerate",
    )
    command.add_argument(
        "--draft-bits",
        type=int,
        choices=(32, 16, 8, 4),
        help="of the draft's matrices, if not as the target's; 32: in the number format of --dtype",
    )


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
