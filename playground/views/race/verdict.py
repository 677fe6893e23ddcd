"""A race in plain sentences: who is fastest, who is slower than plain decoding, and what the numbers say of why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from playground.views.race.against import BASELINE, against_of
from playground.views.race.speed_up import SpeedUp, speed_up_data

PLAIN = "target sampling"  # what plain decoding is, and what lossless means
MOST_RIVALS = 4  # that are named one by one
MOST_EXPLAINED = 3  # slower entries that get a sentence of their own


def verdict(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Sentences on the rows of a race, each row with a `title` and what it `reproduces`."""
    beams = [row for row in rows if "failed" not in row and (row.get("unrated") or against_of(row) != BASELINE)]
    ranked = speed_up_data([row for row in rows if row["method"] != BASELINE and row not in beams])
    by_title = {row["title"]: row for row in rows}
    plain = next((row for row in rows if row["method"] == BASELINE), None)
    said = [] if beams and not ranked else _fastest(ranked, by_title)
    said += [*_slower(ranked, by_title, plain), *_beams(beams, rows)]
    said += [f"{row['title']} failed: {_sentence(row['failed'])}" for row in rows if "failed" in row]
    unrun = [row["title"] for row in rows if "failed" not in row and not row["runs"]]
    if unrun:
        said.append(f"No run of {_names(unrun)} was finished.")
    return said


def _fastest(ranked: list[SpeedUp], by_title: dict[str, dict[str, Any]]) -> list[str]:
    if not ranked:
        return ["There is nothing to compare with plain decoding."]
    best = ranked[0]
    if best.low is None:
        nearest = (
            f"{best.title} was fastest, {best.median:.2f} times plain decoding, but in"
            if best.median > 1
            else f"Nothing was faster than plain decoding; {best.title} came nearest, at {best.median:.2f}, in"
        )
        return [f"{nearest} {_pairs(best)} of runs only: too few prompts for an interval. Race with 5 or more to know."]
    if best.standing != "faster":
        faster = [each for each in ranked if each.standing == "faster"]
        if faster:
            verb = "is" if len(faster) == 1 else "are"
            return [
                f"{best.title} has the best median, {best.median:.2f} times plain decoding, but {_interval(best)}: not "
                f"clearly faster. {_names([each.title for each in faster])} {verb}."
            ]
        return [
            f"No method is clearly faster than plain decoding here. The best median is {best.title}'s, "
            f"{best.median:.2f} times plain decoding, {_interval(best)}."
        ]
    said = [f"{best.title} is fastest: {best.median:.2f} times plain decoding, {_interval(best)}."]
    rivals = [each.title for each in ranked[1:] if each.high is not None and each.high >= best.low]
    if rivals:
        verb = "is" if len(rivals) == 1 else "are"
        named = _names(rivals) if len(rivals) <= MOST_RIVALS else f"{len(rivals)} others"
        said.append(f"{named} {verb} not clearly slower than it: the intervals overlap.")
    if by_title[best.title]["reproduces"] != PLAIN:
        lossless = next((each for each in ranked if by_title[each.title]["reproduces"] == PLAIN), None)
        said.append(
            f"{best.title} is lossy: its texts are not the target's."
            + (f" The fastest lossless one is {lossless.title}, at {lossless.median:.2f}." if lossless else "")
        )
    return said


def _beams(beams: Sequence[dict[str, Any]], rows: Sequence[dict[str, Any]]) -> list[str]:
    """Beams against the plain beams that they stand for, not against plain decoding, which carries one text."""
    rated = [each for each in speed_up_data(rows) if not each.is_baseline]
    of_beams = [each for each in rated if each.title in {row["title"] for row in beams}]
    said = [
        f"{each.title} is rated against {each.over}, whose beams it drafts ahead: {each.median:.2f} times as fast, "
        + (f"{_interval(each)}." if each.low is not None else f"in {_pairs(each)} of runs only.")
        for each in of_beams
    ]
    return said + [
        f"{row['title']} carries beams and is not rated: {row['unrated']} is not in this race."
        for row in beams
        if row.get("unrated")
    ]


def _slower(ranked: list[SpeedUp], by_title: dict[str, dict[str, Any]], plain: dict[str, Any] | None) -> list[str]:
    slower = [each for each in reversed(ranked) if each.standing == "slower"]
    said = [_why(each, by_title[each.title], plain) for each in slower[:MOST_EXPLAINED]]
    others = [f"{each.title} ({each.median:.2f})" for each in slower[MOST_EXPLAINED:]]
    if others:
        said.append(f"Also slower than plain decoding: {_names(others)}.")
    return said


def _why(each: SpeedUp, row: dict[str, Any], plain: dict[str, Any] | None) -> str:
    """Time of a token by phase, against that of plain decoding; medians, each of its own."""
    said = f"{each.title} is slower than plain decoding, at {each.median:.2f}"
    parts = [(name, row[field]) for name, field in _PHASES if row.get(field)]
    if len(parts) < len(_PHASES) or not plain or "failed" in plain:
        return said + "."
    whole = sum(plain[field]["median"] for _, field in _PHASES if plain.get(field))
    spent = ", ".join(f"{value['median'] * 1000:.1f} ms {name}" for name, value in parts if value["median"] > 5e-5)
    said += f": a token costs it {spent}; plain decoding spends {whole * 1000:.1f} ms in all."
    efficiency, wasted = row.get("block_efficiency"), row.get("draft_efficiency")
    if efficiency and wasted:
        said += (
            f" It emits {efficiency['median']:.2f} tokens per target call, and "
            f"{wasted['median'] * 100:.0f} % of its drafts are accepted."
        )
    return said


_PHASES = (
    ("of drafting", "draft_s_per_token"),
    ("in the target", "verify_s_per_token"),
    ("for the rest", "other_s_per_token"),
)


def _interval(each: SpeedUp) -> str:
    return f"with a 95 % interval of {each.low:.2f} to {each.high:.2f} over {_pairs(each)} of runs"


def _pairs(each: SpeedUp) -> str:
    return f"{each.pairs} pair" + ("s" if each.pairs > 1 else "")


def _names(titles: Sequence[str]) -> str:
    return titles[0] if len(titles) == 1 else f"{', '.join(titles[:-1])} and {titles[-1]}"


def _sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text}."
