"""A cache of runs that have just ended: the very same run is not made twice while others wait.

The same form gives the same tokens. Its times are those of the first, and the page says so.
"""

import json
import threading
import time
import uuid
from collections import OrderedDict
from dataclasses import asdict
from typing import NamedTuple

from playground.ui.contract.to_page import Line, PlayerValue
from playground.ui.page.messages import say
from playground.ui.watch.form import WatchForm

MOST_RUNS = 40
MOST_CHARACTERS = 40_000_000  # All runs together take no more.
KEPT_S = 1800.0


class Finished(NamedTuple):
    """A run that came to its end: the player's value, and when that was."""

    value: PlayerValue
    ended_at: float
    characters: int


_runs: OrderedDict[str, Finished] = OrderedDict()
_lock = threading.Lock()


def keep(form: WatchForm, value: PlayerValue) -> None:
    """Remember a run; those that were asked for longest ago make room for it."""
    size = sum(len(chunk) for chunk in value["chunks"]) + len(value["figures"] or "")
    with _lock:
        _runs.pop(key(form), None)
        _runs[key(form)] = Finished(value, time.monotonic(), size)
        while len(_runs) > MOST_RUNS or sum(each.characters for each in _runs.values()) > MOST_CHARACTERS:
            _runs.popitem(last=False)


def find(form: WatchForm) -> tuple[PlayerValue, Line] | None:
    """(player, message) of the same run, if it is there; with an id of its own."""
    with _lock:
        finished = _runs.get(key(form))
        if finished is None or time.monotonic() > finished.ended_at + KEPT_S:
            return None
        _runs.move_to_end(key(form))
    ago = time.monotonic() - finished.ended_at
    when = f"{ago:.0f} s" if ago < 90 else f"{ago / 60:.0f} minutes"
    sentence = f"Others wait, and the very same run was made {when} ago: this is it, with its times."
    return {**finished.value, "run": uuid.uuid4().hex}, say(sentence)


def key(form: WatchForm) -> str:
    """Return the key that identifies the same run."""
    return json.dumps(asdict(form), sort_keys=True, default=repr)
