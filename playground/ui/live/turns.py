"""Whose turn it is: the runs that each open page has asked for, waiting or going on.

A page has one run at a time. Its stop sign works from the first moment, also while it waits for another page's run.
Runs have the device one after the other, each to its end. A race or a sweep has it for one of its own runs at a time,
and then whoever waits comes first: a run waits for other runs, and a race for other races, but for no whole race.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from playground.errors import PlaygroundError
from playground.ui.live.device import device

RUN = "run"
HANDED_OVER_S = 2.0  # from the end of a run to the beginning of the next, at most
LOST_S = (
    10.0  # a turn that others have passed for so long will not be taken: its event was refused, or its page is gone
)
ENDING = "The server is ending. Try again in a minute."


@dataclass(eq=False, slots=True)
class Turn:
    """A run that was asked for: set `stop` to end it before its next round.

    Attributes:
        what: how a message calls it.
        number: in the order asked for, over all pages.
        expected_s: how long it will have the device, as far as is known.
        asked_at, begun_at: when it was lined up, and when it began.
        passed_at: when one that was asked for later began before it.
    """

    what: str = RUN
    number: int = 0
    expected_s: float | None = None
    stop: threading.Event = field(default_factory=threading.Event)
    has_begun: bool = False
    asked_at: float = 0.0
    begun_at: float | None = None
    passed_at: float | None = None

    @property
    def is_long(self) -> bool:
        """Whether it has the device for a part of it at a time."""
        return self.what != RUN

    @property
    def taken_s(self) -> float:
        """How long it has had the device by now."""
        return time.monotonic() - (self.begun_at or time.monotonic())

    @property
    def left_s(self) -> float | None:
        """How long it will still have the device, as far as is known."""
        return self.expected_s and max(0.0, self.expected_s - self.taken_s)


_numbers = itertools.count(1)
_turns: dict[str, deque[Turn]] = {}  # by session, in the order asked for
_ended_at: dict[str, float] = {}  # when the last one of a kind was over
_closed = threading.Event()


def ask(session: str, what: str = RUN, expected_s: float | None = None) -> None:
    """Line up one more run of this page.

    One that was stopped before it began is forgotten: its event may have been refused or lost on the way, and nothing
    must wait for it.

    Args:
        session: the page.
        what: how a message calls it.
        expected_s: how long it will have the device, if that is known.

    Raises:
        PlaygroundError: if one that was not stopped is there already, or the server is ending.
    """
    if _closed.is_set():
        raise PlaygroundError(ENDING)
    turns = _turns.setdefault(session, deque())
    for turn in list(turns):
        if not turn.stop.is_set():
            raise PlaygroundError(f"A {turn.what} is going on. Press Stop first.")
        if not turn.has_begun:
            turns.remove(turn)
    turns.append(Turn(what, next(_numbers), expected_s, asked_at=time.monotonic()))


def next_turn(session: str, what: str = RUN) -> Turn:
    """The run of this page that is to begin now; a stopped one where none was asked for, for nobody could stop it."""
    for turn in _turns.get(session, ()):
        if turn.what == what:
            return turn
    nobodys = Turn(what)
    nobodys.stop.set()
    return nobodys


def begin(turn: Turn) -> None:
    """Its work begins now; where it waited for another, with the moment in which that one was over."""
    now, freed_at = time.monotonic(), max(turn.asked_at, _ended_at.get(turn.what, 0.0))
    turn.has_begun, turn.begun_at = True, freed_at if now - freed_at < HANDED_OVER_S else now
    for other in _everyone():
        if other.number < turn.number and other.what == turn.what and not other.has_begun:
            other.passed_at = other.passed_at or now


@contextmanager
def taken(session: str, what: str = RUN) -> Iterator[Turn]:
    """The run of this page that begins now; forgotten at the end, however it ends."""
    turn = next_turn(session, what)
    try:
        yield turn
    finally:
        forget(session, turn)


def is_asked(session: str) -> bool:
    """Whether a run of this page waits or goes on."""
    return bool(_turns.get(session))


def ahead(session: str) -> int | None:
    """How many runs of other pages come before this page's; None where this page's has begun, or there is none."""
    own = _waiting(session)
    return None if own is None else len(_before(own))


def wait_s(session: str) -> float | None:
    """How long this page's run will wait, by what such runs have taken; None where that is not known."""
    own = _waiting(session)
    if own is None or own.is_long:
        return None
    before = [turn.left_s for turn in _before(own)]
    between = [device.part_s for turn in _everyone() if turn.is_long and turn.has_begun]
    if None in before or None in between:
        return None
    return sum(each or 0.0 for each in before) + (len(before) + 1) * sum(each or 0.0 for each in between)


def others_are_there(session: str) -> bool:
    """Whether runs of other pages wait or go on."""
    own = list(_turns.get(session, ()))
    return any(turn not in own for turn in _everyone())


def num_going_on() -> int:
    """How many runs have begun and not ended, those that are stopping among them."""
    return sum(turn.has_begun for turns in list(_turns.values()) for turn in list(turns))


def _waiting(session: str) -> Turn | None:
    own = [turn for turn in list(_turns.get(session, ())) if not turn.stop.is_set()]
    return own[0] if own and not own[0].has_begun else None


def _before(own: Turn) -> list[Turn]:
    return [turn for turn in _everyone() if turn.number < own.number and turn.what == own.what]


def _everyone() -> list[Turn]:
    """All that will have the device."""
    now = time.monotonic()
    return [
        turn
        for turns in list(_turns.values())
        for turn in list(turns)
        if not turn.stop.is_set() and (turn.has_begun or turn.passed_at is None or now < turn.passed_at + LOST_S)
    ]


def forget(session: str, turn: Turn) -> None:
    """The run is over, however it ended."""
    turns = _turns.get(session)
    if turns and turn in turns:
        turns.remove(turn)
        if turn.has_begun:
            _ended_at[turn.what] = time.monotonic()
    if not turns:
        _turns.pop(session, None)


def stop(session: str) -> list[Turn]:
    """Stop all runs of this page; which they were."""
    stopped = list(_turns.get(session, ()))
    for turn in stopped:
        turn.stop.set()
    return stopped


def leave(session: str) -> None:
    """The page was closed: its runs are stopped, and those that have not begun are forgotten."""
    for turn in stop(session):
        if not turn.has_begun:
            forget(session, turn)


def close() -> None:
    """The server is ending: everything is stopped, and nothing more is lined up."""
    _closed.set()
    for session in list(_turns):
        stop(session)
