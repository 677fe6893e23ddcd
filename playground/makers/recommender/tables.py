"""The measurements of a shop's recommenders as Markdown: a table like the paper's first, and further ones."""

from collections.abc import Iterable
from typing import Any

from playground.recommender.versions import VERSIONS

RULES = ("strict", "relaxed")


def tables(evaluation: dict[str, Any]) -> str:
    """Tabulate what `evaluation.evaluate` measured: speed, quality, and the conditions."""
    lengths = sorted({row["k"] for row in evaluation["rows"]})
    gpu = evaluation["machine"]["gpu"]
    where = gpu or f"{evaluation['machine']['processor']}, {evaluation['machine']['threads']} thread"
    conditions = (
        f"*Measured* on {evaluation['on']}, {evaluation['users']} users of {evaluation['shop']}, {where}, "
        f"{evaluation.get('dtype', 'float32')}, N = {evaluation['drafts']}, draft length {evaluation['draft_length']}, "
        f"temperature {evaluation['temperature']:g} where it is sampled."
    )
    return "\n".join([_speed(evaluation, lengths), _quality(evaluation, lengths), conditions, ""])


def _speed(evaluation: dict[str, Any], lengths: list[int]) -> str:
    """AS@K with its interval, and WS@K with its middle half."""
    head = ["verification", "draft", *(f"AS@{k}" for k in lengths), *(f"WS@{k}" for k in lengths)]
    rows = []
    for rule in RULES:
        for version in dict.fromkeys(row["version"] for row in evaluation["rows"]):
            rows_of = [row for row in evaluation["rows"] if (row["version"], row["verification"]) == (version, rule)]
            known = {row["k"]: row for row in rows_of}
            steps = [f"{known[k]['as']['mean']:.2f}" for k in lengths]
            faster = [_with_spread(known[k]["ws"]) for k in lengths]
            rows.append([rule, VERSIONS[version], *steps, *faster])
    return _table(head, rows)


def _quality(evaluation: dict[str, Any], lengths: list[int]) -> str:
    """Recall@K and NDCG@K of the target alone, of strict, and of relaxed, over all versions."""
    head = ["lists", *(f"Recall@{k}" for k in lengths), *(f"NDCG@{k}" for k in lengths)]
    titles = {"none": "target, beam search", "strict": "strict, every draft", "sampled": "target, sampled"}
    rows = []
    for rule, title in titles.items():
        rows.append([title, *_cells(evaluation, rule, None, lengths)])
    for version in dict.fromkeys(row["version"] for row in evaluation["rows"]):
        rows.append([f"relaxed, {VERSIONS[version]}", *_cells(evaluation, "relaxed", version, lengths)])
    return _table(head, rows)


def _cells(evaluation: dict[str, Any], rule: str, version: str | None, lengths: list[int]) -> list[str]:
    known = {
        row["k"]: row
        for row in evaluation["rows"]
        if row["verification"] == rule and (version is None or row["version"] == version)
    }
    return [
        f"{known[k][name]['mean']:.3f} ({known[k][name]['low']:.3f} to {known[k][name]['high']:.3f})"
        if name == "recall"
        else f"{known[k][name]['mean']:.3f}"
        for name in ("recall", "ndcg")
        for k in lengths
    ]


def _with_spread(value: dict[str, float]) -> str:
    return f"{value['median']:.2f}, {value['low']:.2f} to {value['high']:.2f}"


def _table(head: list[str], rows: Iterable[list[Any]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(str(cell) for cell in line)} |\n" for line in lines)
