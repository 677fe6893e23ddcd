"""A method's losslessness as a mark that goes with it wherever the page names it.

The claim is the method's own; the distance is what `check` measured, kept in assets/losslessness.json. It belongs to
the options it was measured with: with others a lossy method may be nearer or farther, and then nothing is said.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from playground.decoding.method import make_method
from playground.exactness.losslessness import changed_options, reference_distribution, unmeasured_options
from playground.paths import ASSETS

PLAIN = "target sampling"
MEASURED = ASSETS / "losslessness.json"


@dataclass(frozen=True, slots=True)
class Badge:
    """One method's mark.

    Attributes:
        lossless: whether it claims a distribution, with these options.
        mark: a word or two, with the distance of a lossy method where it was measured.
        claim: what it reproduces, or how far it is from its target, in a sentence.
        words: the whole of it, with what was measured and how.
    """

    lossless: bool
    mark: str
    claim: str
    words: str

    def as_dict(self) -> dict[str, Any]:
        """For the page."""
        return asdict(self)


def badge(method_id: str, options: Mapping[str, Any] | None = None) -> Badge:
    """The mark of a method with these options; the others are at their defaults.

    Raises:
        PlaygroundError: on an unknown method or option.
    """
    method = make_method(method_id, dict(options or {}))
    defaults = type(method).Options()
    given = {
        name: value
        for name in defaults.__dataclass_fields__
        if (value := getattr(method.options, name)) != getattr(defaults, name)
    }
    tested, claim = reference_distribution(method), method.reproduces
    rows = [row for row in measured() if (row["method"], row["reproduces"]) == (method_id, claim)]
    if claim != "none":
        row = next((row for row in rows if row["options"] == given), rows[0] if rows else None)
        sentence = (
            f" Measured{_where(row, given)}: {_distance(row)}." if row and row["tv"] is not None else " Not measured."
        )
        if row and row["verdict"].startswith("differs"):
            sentence += " That is more than chance: its claim does not hold."
        said = f"{'Lossless: r' if claim == PLAIN else 'R'}eproduces {claim}."
        said += "" if claim == PLAIN else " Its texts have that distribution, not the one of plain sampling."
        return Badge(True, _mark_of(claim), said, said + sentence)
    rows = [row for row in rows if row["tv"] is not None]
    measurable = not unmeasured_options((method_id, given))
    exact = [row for row in rows if measurable and row["options"] == changed_options((method_id, given))]
    if exact:
        mark = f"LOSSY {exact[0]['tv']:.2f}"
        return Badge(False, mark, f"{mark}: so far its texts are from {tested}.", f"LOSSY: {_distance(exact[0])}.")
    plain = [row for row in rows if row["options"] == changed_options((method_id, {}))]
    at_defaults = f"; at its defaults: {_distance(plain[0])}" if plain else ""
    with_these = "with these options" if given else "yet"
    said = f"LOSSY: it does not reproduce {tested}; not measured {with_these}"
    return Badge(False, "LOSSY", f"{said}.", f"{said}{at_defaults}.")


def _mark_of(claim: str) -> str:
    """Lossless is said of plain sampling alone; a search or beams are exact in a distribution of their own."""
    return "lossless" if claim == PLAIN else f"exact {claim.removeprefix('i.i.d. ').partition(',')[0]}"


def _where(row: Mapping[str, Any], given: Mapping[str, Any]) -> str:
    """With which options, where these are others than the given ones; both are those that are not at their defaults."""
    if row["options"] == given:
        return ""
    return " with " + (", ".join(f"{name} {value:g}" for name, value in row["options"].items()) or "its defaults")


def _distance(row: Mapping[str, Any]) -> str:
    """The measurement in words."""
    return (
        f"total variation distance {row['tv']:.3g} from {row['law']} ({row['compared']}, on tables of probabilities), "
        f"{row['samples']:,} samples; chance alone makes {row['noise_floor']:.2g}"
    )


@lru_cache(maxsize=1)
def measured() -> list[dict[str, Any]]:
    """The rows of the file."""
    return json.loads(MEASURED.read_text(encoding="utf-8"))
