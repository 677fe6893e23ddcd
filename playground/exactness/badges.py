"""A method's losslessness as a mark that goes with it wherever the page names it.

The claim is the method's own; the distance is what `check` measured, kept in assets/losslessness.json. It belongs to
the options it was measured with: with others a lossy method may be nearer or farther, and then nothing is said.
"""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from playground.decoding.method import make_method
from playground.exactness.experiments import EXPERIMENTS
from playground.exactness.losslessness import (
    DIFFERS,
    changed_options,
    distribution_name,
    option_name,
    reference_distribution,
    unmeasured_options,
)
from playground.paths import ASSETS
from playground.views.race.standings import Mark
from playground.words import Word, listed, paragraph, word

PLAIN = "target sampling"
MEASURED = ASSETS / "losslessness.json"


def badge(method_id: str, options: Mapping[str, Any] | None = None) -> Mark:
    """Return the mark of a method with these options; the others are at their defaults.

    Raises:
        PlaygroundError: on an unknown method or option.
    """
    method = make_method(method_id, dict(options or {}))
    claim, given = method.reproduces, method.options.changed
    rows = [row for row in measured() if (row["method"], row["reproduces"]) == (method_id, claim)]
    if claim != "none":
        row = next((row for row in rows if row["options"] == given), rows[0] if rows else None)
        return _of_a_claim(claim, row, given)
    return _of_a_lossy_method(method_id, reference_distribution(method), rows, given)


def _of_a_claim(claim: str, row: Mapping[str, Any] | None, given: Mapping[str, Any]) -> Mark:
    """Return the mark of a method that claims a distribution, with its measurement where there is one."""
    said = word("badge_lossless_claim") if claim == PLAIN else word("badge_claim", claim=distribution_name(claim))
    # lossless is said of plain sampling alone; a search or beams are exact in a distribution of their own
    exact = word("badge_exact", claim=distribution_name(in_short(claim)))
    mark = word("badge_lossless") if claim == PLAIN else exact
    if not row or row["tv"] is None:
        return Mark(lossless=True, mark=mark, claim=said, words=paragraph(said, word("column_not_measured")))
    refuted = word("badge_refuted") if row["verdict"] == DIFFERS else ""
    words = paragraph(said, _measurement(row, given), refuted)
    return Mark(lossless=True, mark=mark, claim=said, words=words)


def _of_a_lossy_method(
    method_id: str, reference: str, rows: Sequence[Mapping[str, Any]], given: Mapping[str, Any]
) -> Mark:
    """Return the mark of a method without a claim: how far it is from the distribution it is measured against."""
    rows, name = [row for row in rows if row["tv"] is not None], distribution_name(reference)
    measurable = not unmeasured_options((method_id, given))
    exact = [row for row in rows if measurable and row["options"] == changed_options((method_id, given))]
    if exact:
        mark = word("badge_lossy_by", tv=f"{exact[0]['tv']:.2f}")
        said = word("badge_lossy_claim", mark=mark, reference=name)
        words = word("badge_lossy_measured", distance=_distance(exact[0]))
        return Mark(lossless=False, mark=mark, claim=said, words=words)
    plain = [row for row in rows if row["options"] == changed_options((method_id, {}))]
    said = word("badge_lossy_not_yet", reference=name)
    words = word("badge_lossy_at_defaults", reference=name, distance=_distance(plain[0])) if given and plain else said
    return Mark(lossless=False, mark=word("badge_lossy"), claim=said, words=words)


def in_short(claim: str) -> str:
    """Return the distribution's name without how its draws hang together."""
    return claim.removeprefix("i.i.d. ").partition(",")[0]


def _measurement(row: Mapping[str, Any], given: Mapping[str, Any]) -> Word:
    """Return the measurement, with its options where these are others than the given ones.

    Both are those that are not at their defaults.
    """
    distance = _distance(row)
    if row["options"] == given:
        return word("badge_measured", distance=distance)
    if not row["options"]:
        return word("badge_measured_at_defaults", distance=distance)
    options = [
        word("badge_option", name=option_name(row["method"], name), value=f"{value:g}")
        for name, value in row["options"].items()
    ]
    return word("badge_measured_with", options=listed(options), distance=distance)


def _distance(row: Mapping[str, Any]) -> Word:
    """Return the measurement in words; the file says in English what was compared."""
    compared = {str(each.compared): each.compared for each in EXPERIMENTS.values()}
    return word(
        "badge_distance",
        tv=f"{row['tv']:.3g}",
        reference=distribution_name(row["law"]),
        compared=compared.get(row["compared"], row["compared"]),
        samples=f"{row['samples']:,}",
        noise=f"{row['noise_floor']:.2g}",
    )


@lru_cache(maxsize=1)
def measured() -> list[dict[str, object]]:
    """Return the rows of the file."""
    return json.loads(MEASURED.read_text(encoding="utf-8"))
