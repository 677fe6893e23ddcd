"""`log`: what another server recorded of its speculation, added up and explained."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from playground.cli.command import Json, flag, print_json, say_progress
from playground.cli.console import can_print
from playground.errors import PlaygroundError
from playground.files import export_file
from playground.servers.findings import (
    Findings,
    Length,
    answer,
    best_length,
    findings,
    lengths,
    no_lengths,
    verdict,
)
from playground.servers.profile import profile as acceptance_profile
from playground.servers.reading import load_log
from playground.servers.words import NAMES

WIDTH = 40  # characters of a whole bar
_SAME_NAMES = (
    *("servers", "level", "requests", "drafted", "accepted", "emitted", "seconds", "draft_efficiency"),
    *("tokens_per_s", "histogram", "rates", "timeline"),
)
_OF_LENGTH = ("length", "tokens", "least", "most", "speed_up", "speed_ups")  # null for what only has bounds
BARS, PLAIN_BARS = "▁▂▃▄▅▆▇█", "1234567#"  # by height, and for a console without Unicode


def log(
    file: Annotated[Path | None, flag("responses, /metrics, a log or a benchmark", metavar="FILE")] = None,
    *,
    draft_cost: Annotated[float | None, flag("time of drafting one token / of a plain step", metavar="C")] = None,
    verify_cost: Annotated[float, flag("time of verifying a draft / of a plain step", metavar="V")] = 1.0,
    least: Annotated[
        float | None,
        flag("exit with code 1 where a target call brought fewer tokens, its own counted", metavar="TOKENS"),
    ] = None,
    profile: Annotated[Path | None, flag("write acceptance by position as a profile, JSON", metavar="FILE")] = None,
    names: Annotated[bool, flag("everyone's names for acceptance, in ours")] = False,
    as_json: Json = False,
) -> int:
    """Read what a server recorded of its speculation."""
    if names:
        if as_json:
            print_json([each._asdict() for each in NAMES])
        else:
            _print_table([("SERVER", "THEIR NAME", "IN OUR WORDS", "EXTRA TOKEN"), *NAMES])
        return 0
    if file is None:
        raise PlaygroundError("No file was named. Give one, or --names.")
    if not (draft_cost is None or 0 <= draft_cost < 1e6) or not 0 < verify_cost < 1e6:
        raise PlaygroundError(
            "The costs must be numbers in plain steps: --draft-cost 0 or more, --verify-cost above 0."
        )
    if least is not None and not 1 <= least < 1e6:
        raise PlaygroundError("--least must be 1 or more: a target call always brings its own token.")
    recorded = load_log(file)
    result = findings(recorded.records)
    if profile is not None:
        export_file(profile, json.dumps(acceptance_profile(result), indent=2) + "\n")
    if as_json:
        by_length = lengths(result, draft_cost, verify_cost)
        said = verdict(result, draft_cost, verify_cost)
        print_json(log_as_json(result, by_length, said, recorded.notes))
    else:
        from playground.servers.server_log import server_log

        _print_log(server_log(recorded, draft_cost, verify_cost))
    return 0 if least is None else _gate(result, least)


def _gate(findings: Findings, least: float) -> int:
    """Exit code of `--least`, and print its sentence on standard error. Of bounds the lower one counts.

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


def log_as_json(findings: Findings, by_length: Sequence[Length], said: str, notes: Sequence[str]) -> dict[str, object]:
    """All findings under their names; null where nothing was recorded."""
    best = best_length(by_length)
    return {
        **{name: getattr(findings, name) for name in _SAME_NAMES},
        "rounds": findings.rounds,
        "rounds_within": findings.rounds_within,
        "target_calls": findings.calls,
        "tokens_per_call": findings.tokens_within,
        "accepted_per_round": findings.accepted_per_round,
        "survival": [[each.survived, each.rounds] for each in findings.survival] if findings.survival else None,
        "lengths": [{name: getattr(each, name) for name in _OF_LENGTH} for each in by_length] or None,
        "best_length": best.length if best else None,
        "answer": answer(findings, by_length) or None,
        "verdict": said,
        "remarks": list(findings.remarks),
        "notes": [*filter(None, [no_lengths(findings)]), *notes],
    }


def _print_log(shown: dict[str, Any]) -> None:
    """Print what the Lab shows of a log: its facts, and each chart as a table with a bar in every row."""
    bars = BARS if can_print(BARS) else PLAIN_BARS
    print(f"{shown['verdict']}\n\n{shown['title']}. {shown['level']}\n")
    _print_table(shown["facts"])
    for chart in shown["charts"]:
        [kind, *_] = chart["bars"]["kinds"]
        most = 1.0 if chart["bars"]["share"] else max(kind["values"]) or 1.0
        shares = [value / most for value in kind["values"]]
        print(f"\n{chart['title']}. {chart['summary']}")
        if chart["id"] == "log_timeline":
            points = "".join(bars[round(share * (len(bars) - 1))] for share in shares)
            print(f"{points}  at most {most:.2f}")
            continue
        whole = ["", *(bars[-1] * round(WIDTH * share) for share in shares)]
        rows = [chart["rows"]["header"], *chart["rows"]["body"]]
        _print_table([[*row, bar] for row, bar in zip(rows, whole, strict=True)])
    print("", *shown["remarks"], *shown["notes"], sep="\n")


def _print_table(rows: Sequence[Sequence[Any]]) -> None:
    wide = [max(len(str(cell)) for cell in column) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(f"{cell!s:<{width}}" for cell, width in zip(row, wide, strict=True)).rstrip())
