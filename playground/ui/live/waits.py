"""How long runs have taken here, to say how long one will wait: nothing but what was measured on this server."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable

WEIGHT = 0.4  # of the newest: a machine that has become busy is told of after a few runs
MOST_KINDS = 200

_seconds: OrderedDict[Hashable, float] = OrderedDict()  # a token, by kind of run


def learn(kind: Hashable, tokens: int, seconds: float) -> None:
    """A run that was asked for so many tokens had the device for so long, from the end of the one before."""
    a_token = seconds / max(1, tokens)
    before = _seconds.pop(kind, a_token)
    _seconds[kind] = before + WEIGHT * (a_token - before)
    while len(_seconds) > MOST_KINDS:
        _seconds.popitem(last=False)


def expected_s(kind: Hashable, tokens: int) -> float | None:
    """How long such a run will take: as the last ones of its kind, or as those of all kinds; None before the first."""
    known = list(_seconds.values())
    if not known:
        return None
    return tokens * _seconds.get(kind, sum(known) / len(known))
