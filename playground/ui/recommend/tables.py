"""The tables below the stage: the versions of the draft for this history, and how they did on many users.

A table is {title, note, groups: [[title, columns]], columns: [title], rows: [{title, cells: [{text, below, title}]}]}.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from playground.papers.printed import find_paper
from playground.paths import ASSETS
from playground.recommender.paying import Paying, best_of, offered_drafts
from playground.recommender.recommend import DRAFTS
from playground.recommender.training.objectives import VERSIONS
from playground.ui.recommend.form import LENGTHS
from playground.ui.recommend.press import KINDS, SPECULATIVE

EVALUATION = ASSETS / "shop" / "evaluation.json"
DATA_OF_PAPER = "beauty"
Table = dict[str, Any]


def beside(rows: Sequence[Mapping[str, Any]], chosen: str) -> Table:
    """The versions of the draft, side by side for one history."""
    measures: dict[str, Callable[[Mapping[str, Any]], str]] = {
        "target calls": lambda facts: str(facts["target_calls"]),
        "accepted steps": lambda facts: f"{facts['accepted_steps']} of {facts['steps'] - 1}",
        "accepted per call": lambda facts: f"{facts['accepted_steps'] / facts['target_calls']:.2f}",
        "ms": lambda facts: f"{facts['milliseconds']:.0f}",
    }
    return {
        "title": "Every draft for this history",
        "note": "Measured just now, one after the other: medians of three runs, prefill left out. Strict verification "
        "gives the same list with every draft; how soon depends on the draft.",
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


def paying_table(rows: Sequence[Paying], users: int) -> Table:
    """The ratio by K and N, as it was measured, and what follows from it; the best that pays has a star."""
    best = best_of(rows)
    by_key = {(row.top_k, row.drafts): row for row in rows}
    heads = ["N = K", "N = 2 K", f"N = {DRAFTS}"]
    lines = []
    for top_k in dict.fromkeys(row.top_k for row in rows):
        cells = [_paying_cell(by_key.get((top_k, drafts)), best) for drafts in offered_drafts(top_k)]
        lines.append({"title": f"K = {top_k}", "chosen": best is not None and best.top_k == top_k, "cells": cells})
    return {
        "title": "Where speculation pays on this machine",
        "note": f"{say_paying(rows)} Measured just now on {users} users: seconds of beam search over seconds of strict "
        "verification, which gives the same list; the median over users, and below it the 95 % interval and the levels "
        "drafted in a round, the fastest of 1 to 3. Below 1 speculation is slower.",
        "groups": [["beam search over strict verification", len(heads)]],
        "columns": heads,
        "rows": lines,
    }


def _paying_cell(row: Paying | None, best: Paying | None) -> dict[str, str]:
    if row is None:
        return {"text": "–"}
    levels = "1 level" if row.draft_length == 1 else f"{row.draft_length} levels"
    interval = "" if row.low is None else f"{row.low:.2f} to {row.high:.2f}, "
    star = " ★" if row == best else ""
    return {
        "text": f"{row.ratio:.2f}{star}",
        "below": f"{interval}{levels}",
        "title": f"{row.target_calls:.1f} target calls a list on average",
    }


def say_paying(rows: Sequence[Paying]) -> str:
    """The setting that wins and by how much; where none does, the one that comes nearest."""
    best = best_of(rows)
    if best is not None:
        return f"Speculation wins most at {_setting_in_words(best)}: {best.ratio:.2f} times as fast as beam search."
    nearest = max(rows, key=lambda row: row.ratio)
    return (
        f"At no K and N is speculation clearly faster here. {_setting_in_words(nearest)} comes nearest: "
        f"{nearest.ratio:.2f} times as fast as beam search."
    )


def _setting_in_words(row: Paying) -> str:
    return f"K = {row.top_k}, N = {row.drafts}, {row.draft_length} drafted levels"


@cache
def published() -> list[Table]:
    """The tables of the evaluation on many users; none where there was no evaluation."""
    if not EVALUATION.exists():
        return []
    evaluation = json.loads(EVALUATION.read_text(encoding="utf-8"))
    rows = {(row["version"], row["verification"], row["k"]): row for row in evaluation["rows"]}
    where = evaluation["machine"].get("gpu") or evaluation["machine"]["processor"]
    measured = f"{evaluation['shop']}, measured on {evaluation['on']} on {where}, N = {evaluation['drafts']}"
    return [_speed(rows, evaluation["users"], measured), _quality(rows, evaluation["users"])]


def _speed(of: Mapping[tuple[str, str, int], Mapping[str, Any]], users: int, measured: str) -> Table:
    """Accepted steps and speed-up, above what the paper prints in its Table 1."""
    columns = [f"{measure}@{k}" for measure in ("AS", "WS") for k in LENGTHS]
    rows: list[dict[str, Any]] = []
    for kind in SPECULATIVE:
        for version, about in VERSIONS.items():
            cells = [
                _cell(of.get((version, kind, k)), measure, _printed(kind, measure).get((about.title, k)))
                for measure in ("as", "ws")
                for k in LENGTHS
            ]
            rows.append({"title": f"{KINDS[kind]}, {about.title}", "cells": cells})
    return {
        "title": f"{users} users, beside the paper's Table 1",
        "note": f"Above: {measured}. Below: AtSpeed, Table 1, N = 40, Amazon Beauty, with a target of 7 B. AS@K: "
        "accepted steps of a list, 3 at most. WS@K: seconds of beam search over seconds of the speculative run; below "
        "1 speculation is slower.",
        "groups": [["accepted steps", len(LENGTHS)], ["speed-up over beam search", len(LENGTHS)]],
        "columns": columns,
        "rows": rows,
    }


def _quality(of: Mapping[tuple[str, str, int], Mapping[str, Any]], users: int) -> Table:
    """The share of lists that hold what was bought next. The lists of the target alone stand with the first version."""
    first = next(iter(VERSIONS))
    wanted = {
        "Beam search": (first, "none"),
        "Strict, AtSpeed-S": ("atspeed_s", "strict"),
        "Beam sampling": (first, "sampled"),
        "Relaxed, AtSpeed-R": ("atspeed_r", "relaxed"),
    }
    return {
        "title": f"Is what was bought next on the list? {users} users",
        "note": "Recall@K: share of the items that were held out and are on the list. NDCG@K counts them by their "
        "place. Strict verification has those of beam search, as its lists are the same; relaxed verification "
        "approximates beam sampling, which draws, too.",
        "groups": [["recall", len(LENGTHS)], ["NDCG", len(LENGTHS)]],
        "columns": [f"{measure}@{k}" for measure in ("Recall", "NDCG") for k in LENGTHS],
        "rows": [
            {
                "title": title,
                "cells": [_cell(of.get((*key, k)), name, None, 3) for name in ("recall", "ndcg") for k in LENGTHS],
            }
            for title, key in wanted.items()
        ],
    }


def _cell(row: Mapping[str, Any] | None, measure: str, paper: float | None, digits: int = 2) -> dict[str, str]:
    below = "" if paper is None else f"{paper:.2f}"
    if row is None:
        return {"text": "–", "below": below}
    estimate = row[measure]
    kind = "mean with a 95 % interval" if "mean" in estimate else "median with the middle half"
    value = estimate.get("mean", estimate.get("median"))
    low, high = (f"{estimate[end]:.{digits}f}" for end in ("low", "high"))
    return {"text": f"{value:.{digits}f}", "below": below, "title": f"{kind}: {low} to {high}"}


@cache
def _printed(kind: str, measure: str) -> dict[tuple[str, float], float]:
    """The paper's numbers, by its name of the draft and K."""
    metric = {"as": "accepted-steps", "ws": "speed-up"}[measure]
    wanted = f"table1-{DATA_OF_PAPER}-{kind}-{metric}"
    [result] = [each for each in find_paper("atspeed").results if each.id == wanted]
    return {
        (each.method, each.x): each.value for each in result.values if each.x is not None and each.value is not None
    }
