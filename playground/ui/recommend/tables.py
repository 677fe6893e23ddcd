"""The tables below the stage: the versions of the draft for this history, and how they did on many users."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from playground.papers.printed import find_paper
from playground.paths import ASSETS
from playground.recommender.files import INVENTED
from playground.recommender.paying import Paying, best_of, offered_drafts
from playground.recommender.recommend import DRAFTS
from playground.recommender.versions import VERSIONS
from playground.ui.contract.to_page import ListKind, NumberCell, NumberRow, NumberTable, RecommendedList
from playground.ui.recommend.form import LENGTHS, RecommendForm
from playground.ui.recommend.press import KINDS, SPECULATIVE
from playground.words import paragraph, word

EVALUATION = ASSETS / "shop" / "evaluation.json"
DATA_OF_PAPER = "beauty"


def beside(rows: Sequence[Mapping[str, Any]], chosen: str) -> NumberTable:
    """Return the versions of the draft, side by side for one history."""
    measures: dict[str, Callable[[Mapping[str, Any]], str]] = {
        word("column_target_calls"): lambda facts: str(facts["target_calls"]),
        word("shop_accepted_steps"): lambda facts: steps_of(facts["accepted_steps"], facts["steps"] - 1),
        word("shop_accepted_per_call"): lambda facts: f"{facts['accepted_steps'] / facts['target_calls']:.2f}",
        "ms": lambda facts: f"{facts['milliseconds']:.0f}",
    }
    return {
        "title": word("shop_versions"),
        "note": paragraph(word("shop_versions_measured"), word("shop_same_list")),
        "groups": [(KINDS[kind], len(measures)) for kind in SPECULATIVE],
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


def beside_paper(lists: Sequence[RecommendedList]) -> str:
    """Return the paper's speed-up next to that of these lists, and why the two differ; measured in one press."""
    facts = {each["kind"]: each["facts"] for each in lists}
    strict, plain = facts["strict"], facts["none"]
    form = RecommendForm()
    return word(
        "shop_beside_paper",
        paper=f"{_printed('strict', 'ws')[VERSIONS[form.version], form.top_k]:.2f}",
        top_k=form.top_k,
        here=f"{plain['milliseconds'] / strict['milliseconds']:.2f}",
        nodes=f"{strict['nodes']:.0f}",
        target=f"{strict['verify_ms']:.1f}",
        plain=f"{plain['verify_ms']:.1f}",
        calls=plain["target_calls"],
        others=f"{strict['milliseconds'] - strict['verify_ms'] - strict['draft_ms']:.1f}",
    )


def steps_of(accepted: int | str, steps: int | str) -> str:
    """Return the accepted steps of a list, of all that a draft can save."""
    return word("shop_steps_of", accepted=accepted, steps=steps)


def paying_table(rows: Sequence[Paying], users: int) -> NumberTable:
    """Return the ratio by K and N, as it was measured, and what follows from it; the best that pays has a star."""
    best = best_of(rows)
    by_key = {(row.top_k, row.drafts): row for row in rows}
    heads = ["N = K", "N = 2 K", f"N = {DRAFTS}"]
    lines: list[NumberRow] = []
    for top_k in dict.fromkeys(row.top_k for row in rows):
        cells = [_paying_cell(by_key.get((top_k, drafts)), best) for drafts in offered_drafts(top_k)]
        lines.append({"title": f"K = {top_k}", "chosen": best is not None and best.top_k == top_k, "cells": cells})
    return {
        "title": word("shop_paying"),
        "note": paragraph(say_paying(rows), word("shop_paying_note", users=users)),
        "groups": [(word("shop_ratio"), len(heads))],
        "columns": heads,
        "rows": lines,
    }


def _paying_cell(row: Paying | None, best: Paying | None) -> NumberCell:
    if row is None:
        return {"text": "–"}
    depths = word("shop_levels", count=row.draft_length)
    below = depths
    if row.low is not None:
        below = word("shop_interval", low=f"{row.low:.2f}", high=f"{row.high:.2f}", levels=depths)
    star = " ★" if row == best else ""
    return {
        "text": f"{row.ratio:.2f}{star}",
        "below": below,
        "title": word("shop_calls_a_list", calls=f"{row.target_calls:.1f}"),
    }


