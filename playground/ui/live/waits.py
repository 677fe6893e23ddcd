"""Waiting times, from nothing but what runs have taken on this server.

A run takes the work of its kind times the load. The work is what its thread had of the processor, which is about the
same on a machine that others use. The load is how many times as long the last runs took, of whatever kind. So a
machine that a class has made busy is told of after a run or two, for all kinds at once; until then, who stands far
behind in the line is told no time.

A crowd makes the machine slow while it opens its pages, and that passes while the line is still long. So the load is
expected to go from that of the moment to the lasting one, which learns little while the line grows.
"""

import math
import time
from collections import OrderedDict
from collections.abc import Hashable

WEIGHT_OF_KIND = 0.15  # of the newest run of a kind
WEIGHT_NOW = 0.4  # of the newest run of all, in the load of the moment; one that ended early has a part of it
ALONE = 1.25  # the load until it is measured: what its page adds to a run that is the only one
PASSES_S = 13.0  # in which all but 1/e of what the moment adds to the lasting load is expected to go
LASTS_S, GROWS_S = 120.0, 900.0  # of runs, in which the lasting load forgets all but 1/e; GROWS_S while the line grows
FEW = 2  # runs ahead in the queue: the wait for these few is estimated from the last measurement
FRESH_S, LONGER = 60.0, 3.0  # or this many times the length of the last run
MOST_KINDS = 200
MOST_LOAD = 50.0  # in one run: one that was held up by something else says little of the others


class _Known:
    """Everything that was learnt."""

    def __init__(self) -> None:
        self.usual: OrderedDict[Hashable, float] = OrderedDict()  # seconds of work a token, by kind of run
        self.now = self.lasting = ALONE
        self.aside_s: float | None = None
        self.learnt_at, self.took_s, self.num_waiting = -1e9, 0.0, 0


_known = _Known()


def learn(kind: Hashable, tokens: int, seconds: float, worked_s: float, num_waiting: int = 0) -> None:
    """Learn how long a run of this many tokens had the device, from the end of the run before it.

    Args:
        kind: what such runs have in common.
        tokens: that it was asked for, 1 at least.
        seconds: that it took.
        worked_s: that it would have taken with the machine to itself.
        num_waiting: runs that wait behind it.
    """
    if min(seconds, worked_s) <= 0:
        return
    part = min(1.0, worked_s / (tokens * learn_kind(kind, tokens, worked_s)))
    load, before = min(MOST_LOAD, seconds / worked_s), _load(time.monotonic() - seconds)
    _known.now = before + WEIGHT_NOW * part * (load - before)
    lasts_s = GROWS_S if num_waiting > _known.num_waiting else LASTS_S
    _known.lasting += (1 - math.exp(-seconds / lasts_s)) * (load - _known.lasting)
    _known.learnt_at, _known.took_s, _known.num_waiting = time.monotonic(), seconds, num_waiting


def learn_kind(kind: Hashable, tokens: int, worked_s: float) -> float:
    """Work of this kind, whatever the load was; returns what it usually is for a token."""
    a_token = worked_s / tokens
    usual = _known.usual.pop(kind, a_token)
    _known.usual[kind] = usual = usual + WEIGHT_OF_KIND * (a_token - usual)
    while len(_known.usual) > MOST_KINDS:
        _known.usual.popitem(last=False)
    return usual


def expected_s(kind: Hashable, tokens: int) -> float | None:
    """Seconds that such a run would take now: as those of its kind, or of all kinds; None before the first."""
    known = list(_known.usual.values())
    if not known:
        return None
    return tokens * _moment() * _known.usual.get(kind, sum(known) / len(known))


def at_lasting_load(seconds: float) -> float:
    """Estimate the seconds of runs that would take `seconds` at the load of the moment.

    The load is L(t) = lasting + (now - lasting) exp(-t / PASSES_S), and they are done at the t at which the integral of
    1 / L from 0 to t is what they would take at a load of 1.
    """
    now = _moment()
    lasting_s = seconds * _known.lasting / now
    passed = math.exp(-lasting_s / PASSES_S)
    return lasting_s + PASSES_S * math.log(passed + (1 - passed) * now / _known.lasting)


def _moment() -> float:
    """Return the load now: the measured one, or that of a run in progress if it takes longer than the last."""
    return _load(time.monotonic() - LONGER * _known.took_s)


def _load(at: float) -> float:
    """Return the load at a time after the last run: what the moment then added passes."""
    passed = math.exp(-max(0.0, at - _known.learnt_at) / PASSES_S)
    return _known.lasting + (_known.now - _known.lasting) * passed


def is_measured(num_before: int) -> bool:
    """Return whether the load of so long a line was measured, or of one half as long."""
    is_fresh = time.monotonic() - _known.learnt_at < max(FRESH_S, LONGER * _known.took_s)
    return num_before <= FEW or (is_fresh and num_before <= FEW + 2 * _known.num_waiting)


def learn_aside(seconds: float) -> None:
    """Record that something other than a run had the device for some seconds, such as an answer to *What if*."""
    before = seconds if _known.aside_s is None else _known.aside_s
    _known.aside_s = before + WEIGHT_NOW * (seconds - before)


def aside_s() -> float:
    """Seconds for which the next one will have it; 0 before the first."""
    return _known.aside_s or 0.0


def forget_all() -> None:
    """As after the start."""
    global _known
    _known = _Known()
