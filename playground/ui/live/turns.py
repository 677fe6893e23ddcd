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
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from playground.errors import PlaygroundError
from playground.ui.live import waits
from playground.ui.live.device import device
from playground.words import word

RUN = "run"
HANDED_OVER_S = 10.0  # from the end of a run to the beginning of the next, at most, on a server that is very busy
LOST_S = 10.0  # a turn that others passed so long ago will not be taken: its event was refused, or its page is gone
KEPT_S = 3_600.0  # and is forgotten after so long: longer than the longest line
ENDING = word("watch_error_ending")


@dataclass(eq=False, slots=True)
class Turn:
    """A run that was asked for: set `stop` to end it before its next round."""

    what: str = RUN  # how a message calls it
    number: int = 0  # in the order asked for, over all pages
    # says how long it would have the device if it had it now, as far as is known
    expected_s: Callable[[], float | None] = lambda: None
    same: Hashable = None  # two runs of which this is the same are made once
    client: str = ""  # the address of the program that asked; empty for a page
    is_gone: Callable[[], bool] = lambda: False  # says whether the client has gone
    stop: threading.Event = field(default_factory=threading.Event)
    has_begun: bool = False
    # asked_at, begun_at: when it was lined up, and when it began
    asked_at: float = 0.0
    begun_at: float | None = None
    passed_at: float | None = None  # when one that was asked for later began before it

    @property
    def is_long(self) -> bool:
        """True if it has the device for a part of it at a time."""
        return self.what != RUN

    def is_over(self) -> bool:
        """Return whether it is to end before its next round: it was stopped, or its client has gone."""
        if self.is_gone():
            self.stop.set()
        return self.stop.is_set()

    @property
    def taken_s(self) -> float:
        """Seconds for which it has had the device."""
        return time.monotonic() - (self.begun_at or time.monotonic())

    @property
    def left_s(self) -> float | None:
        """Seconds for which it will still have the device, as far as is known."""
        expected_s = self.expected_s()
        return None if expected_s is None else max(0.0, expected_s - self.taken_s)


_numbers = itertools.count(1)
_turns: dict[str, deque[Turn]] = {}  # by session, in the order asked for
_ended_at: dict[str, float] = {}  # when the last one of a kind was over
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
    expected_s: Callable[[], float | None] = lambda: None,
    same: Hashable = None,
    client: str = "",
    is_gone: Callable[[], bool] = lambda: False,
) -> None:
    """Line up one more run of this page.

    One that was stopped before it began is forgotten: its event may have been refused or lost on the way, and nothing
    must wait for it.

    Args:
        session: the page.
        what: how a message calls it.
        expected_s: says how long it would have the device if it had it now, if that is known.
        same: of two runs with the same the second is given what the first one made.
        client, is_gone: of a program's request, see `Turn`.

    Raises:
        PlaygroundError: if one that was not stopped is there already, or the server is ending.
    """
    if _closed.is_set():
        raise PlaygroundError(ENDING)
    _forget_lost()
    turns = _turns.setdefault(session, deque())
    for turn in list(turns):
        if not turn.stop.is_set():
            raise PlaygroundError(f"A {turn.what} is going on. Press Stop first.")
        if not turn.has_begun:
            turns.remove(turn)
    turns.append(Turn(what, next(_numbers), expected_s, same, client, is_gone, asked_at=time.monotonic()))


def next_turn(session: str, what: str = RUN) -> Turn:
    """Return the run of this page that is to begin now; one that could not be stopped any more counts as stopped."""
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
    return None if own is None else sum(each is not None for each in _before(session, own))


def wait_s(session: str) -> float | None:
    """Seconds that this session's run will wait, by what such runs take now; None where that is not known."""
    own = _waiting(session)
    if own is None or own.is_long:
        return None
    total, seen, before = device.aside_left_s(waits.aside_s()), set[Hashable](), _before(session, own)
    if not waits.is_measured(len(before)):
        return None
    for each in before:
        left_s = waits.aside_s() if each is None else each.left_s
        if each is not None and each.same is not None:
            left_s = 0.0 if each.same in seen else left_s
            seen.add(each.same)
        if left_s is None:
            return None
        total += left_s
    between = [device.part_s for turn in _everyone() if turn.is_long and turn.has_begun]
    if None in between:
        return None
    return waits.at_lasting_load(total) + (len(before) + 1) * sum(each or 0.0 for each in between)


def num_waiting() -> int:
    """Return the number of runs that wait."""
    return sum(turn.what == RUN and not turn.has_begun for turn in _everyone())


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


def _before(session: str, own: Turn) -> list[Turn | None]:
    """List what has the device before this page's run; None is something other than a run."""
    alike = [turn for turn in _everyone() if turn.what == own.what]
    events = waiting_events() if own.what == RUN else []
    mine = next((number for number, event in enumerate(events) if event == WaitingEvent(session, is_run=True)), None)
    waiting = [_waiting(event.session) if event.is_run else None for event in events]
    first = [turn for turn in alike if turn.has_begun]
    first += [turn for turn, event in zip(waiting[:mine], events, strict=False) if turn or not event.is_run]
    if mine is None:  # on its way to the line, behind all that are there and those that were asked for before
        first += [turn for turn in alike if turn.number < own.number and not turn.has_begun and turn not in waiting]
    return first


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
    """Stop the runs of a page that was closed, and forget those that have not begun."""
    for turn in stop(session):
        if not turn.has_begun:
            forget(session, turn)


def close() -> None:
    """Stop everything when the server ends, and accept nothing more."""
    _closed.set()
    for session in list(_turns):
        stop(session)
