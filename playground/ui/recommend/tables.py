"""The tables below the stage: the versions of the draft for this history, and how they did on many users.

A table is {title, note, groups: [[title, columns]], columns: [title], rows: [{title, cells: [{text, below, title}]}]}.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from playground.papers.printed import find_paper
from playground.recommender.objectives import VERSIONS
from playground.ui.recommend.form import LENGTHS
from playground.ui.recommend.press import KINDS, SPECULATIVE

EVALUATION = Path(__file__).parents[3] / "assets" / "shop" / "evaluation.json"
DATA_OF_PAPER = "beauty"
EMPTY = {"title": "", "note": "", "groups": [], "columns": [], "rows": []}


def beside(rows: Sequence[Mapping[str, Any]], chosen: str) -> dict[str, Any]:
    """The versions of the draft, side by side for one history."""
    measures: dict[str, Callable[[Mapping[str, Any]], str]] = {
        "target calls": lambda facts: str(facts["target_calls"]),
        "accepted steps": lambda facts: f"{facts['accepted_steps']} of {facts['steps'] - 1}",
        "accepted per call": lambda facts: f"{facts['accepted_steps'] / facts['target_calls']:.2f}",
        "ms": lambda facts: f"{facts['milliseconds']:.0f}",
    }
    return {
        "title": "Every draft for this history",
        "note": "Measured just now, one after the other, prefill left out. Strict verification gives the same list "
        "with every draft; how soon depends on the draft.",
        "groups": [[KINDS[kind], len(measures)] for kind in SPECULATIVE],
        "columns": [name for _ in SPECULATIVE for name in measures],
        "rows": [
            {
                "title": row["title"],
                "chosen": row["version"] == chosen,
                "cells": [{"text": show(row[kind])} for kind in SPECULATIVE for show in measures.values()],
            }
            for row in rows
        ],
    }


@cache
def published() -> dict[str, Any]:
    """What the evaluation has found on many users, above what the paper prints in its Table 1."""
    if not EVALUATION.exists():
        return EMPTY
    found = json.loads(EVALUATION.read_text(encoding="utf-8"))
    of = {(row["version"], row["verification"], row["k"]): row for row in found["rows"]}
    columns = [f"{measure}@{k}" for measure in ("AS", "WS") for k in LENGTHS]
    rows = []
    for kind in SPECULATIVE:
        for version, about in VERSIONS.items():
            cells = [
                _cell(of.get((version, kind, k)), measure, _printed(kind, measure).get((about.title, k)))
                for measure in ("as", "ws")
                for k in LENGTHS
            ]
            rows.append({"title": f"{KINDS[kind]}, {about.title}", "cells": cells})
    where = found["machine"].get("gpu") or found["machine"]["processor"]
    return {
        "title": f"{found['users']} users, beside the paper's Table 1",
        "note": f"Above: {found['shop']}, measured on {found['on']} on {where}, N = 40. Below: AtSpeed, Table 1, "
        "Amazon Beauty, with a target of 7 B. AS@K: accepted steps of a list, 3 at most. WS@K: seconds of "
        "beam search over seconds of the speculative run; below 1 speculation is slower.",
        "groups": [["accepted steps", len(LENGTHS)], ["speed-up over beam search", len(LENGTHS)]],
        "columns": columns,
        "rows": rows,
    }


def _cell(row: Mapping[str, Any] | None, measure: str, paper: float | None) -> dict[str, str]:
    below = "" if paper is None else f"{paper:.2f}"
    if row is None:
        return {"text": "–", "below": below}
    found = row[measure]
    kind = "mean with a 95 % interval" if "mean" in found else "median with the middle half"
    value = found.get("mean", found.get("median"))
    return {"text": f"{value:.2f}", "below": below, "title": f"{kind}: {found['low']:.2f} to {found['high']:.2f}"}


@cache
def _printed(kind: str, measure: str) -> dict[tuple[str, float], float]:
    """What the paper prints, by its name of the draft and K."""
    metric = {"as": "accepted-steps", "ws": "speed-up"}[measure]
    wanted = f"table1-{DATA_OF_PAPER}-{kind}-{metric}"
    [result] = [each for each in find_paper("atspeed").results if each.id == wanted]
    return {
        (each.method, each.x): each.value for each in result.values if each.x is not None and each.value is not None
    }
