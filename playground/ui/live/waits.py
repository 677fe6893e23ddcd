"""How long runs have taken here, to say how long one will wait: nothing but what was measured on this server.

A run takes what its kind usually takes for a token, times the load: how many times as long as usual the last runs took,
of whatever kind. So a machine that a class has made busy is told of after a run or two, for all kinds at once. Until
then, as nothing of the kind was measured, who stands far behind in the line is told no time.

A crowd makes the machine slow while it opens its pages, and that passes while the line is still long. So the load is
expected to go from that of the moment to the lasting one, which learns little while the line grows.
"""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Hashable

WEIGHT_OF_KIND = 0.15  # of the newest run of a kind
WEIGHT_NOW = 0.4  # of the newest run of all, in the load of the moment
PASSES_S = 15.0  # in which all but 1/e of what the moment adds to the lasting load is expected to go
LASTS_S, GROWS_S = 120.0, 900.0  # of runs, in which the lasting load forgets all but 1/e; GROWS_S while the line grows
STALE_S = 20.0  # by which the weight of what was known before is halved once more
FEW = 2  # before somebody in the line: so short a wait is told by whatever was measured last
FRESH_S = 60.0
MOST_KINDS = 200
MOST_LOAD = 50.0  # in one run: one that was held up by something else says little of the others


class _Known:
    """What was learnt."""

    def __init__(self) -> None:
        self.usual: OrderedDict[Hashable, float] = OrderedDict()  # seconds a token, by kind of run
        self.now = self.lasting = 1.0
        self.aside_s: float | None = None
        self.learnt_at, self.took_s, self.num_waiting = -1e9, 0.0, 0


_known = _Known()


def learn(kind: Hashable, tokens: int, seconds: float, num_waiting: int = 0) -> None:
    """A run that was asked for so many tokens had the device for so long, from the end of the one before.

    Args:
        kind: what such runs have in common.
        tokens: that it was asked for.
        seconds: that it took.
        num_waiting: runs that wait behind it.
    """
    if seconds <= 0:
        return
    a_token = seconds / max(1, tokens)
    usual = _known.usual.pop(kind, None)
    if usual is not None:  # what is long at its first time may be slow by kind or by load
        lasts_s = GROWS_S if num_waiting > _known.num_waiting else LASTS_S
        age_s, _known.learnt_at = time.monotonic() - _known.learnt_at, time.monotonic()
        _known.took_s, _known.num_waiting = seconds, num_waiting
        load = min(MOST_LOAD, a_token / usual)
        runs = 1 + max(0.0, age_s - seconds) / STALE_S
        _known.now += (1 - (1 - WEIGHT_NOW) ** runs) * (load - _known.now)
        _known.lasting += (1 - math.exp(-seconds / lasts_s)) * (load - _known.lasting)
    of_kind = a_token / _known.now
    usual = of_kind if usual is None else usual + WEIGHT_OF_KIND * (of_kind - usual)
    _known.usual[kind] = usual
    while len(_known.usual) > MOST_KINDS:
        _known.usual.popitem(last=False)


def expected_s(kind: Hashable, tokens: int) -> float | None:
    """How long such a run would take now: as those of its kind, or of all kinds; None before the first."""
    known = list(_known.usual.values())
    if not known:
        return None
    return tokens * _known.now * _known.usual.get(kind, sum(known) / len(known))


def settled(seconds: float) -> float:
    """How long runs will take that would take so long at the load of the moment.

    The load is L(t) = lasting + (now - lasting) exp(-t / PASSES_S), and they are done at the t at which the integral of
    1 / L from 0 to t is what they would take at a load of 1.
    """
    lasting_s = seconds * _known.lasting / _known.now
    passed = math.exp(-lasting_s / PASSES_S)
    return lasting_s + PASSES_S * math.log(passed + (1 - passed) * _known.now / _known.lasting)


def is_measured(num_before: int) -> bool:
    """Whether the load of so long a line was measured, or of one half as long."""
    is_fresh = time.monotonic() - _known.learnt_at < max(FRESH_S, 3 * _known.took_s)
    return num_before <= FEW or (is_fresh and num_before <= FEW + 2 * _known.num_waiting)


def learn_aside(seconds: float) -> None:
    """Something that is no run had the device for so long, such as an answer to *What if*."""
    before = seconds if _known.aside_s is None else _known.aside_s
    _known.aside_s = before + WEIGHT_NOW * (seconds - before)


def aside_s() -> float:
    """How long the next one will have it; 0 before the first."""
    return _known.aside_s or 0.0


def forget_all() -> None:
    """As after the start."""
    global _known
    _known = _Known()
