"""Whose turn it is: the runs that each open page has asked for, waiting or going on.

A page has one run at a time. Its stop sign works from the first moment, also while it waits for another page's run.
A program's request is a session of its own, and is stopped when its client has gone.
Runs have the device one after the other, each to its end. A race or a sweep has it for one of its own runs at a time,
and then runs that wait come first: a run waits for other runs, but for no whole race, and races and sweeps take turns.
"""

import itertools
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from playground.errors import PlaygroundError
from playground.words import word

RUN = "run"
LOST_S = 30.0  # a turn that others passed so long ago will not be taken: its event was refused, or its page is gone
KEPT_S = 3_600.0  # and is forgotten after so long: longer than the longest line
ENDING = word("watch_error_ending")


@dataclass(eq=False, slots=True)
class Turn:
    """A run that was asked for: set `stop` to end it before its next round."""

    what: str = RUN  # A message calls it so.
    number: int = 0  # in the order asked for, over all pages
    client: str = ""  # the address of the program that asked; empty for a page
    is_gone: Callable[[], bool] = lambda: False  # says whether the client has gone
    stop: threading.Event = field(default_factory=threading.Event)
    has_begun: bool = False
    passed_at: float | None = None  # the time at which a later request began before it

    def is_over(self) -> bool:
        """Return whether it is to end before its next round: it was stopped, or its client has gone."""
        if self.is_gone():
            self.stop.set()
        return self.stop.is_set()


_numbers = itertools.count(1)
_turns: dict[str, deque[Turn]] = {}  # by session, in the order asked for
_closed = threading.Event()


class WaitingEvent(NamedTuple):
    """Something that waits for the device, in the order in which it will have it."""

    session: str  # the page
    is_run: bool  # or else something short, as an answer to *What if*


waiting_events: Callable[[], list[WaitingEvent]] = list  # first come first served; none without the page's server


def use_queue(events: Callable[[], list[WaitingEvent]]) -> None:
    """Take the events that wait from this function."""
    global waiting_events
    waiting_events = events


def ask(
    session: str,
    what: str = RUN,
    client: str = "",
    is_gone: Callable[[], bool] = lambda: False,
) -> None:
    """Line up one more run of this page.

    One that was stopped before it began is forgotten: its event may have been refused or lost on the way, and nothing
    must wait for it. A run that is asked for again while it waits keeps its place, and is made as asked for last.

    Args:
        session: the page.
        what: how a message calls it.
        client, is_gone: of a program's request, see `Turn`.

    Raises:
        PlaygroundError: if one goes on that was not stopped, or the server is ending.
    """
    if _closed.is_set():
        raise PlaygroundError(ENDING)
    _forget_lost()
    turns = _turns.setdefault(session, deque())
    for turn in list(turns):
        if turn.what == what == RUN and not turn.has_begun and not turn.is_over():
            return
        if not turn.stop.is_set():
            raise PlaygroundError(word("refused_going_on"))
        if not turn.has_begun:
            turns.remove(turn)
    turns.append(Turn(what, next(_numbers), client, is_gone))


def next_turn(session: str, what: str = RUN) -> Turn:
    """Return the run of this page that is to begin now; one that could not be stopped any more counts as stopped."""
    for turn in _turns.get(session, ()):
        if turn.what == what:
            return turn
    nobodys = Turn(what)
    nobodys.stop.set()
    return nobodys


def begin(turn: Turn) -> None:
    """Note that its work begins now, and which turns it has passed."""
    now = time.monotonic()
    turn.has_begun = True
    for other in _everyone():
        if other.number < turn.number and other.what == turn.what and not other.has_begun:
            other.passed_at = other.passed_at or now


@contextmanager
def current(session: str, what: str = RUN) -> Iterator[Turn]:
    """Yield the run of this page that begins now; forgotten at the end, however it ends."""
    turn = next_turn(session, what)
    try:
        yield turn
    finally:
        forget(session, turn)


def is_asked(session: str, what: str | None = None) -> bool:
    """Return whether something of this page waits or goes on, or something of this kind."""
    return any(what in (None, turn.what) for turn in list(_turns.get(session, ())))


def refuse_beside_a_run(session: str) -> None:
    """Nothing else comes onto the stage while a run of this page does: its next round would sweep it off.

    Raises:
        PlaygroundError: if one waits or goes on.
    """
    if is_asked(session, RUN):
        raise PlaygroundError(word("watch_error_run_in_watch"))


def ahead(session: str) -> int | None:
    """Return the number of runs before this session's; None where its own has begun, or it has none."""
    own = _waiting(session)
    return None if own is None else len(_before(session, own))


def others_are_there(session: str) -> bool:
    """Return whether runs of other pages wait or go on."""
    own = list(_turns.get(session, ()))
    return any(turn not in own for turn in _everyone())


def num_of_client(client: str) -> int:
    """Return the number of requests of this client that wait or go on."""
    _forget_lost()
    return sum(turn.client == client for turns in list(_turns.values()) for turn in list(turns))


def num_going_on() -> int:
    """Return the number of runs that have begun and not ended, those that are stopping among them."""
    return sum(turn.has_begun for turns in list(_turns.values()) for turn in list(turns))


def _waiting(session: str) -> Turn | None:
    own = [turn for turn in list(_turns.get(session, ())) if not turn.is_over()]
    return own[0] if own and not own[0].has_begun else None


def _before(session: str, own: Turn) -> set[int]:
    """Return the numbers of the turns of its kind that have the device before this page's, each once.

    A page that stopped a run and asked for another has two events in the queue, of which the first takes its turn.
    """
    alike = [turn for turn in _everyone() if turn.what == own.what]
    events = waiting_events() if own.what == RUN else []
    mine = next((number for number, event in enumerate(events) if event == WaitingEvent(session, is_run=True)), None)
    there = [_waiting(event.session) for event in events[:mine] if event.is_run]
    first = {turn.number for turn in alike if turn.has_begun} | {turn.number for turn in there if turn}
    if mine is None:  # It is on its way to the line, behind all that are there and those that were asked for before.
        first |= {turn.number for turn in alike if turn.number < own.number}
    return first - {own.number}


def _everyone() -> list[Turn]:
    """All that will have the device."""
    now = time.monotonic()
    return [
        turn
        for turns in list(_turns.values())
        for turn in list(turns)
        if not turn.is_over() and (turn.has_begun or turn.passed_at is None or now < turn.passed_at + LOST_S)
    ]


def _forget_lost() -> None:
    """Drop turns whose session is gone, which would be kept for ever."""
    until = time.monotonic() - KEPT_S
    for session, turns in list(_turns.items()):
        for turn in list(turns):
            is_old = turn.passed_at is not None and turn.passed_at < until
            if not turn.has_begun and (is_old or turn.is_gone()):
                forget(session, turn)


def forget(session: str, turn: Turn) -> None:
    """Forget a run that is over, however it ended."""
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
    """Stop the runs of a page that was closed, and forget those that have not begun."""
    for turn in stop(session):
        if not turn.has_begun:
            forget(session, turn)


def close() -> None:
    """Stop everything when the server ends, and accept nothing more."""
    _closed.set()
    for session in list(_turns):
        stop(session)
