"""The result of a rule on some draws: those below a node, those at a depth, or a chain.

A rule only accepts and rejects. It returns the outcome of each draw, and the distributions that missing tokens are
drawn from. End tokens, the budget and the bonus after an accepted draft are for `verifying.close`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np

from playground.decoding.distribution import DraftDistribution
from playground.decoding.workings.records import Working
from playground.models.reading import Array
from playground.trace.events import Outcome
from playground.trace.reasons import Reason


class UniformStream(Protocol):
    """Source of uniform random numbers, such as numpy's generators, or a constant in a test."""

    def random(self) -> float:
        """Return a number in [0, 1)."""
        ...


class Test(NamedTuple):
    """The test of one draw."""

    draw: int  # index of the draw among those that the rule was given
    outcome: Outcome  # "not_tested" where it was not tested
    # acceptance probability, which a chain knows of tokens that were not tested, too; else None there
    accept_prob: float | None
    uniform: float | None  # random number of the test; None where the test has none
    reason: Reason  # reason of the outcome, as a code


@dataclass(frozen=True, slots=True)
class Ruling:
    """The tests of all draws."""

    tests: list[Test]  # one for each draw, in the order of the tests; of draws of one token, in draw order
    # (V,) each, unnormalised: distributions of the tokens that are still to be drawn, one after the other. Below a node
    # and in a chain that is one correction; none where one of the node's draws, or the whole chain, was accepted.
    extra_probs: list[Array] = field(default_factory=list)
    workings: Callable[[], Working] | None = None  # the numbers that a lens shows; None where there are none

    @property
    def accepted(self) -> list[int]:
        """Indices of the accepted draws, in draw order."""
        return sorted(test.draw for test in self.tests if test.outcome == "accepted")

    @property
    def tested(self) -> list[Test]:
        """Tests that were made, in their order."""
        return [test for test in self.tests if test.outcome != "not_tested"]


def threshold_test(index: int, passed: bool, reason: Reason) -> Test:
    """Test by a threshold, without a random number."""
    return Test(index, "accepted" if passed else "rejected", float(passed), None, reason)


def untested(indices: range, reason: Reason) -> list[Test]:
    """Entries for draws that were not tested."""
    return [Test(index, "not_tested", None, None, reason) for index in indices]


# (p (V,), distribution of the draws, tokens in draw order, random numbers) -> ruling on the draws below one node
NodeRule = Callable[[Array, DraftDistribution, list[int], np.random.Generator], Ruling]

# (p (N, V) before each token, q (N, V), N tokens, random numbers) -> ruling on a chain
ChainRule = Callable[[Array, Array, list[int], np.random.Generator], Ruling]

# (p (n,), q (n,), draws as indices of these rows, outputs wanted at least, random numbers) -> ruling on a depth
DepthRule = Callable[[Array, Array, list[int], int, np.random.Generator], Ruling]
