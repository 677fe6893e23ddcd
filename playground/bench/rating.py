"""Against what a method is timed: plain decoding, or where it carries beams the plain search or sampling of beams.

A step of W beams has W texts in it, a step of plain decoding one. So a speed-up of one over the other would say what
beams cost and not what drafting brings.
"""

from collections.abc import Mapping

from playground.decoding.method import DecodingMethod, make_method, method_id
from playground.words import in_sentence, word

PLAIN = "autoregressive"
PLAIN_BEAMS = ("beam_search", "beam_sampling")  # They draft nothing.


def carries_beams(method: DecodingMethod) -> bool:
    """Return whether its texts are those of several beams."""
    return "beam" in _claim(method)


def rated_against(method: DecodingMethod, entered: Mapping[str, DecodingMethod]) -> str | None:
    """Return the label of the entry that a method is timed against; None where it is not among those entered."""
    if not carries_beams(method):
        return PLAIN if PLAIN in entered else None
    for label, other in entered.items():
        if method_id(other) in PLAIN_BEAMS and _width(other) == _width(method) and _covers(other, method):
            return label
    return None


def missing_rival(method: DecodingMethod) -> str:
    """Return the entry that has to race, too, for beams to be rated: "beam sampling of width 2"."""
    known = [make_method(name) for name in PLAIN_BEAMS]
    title = next((other.title for other in known if _covers(other, method)), known[0].title)
    return word("race_rival", method=in_sentence(title), width=_width(method))


def _claim(method: DecodingMethod) -> str:
    return method.approximates if method.reproduces == "none" else method.reproduces


def _covers(plain: DecodingMethod, method: DecodingMethod) -> bool:
    """Return whether both decode by one distribution; that of a method may add on what condition."""
    return _claim(method).startswith(plain.reproduces)


def _width(method: DecodingMethod) -> int | None:
    return getattr(method.options, "width", None)
