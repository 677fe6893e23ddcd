"""`check` and `acceptance`: what can be known exactly, on small tables of probabilities."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import asdict
from typing import Any

from playground.cli.command import add_command, print_json
from playground.errors import PlaygroundError


def add(commands: Any) -> None:
    """Add `check` and `acceptance` to the subcommands."""
    check = add_command(
        commands, "check", _check, "Measure on exact table models whether a method keeps its claim to be lossless."
    )
    check.add_argument("method_or_all", metavar="METHOD|all", help="a method's id, see methods; or all")
    check.add_argument("--set", action="append", default=[], metavar="OPTION=VALUE", help="an option of the method")
    check.add_argument("--samples", type=int, default=20_000, metavar="N", help="seeded runs per claim")
    check.add_argument("--seed", type=int, default=0)
    check.add_argument(
        "--workers", type=int, choices=range(1, 257), metavar="N", help="processes; the result is the same"
    )

    acceptance = add_command(
        commands, "acceptance", _acceptance, "Exact acceptance of K drafts at one position, by every scheme."
    )
    acceptance.add_argument("--target", required=True, metavar="P1,P2,..", help="the target's row")
    acceptance.add_argument("--draft", required=True, metavar="Q1,Q2,..", help="the draft's row")
    acceptance.add_argument("--num-drafts", type=int, required=True, metavar="K")


def _check(parsed: argparse.Namespace) -> None:
    from playground.bench.entry import read_settings
    from playground.exactness.losslessness import CHUNK, check, every_claim

    all_of_them = parsed.method_or_all == "all"
    if all_of_them and parsed.set:
        raise PlaygroundError("--set changes the options of one method. Name it instead of all.")
    choices = every_claim() if all_of_them else [(parsed.method_or_all, read_settings(parsed.set))]
    workers = min(2, os.cpu_count() or 1) if parsed.samples >= 4 * CHUNK else 1  # a process takes seconds to start
    results = check(choices, samples=parsed.samples, seed=parsed.seed, workers=parsed.workers or workers)
    if parsed.json:
        rows = [asdict(result) for result in results]
        print_json(rows if all_of_them else rows[0])
        return
    names = ", ".join(dict.fromkeys(name for name, _ in choices))
    print(f"Running {names}: {parsed.samples:,} seeded runs for every claim.", file=sys.stderr)
    for result in results:
        options = "".join(f" {option}={value:g}" for option, value in result.options.items())
        print(f"{result.method}{options}: {result.verdict}. It claims to reproduce: {result.reproduces}.", end="")
        if result.tv is not None:
            print(
                f" Compared: {result.compared}. Distance from {result.law} {result.tv:.5f}, noise floor "
                f"{result.noise_floor:.5f} (1 in 100 above {result.noise_upper:.5f}), p-value {result.p_value:.3g}, "
                f"{result.samples:,} samples.",
                end="",
            )
        print(flush=True)


def _acceptance(parsed: argparse.Namespace) -> None:
    from playground.lab.one_position import NO_VALUE, acceptance_by_scheme

    target, draft = (_row(text, flag) for text, flag in ((parsed.target, "--target"), (parsed.draft, "--draft")))
    found = acceptance_by_scheme(target, draft, parsed.num_drafts)
    if parsed.json:
        print_json(found)
        return
    if found.pop("normalised"):
        print("A row did not sum to 1 and was normalised.", file=sys.stderr)
    for scheme, value in found.items():
        print(f"{scheme:<28}{NO_VALUE[scheme] if value is None else format(value, '.6f')}")


def _row(text: str, flag: str) -> list[float]:
    try:
        return [float(entry) for entry in text.split(",")]
    except ValueError:
        raise PlaygroundError(f"{flag} {text} is no row of numbers. Write it as {flag} 0.2,0.3,0.5.") from None
