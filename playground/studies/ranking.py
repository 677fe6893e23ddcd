"""Agreement of two races: every pair of entries that both have, told apart or not by its intervals.

An interval that overlaps another says nothing of who is faster. So two races contradict each other only where both tell
a pair apart and name different winners. Intervals of 95 % do so by chance too, but rarely: both would have to miss, in
opposite directions.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from playground.bench.rating import PLAIN
from playground.errors import PlaygroundError
from playground.files import read_json

Row = Mapping[str, Any]


def agreement(one: Sequence[Row], other: Sequence[Row]) -> dict[str, Any]:
    """Compare two races' rows.

    Returns:
        entries: in both races with an interval of their speed-up; pairs: of those, rated against the same.
        apart_in_both, apart_in_one, apart_in_none: how many pairs have intervals that do not overlap.
        contradictions: pairs told apart by both races with different winners: {entries, one, other}, the speed-ups as
            [low, median, high].
        turned: pairs that one race tells apart and whose medians stand the other way round in the other, where the
            intervals overlap. No contradiction, but worth a look.
        left_out: labels of entries whose rows differ in who drafts alone, which no row says but by its label.
        agree: whether there is no contradiction.
    """
    known = [{_key(row): interval for row in rows if (interval := _interval(row))} for rows in (one, other)]
    alike = {key for rows in (one, other) for key, number in Counter(map(_key, rows)).items() if number > 1}
    entries = [key for key in known[0] if key in known[1] and key not in alike]
    labels = {_key(row): row["label"] for row in one}
    rivals = [{_key(row): row.get("against", PLAIN) for row in rows} for rows in (one, other)]
    result: dict[str, Any] = {
        "entries": len(entries),
        "pairs": len(entries) * (len(entries) - 1) // 2,
        "apart_in_both": 0,
        "apart_in_one": 0,
        "apart_in_none": 0,
        "contradictions": [],
        "turned": [],
        "left_out": list(dict.fromkeys(row["label"] for row in (*one, *other) if _key(row) in alike)),
    }
    for pair in combinations(entries, 2):
        if len({against[key] for against in rivals for key in pair}) > 1:  # speed-ups over different things
            result["pairs"] -= 1
            continue
        intervals = [[each[key] for key in pair] for each in known]
        winners = [_winner(*both) for both in intervals]
        apart = sum(winner is not None for winner in winners)
        result[("apart_in_none", "apart_in_one", "apart_in_both")[apart]] += 1
        said = {
            "entries": [labels[key] for key in pair],
            "one": intervals[0],
            "other": intervals[1],
        }
        if apart == 2 and winners[0] != winners[1]:
            result["contradictions"].append(said)
        elif apart == 1 and _faster(*intervals[0]) != _faster(*intervals[1]):
            result["turned"].append(said)
    return result | {"agree": not result["contradictions"]}


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Read the rows of a saved race: what `compare --json` prints, or the page's JSON file.

    Raises:
        PlaygroundError: if it is no such file.
    """
    try:
        content = read_json(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not JSON"
        raise PlaygroundError(f"{path} cannot be read ({reason}). Give a file that compare --json wrote.") from None
    rows = content.get("rows") if isinstance(content, dict) else content
    if not isinstance(rows, list) or not all(
        isinstance(row, dict) and {"label", "method"} <= row.keys() for row in rows
    ):
        raise PlaygroundError(f"{path} holds no rows of a race. Give a file that compare --json wrote.")
    return rows


def sentences(result: Mapping[str, Any]) -> list[str]:
    """Return the outcome for people."""
    left_out = [f"Left out, as they differ in who drafts alone: {', '.join(result['left_out'])}."]
    if not result["pairs"]:
        nothing = "There is nothing to compare: fewer than two entries have an interval in both races."
        return [nothing, *(left_out if result["left_out"] else [])]
    counts = f"told apart by both races {result['apart_in_both']}, by one {result['apart_in_one']}"
    said = [f"{result['entries']} entries, {result['pairs']} pairs: {counts}, by none {result['apart_in_none']}."]
    for each in result["contradictions"]:
        said.append(f"They contradict each other on {_in_words(each)}.")
    if result["agree"]:
        said.append("Wherever both tell a pair apart, they name the same winner.")
    if result["turned"]:
        turned = "; ".join(_in_words(each) for each in result["turned"])
        said.append(f"Told apart by one alone, and in the other the medians stand the other way round: {turned}.")
    return said + (left_out if result["left_out"] else [])


def _key(row: Row) -> tuple[str, str]:
    return row["method"], json.dumps(row.get("options", {}), sort_keys=True)


def _interval(row: Row) -> list[float] | None:
    ratio = row.get("speed_up")
    return [ratio[end] for end in ("low", "median", "high")] if ratio and ratio["low"] is not None else None


def _winner(one: Sequence[float], other: Sequence[float]) -> int | None:
    """0 or 1, whose interval lies wholly above the other's; None where they overlap."""
    if one[0] > other[2]:
        return 0
    return 1 if other[0] > one[2] else None


def _faster(one: Sequence[float], other: Sequence[float]) -> bool:
    return one[1] > other[1]


def _in_words(each: Mapping[str, Any]) -> str:
    names = each["entries"]
    there = [" and ".join(f"{low:.2f}–{high:.2f}" for low, _, high in each[race]) for race in ("one", "other")]
    return f"{names[0]} and {names[1]} ({there[0]} in one, {there[1]} in the other)"
