"""What a round decided: a judgement on every draw, and a text that has grown, or several."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import torch

from playground.decoding.reader import Reading
from playground.decoding.workings.records import Working
from playground.trace.events import Origin, Outcome
from playground.trace.reasons import Reason


class Judgement(NamedTuple):
    """The test of one draw. Numbers are None where the draw was not tested."""

    node: int
    outcome: Outcome
    target_prob: float | None
    draft_prob: float | None
    accept_prob: float | None
    coin: float | None
    reason: Reason


class Beam(NamedTuple):
    """A text under way: its last node, and the log-probability of all it has written, under the model that searches."""

    node: int
    log_prob: float


@dataclass(slots=True)
class Beams:
    """The texts that a beam method carries, all of one length but for those that have ended.

    Attributes:
        live: in order of rank, the next round's frontier. Where draws are independent a beam may stand here twice.
        ended: texts that came to an end token, this round's included; they are no part of the frontier.
        best: the last node of the best text so far, live or ended.
        origins: how each node of this round came about, a parent before its children.
        over: True when nothing live can become the best any more.
    """

    live: list[Beam]
    ended: list[Beam]
    best: int
    origins: dict[int, Origin] = field(default_factory=dict)
    over: bool = False


@dataclass(slots=True)
class Verdict:
    """What the verification decided: one path and perhaps one more token, or beams.

    Attributes:
        reading: the target's answer.
        judgements: one per draw, in the order of the test.
        accepted: the accepted nodes, a path below the frontier.
        extra: the token the target adds at the end of that path, or None when the path ends the text.
        origin: how that token came about.
        extra_probs: (V,) what it was drawn from, unnormalised: p, or what is left of p after the rejections.
        beams: what a method with several texts decided instead of all that.
        workings: what a lens may show of how it was decided. They are made between rounds, where the clock stands
            still.
    """

    reading: Reading
    judgements: list[Judgement]
    accepted: list[int] = field(default_factory=list)
    extra: int | None = None
    origin: Origin = "plain"
    extra_probs: torch.Tensor | None = None
    beams: Beams | None = None
    workings: list[Callable[[], Working]] = field(default_factory=list)
