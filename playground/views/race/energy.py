"""Where a race's energy went, as plain data: bars per entry, of the estimate in parts and of what was measured.

The page draws them. Its reader may put other watts in than the machine's, so the estimate comes as seconds: T_flop and
T_mem of equation 9 of the MTAD paper, per emitted token. What was measured is one number, as no counter tells parts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

PARTS = ("text", "rejected", "draft")


def energy_data(
    rows: Sequence[Mapping[str, Any]], runs: Sequence[Mapping[str, Any]], machine: Mapping[str, Any] | None
) -> dict[str, Any] | None:
    """The bars of a race; None where nothing was estimated.

    Args:
        rows: of the race, each also with its `title`.
        runs: numbers of every run: its entry's `label`, `num_tokens` and `energy`.
        machine: constants of the estimate.

    Returns:
        watts: {flop_w, memory_w}; machine: what they belong to; source: what measured, None where nothing did; why: the
        reason for that; bars: of {label, title, parts, measured}, parts {text, rejected, draft} as
        [T_flop, T_mem] in seconds per token, measured in joules per token or None. All are over all of an entry's runs.
    """
    bars = []
    for row in rows:
        of_entry = [each for each in runs if each["label"] == row["label"] and each["num_tokens"]]
        seconds = [each["energy"].get("estimated_seconds") for each in of_entry]
        if row.get("failed") or not of_entry or not all(seconds):
            continue
        tokens = sum(each["num_tokens"] for each in of_entry)
        joules = [each["energy"]["joules"] for each in of_entry]
        bars.append(
            {
                "label": row["label"],
                "title": row["title"],
                "parts": {
                    part: [sum(each[part][kind] for each in seconds if each) / tokens for kind in (0, 1)]
                    for part in PARTS
                },
                "measured": None if None in joules else sum(joules) / tokens,
            }
        )
    if not bars or machine is None:
        return None
    told = [each["energy"] for each in runs]
    return {
        "machine": machine["title"],
        "watts": {name: machine[name] for name in ("flop_w", "memory_w")},
        "source": next((each["source"] for each in told if each["source"]), None),
        "why": next((each["reason"] for each in told if each["reason"]), None),
        "bars": bars,
    }
