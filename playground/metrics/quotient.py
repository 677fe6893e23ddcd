"""A method against plain decoding from runs of both in turns: one ratio, its range, and whether the runs tell."""

from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

# Runs of each side at which quotients are looked at -> quotients left out at either end: of four runs none; of
# more, what disturbed runs make. Looks that begin with three tell two equal methods apart in more than 5 % of races.
LEFT_OUT = {4: 0, 5: 1, 7: 4, 9: 9}
EVEN = (0.95, 1.05)  # A range that reaches into these ratios is "about as fast"


class Quotient(NamedTuple):
    """Seconds of plain decoding over those of the method.

    Attributes:
        ratio: quotient of the medians of both sides.
        low, high: range of the quotients of each run with each other, but for those left out.
        shown, of: quotients in that range, and all of them.
    """

    ratio: float
    low: float
    high: float
    shown: int
    of: int

    @property
    def is_even(self) -> bool:
        """True if the method is about as fast as plain decoding, or these runs do not tell."""
        return self.low <= EVEN[1] and self.high >= EVEN[0]


def quotient(plain: Sequence[float], method: Sequence[float]) -> Quotient:
    """Compare the seconds of as many runs of either side, a number of them in `LEFT_OUT`."""
    left_out, quotients = LEFT_OUT[len(plain)], sorted(one / other for one in plain for other in method)
    shown = quotients[left_out : len(quotients) - left_out]
    return Quotient(median(plain) / median(method), shown[0], shown[-1], len(shown), len(quotients))
