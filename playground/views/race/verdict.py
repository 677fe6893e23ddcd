"""A race in plain sentences: who is fastest, who is slower than plain decoding, and what the numbers say of why."""

from collections.abc import Sequence

from playground.metrics.interval import least_prompts
from playground.views.race.against import BASELINE, against_of
from playground.views.race.speed_up import SpeedUp, speed_up_data
from playground.views.race.standings import NamedRow
from playground.words import commas, listed, paragraph, word

PLAIN = "target sampling"  # Plain decoding is it, and lossless means it.
MOST_RIVALS = 4  # So many are named one by one.
MOST_EXPLAINED = 3  # slower entries that get a sentence of their own


def verdict(rows: Sequence[NamedRow]) -> list[str]:
    """Sentences on the rows of a race."""
    beams = [row for row in rows if "failed" not in row and (row.get("unrated") or against_of(row) != BASELINE)]
    ranked = speed_up_data([row for row in rows if row["method"] != BASELINE and row not in beams])
    by_title = {row["title"]: row for row in rows}
    plain = next((row for row in rows if row["method"] == BASELINE), None)
    said = [] if beams and not ranked else _fastest(ranked, by_title)
    said += [*_slower(ranked, by_title, plain), *_beams(beams, rows)]
    said += [word("race_failed", entry=row["title"], why=_sentence(row["failed"])) for row in rows if "failed" in row]
    unrun = [row["title"] for row in rows if "failed" not in row and not row.get("runs")]
    if unrun:
        said.append(word("race_unfinished", entries=listed(unrun)))
    return said


def _fastest(ranked: list[SpeedUp], by_title: dict[str, NamedRow]) -> list[str]:
    if not ranked:
        return [word("race_nothing_to_compare")]
    best = ranked[0]
    of_best = {"entry": best.title, "times": f"{best.median:.2f}"}
    if best.low is None:
        of_best["pairs"] = _pairs(best)
        nearest = word("race_fastest_few", **of_best) if best.median > 1 else word("race_nearest_few", **of_best)
        return [paragraph(nearest, word("race_too_few_prompts", least=least_prompts(len(ranked))))]
    if best.standing != "faster":
        faster = [each.title for each in ranked if each.standing == "faster"]
        if not faster:
            return [word("race_none_faster", **of_best, interval=_interval(best))]
        sure = (
            word("race_is_faster", entry=faster[0])
            if len(faster) == 1
            else word("race_are_faster", entries=listed(faster))
        )
        return [paragraph(word("race_best_median", **of_best, interval=_interval(best)), sure)]
    said: list[str] = [word("race_fastest", **of_best, interval=_interval(best))]
    rivals = [each.title for each in ranked[1:] if each.high is not None and each.high >= best.low]
    if len(rivals) > MOST_RIVALS:
        said.append(word("race_rivals_count", count=len(rivals)))
    elif rivals:
        one = len(rivals) == 1
        said.append(
            word("race_rival_near", entry=rivals[0]) if one else word("race_rivals_near", entries=listed(rivals))
        )
    if by_title[best.title]["reproduces"] != PLAIN:
        said.append(_lossy(best, ranked, by_title))
    return said


def _lossy(best: SpeedUp, ranked: list[SpeedUp], by_title: dict[str, NamedRow]) -> str:
    lossless = next((each for each in ranked if by_title[each.title]["reproduces"] == PLAIN), None)
    return paragraph(
        word("race_lossy", entry=best.title),
        word("race_fastest_lossless", entry=lossless.title, times=f"{lossless.median:.2f}") if lossless else "",
    )


def _beams(beams: Sequence[NamedRow], rows: Sequence[NamedRow]) -> list[str]:
    """Beams against the plain beams that they replace, not against plain decoding, which carries one text."""
    rated = [each for each in speed_up_data(rows) if not each.is_baseline]
    of_beams = [each for each in rated if each.title in {row["title"] for row in beams}]
    return [
        *map(_over_beams, of_beams),
        *(word("race_unrated", entry=row["title"], rival=rival) for row in beams if (rival := row.get("unrated"))),
    ]


def _over_beams(each: SpeedUp) -> str:
    interval = word("race_in_pairs", pairs=_pairs(each)) if each.low is None else _interval(each)
    return word("race_beams", entry=each.title, over=each.over, times=f"{each.median:.2f}", interval=interval)


def _slower(ranked: list[SpeedUp], by_title: dict[str, NamedRow], plain: NamedRow | None) -> list[str]:
    slower = [each for each in reversed(ranked) if each.standing == "slower"]
    said: list[str] = [_why(each, by_title[each.title], plain) for each in slower[:MOST_EXPLAINED]]
    others = [word("race_at", entry=each.title, times=f"{each.median:.2f}") for each in slower[MOST_EXPLAINED:]]
    if others:
        said.append(word("race_also_slower", entries=listed(others)))
    return said


def _why(each: SpeedUp, row: NamedRow, plain: NamedRow | None) -> str:
    """Time of a token by phase, against that of plain decoding; medians, each of its own."""
    of_entry = {"entry": each.title, "times": f"{each.median:.2f}"}
    parts = [(name, row[field]) for name, field in _PHASES if row.get(field)]
    if len(parts) < len(_PHASES) or not plain or "failed" in plain:
        return word("race_is_slower", **of_entry)
    whole = sum(plain[field]["median"] for _, field in _PHASES if plain.get(field))
    spent = [
        word(f"race_ms_{name}", ms=f"{value['median'] * 1000:.1f}") for name, value in parts if value["median"] > 5e-5
    ]
    efficiency, wasted = row.get("block_efficiency"), row.get("draft_efficiency")
    return paragraph(
        word("race_is_slower_by", **of_entry, spent=commas(spent), whole=f"{whole * 1000:.1f}"),
        word(
            "race_drafts_accepted",
            emitted=f"{efficiency['median']:.2f}",
            percent=f"{wasted['median'] * 100:.0f}",
        )
        if efficiency and wasted
        else "",
    )


_PHASES = (  # (end of the key of its sentence, name in a row)
    ("drafting", "draft_s_per_token"),
    ("target", "verify_s_per_token"),
    ("rest", "other_s_per_token"),
)


def _interval(each: SpeedUp) -> str:
    return word("race_with_interval", low=f"{each.low:.2f}", high=f"{each.high:.2f}", pairs=_pairs(each))


def _pairs(each: SpeedUp) -> str:
    return word("race_pair") if each.pairs == 1 else word("race_pairs", count=each.pairs)


def _sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text}."
