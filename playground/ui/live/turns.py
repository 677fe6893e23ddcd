"""Whose turn it is: the runs that each open page has asked for, waiting or going on.

A page has one run at a time. Its stop sign works from the first moment, also while it waits for another page's run.
"""

from __future__ import annotations

import itertools
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from playground.errors import PlaygroundError


@dataclass(eq=False, slots=True)
class Turn:
    """A run that was asked for: set `stop` to end it before its next round."""

    what: str = "run"
    number: int = 0  # in the order asked for, over all pages
    stop: threading.Event = field(default_factory=threading.Event)
    has_begun: bool = False


_numbers = itertools.count(1)
_turns: dict[str, deque[Turn]] = {}  # by session, in the order asked for


def ask(session: str, what: str = "run") -> None:
    """Line up one more run of this page.

    One that was stopped before it began is forgotten: its event may have been refused or lost on the way, and nothing
    must wait for it.

    Args:
        session: the page.
        what: how a message calls it.

    Raises:
        PlaygroundError: if one that was not stopped is there already.
    """
    turns = _turns.setdefault(session, deque())
    for turn in list(turns):
        if not turn.stop.is_set():
            raise PlaygroundError(f"A {turn.what} is going on. Press Stop first.")
        if not turn.has_begun:
            turns.remove(turn)
    turns.append(Turn(what, next(_numbers)))


def next_turn(session: str, what: str = "run") -> Turn:
    """The run of this page that is to begin now; a stopped one where none was asked for, for nobody could stop it."""
    for turn in _turns.get(session, ()):
        if turn.what == what:
            return turn
    nobodys = Turn(what)
    nobodys.stop.set()
    return nobodys


@contextmanager
def taken(session: str, what: str = "run") -> Iterator[Turn]:
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
    own = [turn for turn in _turns.get(session, ()) if not turn.stop.is_set()]
    if not own or own[0].has_begun:
        return None
    everyone = [turn for turns in list(_turns.values()) for turn in list(turns)]
    return sum(turn.number < own[0].number and not turn.stop.is_set() for turn in everyone)


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
