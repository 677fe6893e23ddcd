"""The verdict of a round: a judgement on every draw, and the path or the beams that go on."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from playground.decoding.workings.records import Working
from playground.models.reading import Array, Reading
from playground.trace.events import Origin, Outcome
from playground.trace.reasons import Reason


class Judgement(NamedTuple):
    """The test of one draw. Of one that was not tested, numbers are None where the rule did not compute them."""

    node: int
    outcome: Outcome
    target_prob: float | None
    draft_prob: float | None
    accept_prob: float | None
    uniform: float | None  # random number of the test
    reason: Reason


def not_tested(node: int, reason: Reason) -> Judgement:
    """Return the judgement on a draw that no rule tested."""
    return Judgement(node, "not_tested", None, None, None, None, reason)


class Beam(NamedTuple):
    """A text under way: its last node, and its log-probability since the prompt, under the model that searches."""

    node: int
    log_prob: float


@dataclass(slots=True)
class Beams:
    """The texts that a beam method carries, all of one length but for those that have ended."""

    # beams in order of rank, the next round's frontier. Where draws are independent a beam may occur twice
    live: list[Beam]
    ended: list[Beam]  # texts that have come to an end token, this round's included; they are not in the frontier
    best: int  # last node of the best text so far, live or ended
    # origin of each node of this round, a parent before its children
    origins: dict[int, Origin] = field(default_factory=dict)
    over: bool = False  # True when no live beam can become the best any more


@dataclass(slots=True)
class Verdict:
    """Result of the verification: an accepted path and perhaps one more token, or beams."""

    reading: Reading  # the target's distributions
    judgements: list[Judgement]  # one per draw, in the order of the tests
    accepted: list[int] = field(default_factory=list)  # the accepted nodes, a path below the frontier
    # token that the target adds at the end of that path; None when the path ends the text
    extra: int | None = None
    origin: Origin = "plain"  # The extra token comes from there.
    # (V,) distribution the extra token was drawn from, unnormalised: p, or the residual after the rejections
    extra_probs: Array | None = None
    beams: Beams | None = None  # beams of a method with several texts, in place of path and extra token
    # numbers that a lens shows, computed between rounds, where the decoding clock is stopped
    workings: list[Callable[[], Working]] = field(default_factory=list)
