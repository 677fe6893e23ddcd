"""`log`: what another server recorded of its speculation, added up and explained."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from playground.cli.command import add_command, print_json, say_progress, write_text
from playground.errors import PlaygroundError
from playground.servers.findings import (
    Findings,
    Length,
    answer,
    best_length,
    bounds,
    findings,
    lengths,
    no_lengths,
    rounds,
    title,
    verdict,
)
from playground.servers.profile import profile
from playground.servers.reading import load_log
from playground.servers.record import LEVELS
from playground.servers.words import NAMES

WIDTH = 40  # characters of a whole bar
_HEIGHTS = "▁▂▃▄▅▆▇█"


def add(commands: Any) -> None:
    """Add `log` to the subcommands."""
    command = add_command(commands, "log", _log, "Read what a server recorded of its speculation.")
    command.add_argument("file", type=Path, nargs="?", metavar="FILE", help="responses, /metrics, a log or a benchmark")
    command.add_argument("--draft-cost", type=float, metavar="C", help="time of drafting one token / of a plain step")
    command.add_argument(
        "--verify-cost", type=float, default=1.0, metavar="V", help="time of verifying a draft / of a plain step"
    )
    command.add_argument(
        "--least",
        type=float,
        metavar="TOKENS",
        help="exit with code 1 where a target call brought fewer tokens, its own counted",
    )
    command.add_argument("--profile", type=Path, metavar="FILE", help="write acceptance by position as a profile, JSON")
    command.add_argument("--names", action="store_true", help="everyone's names for acceptance, in ours")


def _log(parsed: argparse.Namespace) -> int:
    """Read the file and print what it says; the exit code, 1 where `--least` is not reached."""
    if parsed.names:
        _print_names(parsed.json)
        return 0
    if parsed.file is None:
        raise PlaygroundError("No file was named. Give one, or --names.")
    if not (parsed.draft_cost is None or 0 <= parsed.draft_cost < 1e6) or not 0 < parsed.verify_cost < 1e6:
        raise PlaygroundError(
            "The costs must be numbers in plain steps: --draft-cost 0 or more, --verify-cost above 0."
        )
    if parsed.least is not None and not 1 <= parsed.least < 1e6:
        raise PlaygroundError("--least must be 1 or more: a target call always brings its own token.")
    log = load_log(parsed.file)
    result = findings(log.records)
    if parsed.profile is not None:
        write_text(parsed.profile, json.dumps(profile(result), indent=2) + "\n")
    by_length = lengths(result, parsed.draft_cost, parsed.verify_cost)
    said = verdict(result, parsed.draft_cost, parsed.verify_cost)
    if parsed.json:
        print_json(as_json(result, by_length, said, log.notes))
    else:
        notes = [*filter(None, [no_lengths(result)]), *result.remarks, *log.notes]
        first = [answer(result, by_length), ""] if answer(result, by_length) else []
        print("\n".join([*first, *_totals(result), *_pictures(result), *_lengths(by_length), "", said, *notes]))
    return 0 if parsed.least is None else _gate(result, parsed.least)


def _gate(findings: Findings, least: float) -> int:
    """Exit code of `--least`, with its sentence beside what the command prints. Of bounds the lower one counts.

    Raises:
        PlaygroundError: where the log does not say how many tokens a call brought.
    """
    tokens = findings.tokens_per_call
    if tokens is None:
        raise PlaygroundError(
            "How many tokens a target call brought was not recorded, so --least cannot be checked. Record the rounds."
        )
    passed = tokens >= least - 1e-9
    say_progress(f"{tokens:.2f} tokens a target call, {'at least' if passed else 'fewer than'} {least:g}.")
    return 0 if passed else 1


def as_json(findings: Findings, by_length: Sequence[Length], said: str, notes: Sequence[str]) -> dict[str, Any]:
    """All findings under their names; null where nothing was recorded."""
    best = best_length(by_length)
    return {
        "servers": list(findings.servers),
        "level": findings.level,
        "requests": findings.requests,
        "drafted": findings.drafted,
        "accepted": findings.accepted,
        "emitted": findings.emitted,
        "rounds": findings.steps,
        "rounds_within": findings.steps_within,
        "target_calls": findings.calls,
        "tokens_per_call": findings.tokens_within,
        "seconds": findings.seconds,
        "draft_efficiency": findings.draft_efficiency,
        "accepted_per_round": findings.accepted_per_step,
        "tokens_per_s": findings.tokens_per_s,
        "histogram": findings.histogram,
        "survival": [[each.survived, each.steps] for each in findings.survival] if findings.survival else None,
        "rates": findings.rates,
        "timeline": findings.timeline,
        "lengths": [_length_as_json(each) for each in by_length] or None,
        "best_length": best.length if best else None,
        "answer": answer(findings, by_length) or None,
        "verdict": said,
        "remarks": list(findings.remarks),
        "notes": [*filter(None, [no_lengths(findings)]), *notes],
    }


def _length_as_json(each: Length) -> dict[str, Any]:
    """With null for what only has bounds."""
    names = ("length", "tokens", "least", "most", "speed_up", "speed_ups")
    return {name: getattr(each, name) for name in names}


def _totals(findings: Findings) -> list[str]:
    rows = [
        ("rounds", rounds(findings)),
        *(
            [("target calls, by arithmetic", _count(findings.calls))]
            if findings.steps is None and findings.calls
            else []
        ),
        ("drafted", _count(findings.drafted)),
        ("accepted", _count(findings.accepted)),
        ("emitted", _count(findings.emitted)),
        ("draft efficiency (accepted / drafted)", _share(findings.draft_efficiency)),
        ("accepted per round, the target's own token not counted", _number(findings.accepted_per_step)),
        ("tokens per target call, its own counted", bounds(findings.tokens_within)),
        ("tokens per second of decoding", _number(findings.tokens_per_s)),
    ]
    wide = max(len(name) for name, _ in rows)
    return [f"{title(findings)}. {LEVELS[findings.level]}", "", *_lines(rows, wide)]


def _lines(rows: Sequence[tuple[str, str]], wide: int) -> list[str]:
    return [f"  {name:<{wide}}  {value:>9}" for name, value in rows]


def _pictures(findings: Findings) -> list[str]:
    lines: list[str] = []
    if findings.histogram:
        most = max(findings.histogram)
        lines += ["", "Rounds by how many of their drafts were accepted"]
        lines += [
            f"  {accepted:>4}  {_bar(count, most)} {count:,}" for accepted, count in enumerate(findings.histogram)
        ]
    if findings.survival:
        lines += ["", f"Survival: rounds that accepted the position and all before it, {findings.survival_of}"]
        for each in findings.survival:
            share = each.survived / each.steps if each.steps else None
            lines.append(f"  {each.position:>4}  {_bar(each.survived, each.steps)} {_share(share)} of {each.steps:,}")
    if findings.rates:
        lines += ["", "Marginal rates: rounds that accepted the position and all before it, as the server wrote them"]
        lines += [
            f"  {at:>4}  {_bar(round(1000 * rate), 1000)} {_share(rate)}" for at, rate in enumerate(findings.rates, 1)
        ]
    if findings.timeline:
        most = max(findings.timeline) or 1.0
        points = "".join(_HEIGHTS[round(value / most * (len(_HEIGHTS) - 1))] for value in findings.timeline)
        lines += ["", f"Along the log: {findings.timeline_of}, at most {most:.2f}", f"  {points}"]
    return lines


def _lengths(by_length: Sequence[Length]) -> list[str]:
    if not by_length:
        return []
    best = best_length(by_length)
    said = ["", "Had the draft length been fixed, an estimate: tokens per target call, and times plain decoding"]
    if any(each.tokens is None for each in by_length):
        said.append("  at least and at most: the drafted lengths vary, and a draft accepted whole says nothing beyond")
    for each in by_length:
        mark = "  the best by your costs" if best is each else ""
        tokens, times = bounds((each.least, each.most)), bounds(each.speed_ups)
        said.append(f"  {each.length:>4}  {tokens:>12}  {times:>12}{mark}")
    if all(each.speed_ups and each.speed_ups[1] < 1 for each in by_length):
        said.append("  By your costs, no length would have paid: plain decoding is faster.")
    return said


def _print_names(as_data: bool) -> None:
    if as_data:
        print_json([each._asdict() for each in NAMES])
        return
    rows = [("SERVER", "THEIR NAME", "IN OUR WORDS", "EXTRA TOKEN"), *NAMES]
    wide = [max(len(row[column]) for row in rows) for column in range(4)]
    print(
        "\n".join("  ".join(f"{cell:<{width}}" for cell, width in zip(row, wide, strict=True)).rstrip() for row in rows)
    )


def _bar(count: int, most: int) -> str:
    return f"{'█' * round(WIDTH * count / most) if most else '':<{WIDTH}}"


def _count(value: int | None) -> str:
    return "–" if value is None else f"{value:,}"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"
