"""The tables of what the command `drafters` measured, and how a table is written."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from playground.models.drafters.choice import DRAFT

MODEL, COPYING = "speculative_sampling", ("speculative_sampling drafter=suffix", "prompt_lookup", "suffix_decoding")


def drafters(measured: dict[str, Any], exact: dict[str, Any], on: str) -> str:
    """Over all kinds of text, then on each kind, and what came of two expectations.

    Args:
        measured: what the command prints.
        exact: how often a draft is accepted, by rule, kind of text and drafter: what `positions` says.
        on: the day.
    """
    rows, kinds = measured["rows"], list(dict.fromkeys(row["kind"] for row in measured["rows"]))
    whole = [row for row in rows if row["kind"] == kinds[0]]
    head = ["drafter", "acceptance", "drafted a round", "draft cost", "block efficiency", "ms per token", "speed-up"]
    whole_table = table(
        head,
        [
            [
                _drafter(row),
                _with_interval(row, "acceptance"),
                f"{row['drafted']:.1f}",
                f"{row['draft_cost']:.2f}",
                _with_interval(row, "block_efficiency"),
                _milliseconds(row),
                _speed_up(row),
            ]
            for row in whole
        ],
    )
    found = {(row["label"], row["kind"]): row for row in rows}
    by_kind = [
        table(
            [f"{what} on", *(_drafter(row) for row in whole)],
            [[kind, *(number(found[row["label"], kind]) for row in whole)] for kind in kinds[1:]],
        )
        for what, number in (("acceptance", _acceptance), ("speed-up", _median_speed_up))
    ]
    often = "one" if len(measured["seeds"]) == 1 else str(len(measured["seeds"]))
    times = f" *Timed* in turns with plain decoding, on {measured['machine']['processor']}, one thread, {on}."
    return (
        "\n".join([whole_table, *by_kind]) + "\n"
        f"*Counted* in {whole[0]['runs']} runs of each, {often} on each prompt of `{measured['prompts']}`, "
        f"{measured['max_new_tokens']} tokens at temperature {measured['temperature']:g}; in brackets a 95 % bootstrap "
        f"interval over prompts.{times}\n\n{_copying(found)}\n\n{_by_the_laws(found, exact)}\n"
    )


def _copying(found: dict[tuple[str, str], dict[str, Any]]) -> str:
    """Say how an expectation came out: copying wins on refrains and loses on prose."""
    told = []
    for kind, wins in (("refrain", True), ("description", False), ("narration", False)):
        tokens = {label: found[label, kind]["block_efficiency"] for label in (MODEL, *COPYING)}
        best = max(COPYING, key=lambda label: tokens[label])
        verdict = "confirmed" if (tokens[best] > tokens[MODEL]) == wins else "refuted"
        told.append(
            f"on {kind} {verdict} ({_drafter(found[best, kind])} {tokens[best]:.2f}, `draft` {tokens[MODEL]:.2f})"
        )
    return (
        "*Expected*: copying wins on refrains and loses on prose. By tokens a target call, the best that copies "
        f"against the draft model: {'; '.join(told)}."
    )


def _by_the_laws(found: dict[tuple[str, str], dict[str, Any]], exact: dict[str, Any]) -> str:
    """Say how another came out: how often three rules accept one draft of the draft model."""
    told = []
    for label, law in (
        ("speculative_sampling", "sum min(p, q)"),
        ("greedy_draft", "p(argmax q)"),
        ("sample_and_match", "sum p q"),
    ):
        if (row := found.get((label, "all"))) is not None:
            (low, high), mean = row["acceptance_interval"], exact[label]["all"]["draft"]
            verdict = "confirmed" if low <= mean <= high else "refuted"
            told.append(f"`{label}` {law}, {verdict} ({mean:.2f}, counted {_with_interval(row, 'acceptance')})")
    return f"*Expected*: of the draft model's drafts are accepted, exactly, on texts of the target: {'; '.join(told)}."


def _acceptance(row: dict[str, Any]) -> str:
    return "" if row["acceptance"] is None else f"{row['acceptance']:.2f}"


def _milliseconds(row: dict[str, Any]) -> str:
    """Blank, as a speed-up is, where a row was counted and not timed."""
    return f"{row['ms_per_token']['median']:.2f}" if "ms_per_token" in row else ""


def _median_speed_up(row: dict[str, Any]) -> str:
    return f"{row['speed_up']['median']:.2f}" if "speed_up" in row else ""


def _speed_up(row: dict[str, Any]) -> str:
    ratio = row.get("speed_up")
    return f"{ratio['median']:.2f} ({ratio['low']:.2f} to {ratio['high']:.2f})" if ratio else ""


def _drafter(row: dict[str, Any]) -> str:
    """Who drafts; another method than speculative sampling by its name, with who drafts if not the draft model."""
    if row["method"] == "speculative_sampling":
        return f"`{row['drafter']}`"
    return f"`{row['method']}`" + (f", `{row['drafter']}`" if row["drafter"] != DRAFT else "")


def _with_interval(row: dict[str, Any], name: str) -> str:
    low, high = row[f"{name}_interval"]
    return f"{row[name]:.2f} ({low:.2f} to {high:.2f})"


def table(head: list[str], rows: Iterable[list[Any]]) -> str:
    """A table of Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    written = "".join(f"| {' | '.join(str(cell) for cell in line)} |\n" for line in lines)
    return re.sub(r"\|  (?=\|)", "| ", written)
