"""Whose turn it is: the runs that each open page has asked for, waiting or going on.

A page has one run at a time. Its stop sign works from the first moment, also while it waits for another page's run.
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

RUN = "run"
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
        share_s: how long it will have the device at a time, as far as is known.
        begun_at, passed_at: when it began, and when one that was asked for later began before it; None if neither.
    """

    what: str = RUN
    number: int = 0
    share_s: float | None = None
    stop: threading.Event = field(default_factory=threading.Event)
    has_begun: bool = False
    begun_at: float | None = None
    passed_at: float | None = None

    @property
    def is_long(self) -> bool:
        """Whether it has the device for a part of it at a time."""
        return self.what != RUN

    @property
    def left_s(self) -> float | None:
        """How long it will still have the device, as far as is known."""
        if self.share_s is None or self.begun_at is None:
            return self.share_s
        return max(0.0, self.share_s - (time.monotonic() - self.begun_at))


_numbers = itertools.count(1)
_turns: dict[str, deque[Turn]] = {}  # by session, in the order asked for
_closed = threading.Event()


def ask(session: str, what: str = RUN, share_s: float | None = None) -> None:
    """Line up one more run of this page.

    One that was stopped before it began is forgotten: its event may have been refused or lost on the way, and nothing
    must wait for it.

    Args:
        session: the page.
        what: how a message calls it.
        share_s: how long it will have the device at a time, if that is known.

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
    turns.append(Turn(what, next(_numbers), share_s))


def next_turn(session: str, what: str = RUN) -> Turn:
    """The run of this page that is to begin now; a stopped one where none was asked for, for nobody could stop it."""
    for turn in _turns.get(session, ()):
        if turn.what == what:
            return turn
    nobodys = Turn(what)
    nobodys.stop.set()
    return nobodys


def begin(turn: Turn) -> None:
    """Its work begins now."""
    turn.has_begun, turn.begun_at = True, time.monotonic()
    for other in _everyone():
        if other.number < turn.number and other.is_long == turn.is_long and not other.has_begun:
            other.passed_at = other.passed_at or turn.begun_at


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
    before = [turn.left_s for turn in _before(own) if not turn.is_long]
    between = [turn.share_s for turn in _everyone() if turn.is_long and turn.has_begun]
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
    return [turn for turn in _everyone() if turn.number < own.number]


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
