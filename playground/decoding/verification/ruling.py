"""What a rule makes of the draws it is given, be they those below a node, those of a layer, or a chain.

A rule only judges. It says of each draw what became of it, and what takes the place of those that are missing; that a
text ends, that a round has no more room and what follows an accepted draft is for `verifying.close` to see to.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
import torch

from playground.decoding.law import Law
from playground.decoding.workings.records import Working
from playground.trace.events import Outcome
from playground.trace.reasons import Reason


class Coins(Protocol):
    """A stream of coins: numpy's generators are such, and so is one that always throws the same."""

    def random(self) -> float:
        """A number in [0, 1)."""
        ...


class Test(NamedTuple):
    """What became of one draw.

    Attributes:
        place: of the draw among those that the rule was given.
        outcome: "unjudged" where it was not tested.
        accept_prob: its chance to pass; None where there was no test.
        coin: None where none was thrown.
    """

    place: int
    outcome: Outcome
    accept_prob: float | None
    coin: float | None
    reason: Reason


@dataclass(frozen=True, slots=True)
class Ruling:
    """What became of all draws.

    Attributes:
        tests: one for each draw, in the order of the tests; those that were not tested come last.
        missing: (V,) each, unnormalised: what the tokens that are missing are drawn from, one after the other. Below a
            node and in a chain that is one correction, or none where every draw that could be was accepted.
        workings: what a lens may show of it.
    """

    tests: list[Test]
    missing: list[torch.Tensor] = field(default_factory=list)
    workings: Callable[[], Working] | None = None

    @property
    def accepted(self) -> list[int]:
        """Places of the accepted draws, in draw order."""
        return sorted(test.place for test in self.tests if test.outcome == "accepted")

    @property
    def tested(self) -> list[Test]:
        """The tests that were made."""
        return [test for test in self.tests if test.outcome != "unjudged"]


def ruled(place: int, passed: bool, reason: Reason) -> Test:
    """A test without chance: a threshold's."""
    return Test(place, "accepted" if passed else "rejected", float(passed), None, reason)


def untested(places: range, reason: Reason) -> list[Test]:
    """Draws that no test was made of."""
    return [Test(place, "unjudged", None, None, reason) for place in places]


# (p (V,), the law of the draws, tokens in draw order, stream of coins) -> what became of the draws below one node
NodeRule = Callable[[torch.Tensor, Law, list[int], np.random.Generator], Ruling]

# (p (N, V) before each token, q (N, V), N tokens, stream of coins) -> what became of a chain
ChainRule = Callable[[torch.Tensor, torch.Tensor, list[int], np.random.Generator], Ruling]

# (p (n,), q (n,), draws as places in these rows, outputs wanted at least, stream of coins) -> what became of a layer
LayerRule = Callable[[torch.Tensor, torch.Tensor, list[int], int, np.random.Generator], Ruling]