def say_paying(rows: Sequence[Paying]) -> str:
    """Return the setting that wins and by how much; where none does, the one that comes nearest."""
    best = best_of(rows)
    if best is not None:
        return word("shop_wins", setting=_setting_in_words(best), ratio=f"{best.ratio:.2f}")
    nearest = max(rows, key=lambda row: row.ratio)
    return word("shop_loses", setting=_setting_in_words(nearest), ratio=f"{nearest.ratio:.2f}")


def _setting_in_words(row: Paying) -> str:
    return word("shop_setting", top_k=row.top_k, drafts=row.drafts, levels=row.draft_length)


@cache
def published() -> list[NumberTable]:
    """Return the tables of the evaluation on many users; none where there was no evaluation."""
    if not EVALUATION.exists():
        return []
    evaluation = json.loads(EVALUATION.read_text(encoding="utf-8"))
    rows = {(row["version"], row["verification"], row["k"]): row for row in evaluation["rows"]}
    where = evaluation["machine"].get("gpu") or evaluation["machine"]["processor"]
    shop = INVENTED if evaluation["shop"] == INVENTED else evaluation["shop"]
    note = word("shop_many_note", shop=shop, on=evaluation["on"], machine=where, drafts=evaluation["drafts"])
    return [_speed(rows, evaluation["users"], note), _quality(rows, evaluation["users"])]


def _speed(of: Mapping[tuple[str, str, int], Mapping[str, Any]], users: int, note: str) -> NumberTable:
    """Return accepted steps and speed-up, above what the paper prints in its Table 1."""
    columns = [f"{measure}@{k}" for measure in ("AS", "WS") for k in LENGTHS]
    rows: list[NumberRow] = []
    for kind in SPECULATIVE:
        for version, title in VERSIONS.items():
            cells = [
                _cell(of.get((version, kind, k)), measure, _printed(kind, measure).get((title, k)))
                for measure in ("as", "ws")
                for k in LENGTHS
            ]
            rows.append({"title": _with_draft(kind, version), "cells": cells})
    return {
        "title": word("shop_many", users=users),
        "note": note,
        "groups": [(word("shop_accepted_steps"), len(LENGTHS)), (word("shop_speed_up"), len(LENGTHS))],
        "columns": columns,
        "rows": rows,
    }


def _quality(of: Mapping[tuple[str, str, int], Mapping[str, Any]], users: int) -> NumberTable:
    """Return the share of lists that contain the next purchase; the target's own are with the first version."""
    first = next(iter(VERSIONS))
    wanted = {
        KINDS["none"]: (first, "none"),
        _with_draft("strict", "atspeed_s"): ("atspeed_s", "strict"),
        word("shop_beam_sampling"): (first, "sampled"),
        _with_draft("relaxed", "atspeed_r"): ("atspeed_r", "relaxed"),
    }
    return {
        "title": word("shop_quality", users=users),
        "note": word("shop_quality_note"),
        "groups": [(word("shop_recall"), len(LENGTHS)), ("NDCG", len(LENGTHS))],
        "columns": [f"{measure}@{k}" for measure in ("Recall", "NDCG") for k in LENGTHS],
        "rows": [
            {
                "title": title,
                "cells": [_cell(of.get((*key, k)), name, None, 3) for name in ("recall", "ndcg") for k in LENGTHS],
            }
            for title, key in wanted.items()
        ],
    }


def _with_draft(kind: ListKind, version: str) -> str:
    return word("shop_with_draft", kind=KINDS[kind], draft=VERSIONS[version])


def _cell(row: Mapping[str, Any] | None, measure: str, paper: float | None, digits: int = 2) -> NumberCell:
    below = "" if paper is None else f"{paper:.2f}"
    if row is None:
        return {"text": "–", "below": below}
    estimate = row[measure]
    value = estimate.get("mean", estimate.get("median"))
    ends = {end: f"{estimate[end]:.{digits}f}" for end in ("low", "high")}
    title = word("shop_mean", **ends) if "mean" in estimate else word("shop_median", **ends)
    return {"text": f"{value:.{digits}f}", "below": below, "title": title}


@cache
def _printed(kind: str, measure: str) -> dict[tuple[str, float], float]:
    """Return the paper's numbers, by its name of the draft and K."""
    metric = {"as": "accepted-steps", "ws": "speed-up"}[measure]
    wanted = f"table1-{DATA_OF_PAPER}-{kind}-{metric}"
    [result] = [each for each in find_paper("atspeed").results if each.id == wanted]
    return {
        (each.method, each.x): each.value for each in result.values if each.x is not None and each.value is not None
    }
