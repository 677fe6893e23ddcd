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
    check.add_argument("--samples", type=int, default=20_000, metavar="N", help="seeded runs per method")
    check.add_argument("--seed", type=int, default=0)

    acceptance = add_command(
        commands, "acceptance", _acceptance, "Exact acceptance of K drafts at one position, by every scheme."
    )
    acceptance.add_argument("--target", required=True, metavar="P1,P2,..", help="the target's row")
    acceptance.add_argument("--draft", required=True, metavar="Q1,Q2,..", help="the draft's row")
    acceptance.add_argument("--num-drafts", type=int, required=True, metavar="K")


def _check(parsed: argparse.Namespace) -> None:
    from playground.bench.losslessness import CHUNK, check
    from playground.decoding.method import methods

    chosen = list(methods()) if parsed.method_or_all == "all" else [parsed.method_or_all]
    workers = min(2, os.cpu_count() or 1) if parsed.samples >= 4 * CHUNK else 1  # a process takes seconds to start
    results = check(chosen, samples=parsed.samples, seed=parsed.seed, workers=workers)
    if parsed.json:
        rows = [asdict(result) for result in results]
        print_json(rows if parsed.method_or_all == "all" else rows[0])
        return
    print(f"Running {', '.join(chosen)}: {parsed.samples:,} seeded runs each.", file=sys.stderr)
    for result in results:
        print(f"{result.method}: {result.verdict}. It claims to reproduce: {result.reproduces}.", end="")
        if result.tv is not None:
            print(
                f" Distance from the target {result.tv:.5f}, noise floor {result.noise_floor:.5f} (1 in 100 above "
                f"{result.noise_upper:.5f}), p-value {result.p_value:.3g}, {result.samples:,} samples.",
                end="",
            )
        print(flush=True)


def _acceptance(parsed: argparse.Namespace) -> None:
    from playground.bench.one_position import NO_VALUE, acceptance_by_scheme

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
