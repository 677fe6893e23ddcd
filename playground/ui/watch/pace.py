"""Client back-pressure: seconds a page needs per message, as it reports them. A slow page gets fewer, larger messages.

The page says so only when it falls behind, for hearing it costs decoding time.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from playground.errors import PlaygroundError
from playground.ui.contract.from_page import Took
from playground.ui.contract.reading import receive

MOST_S = 5.0  # between two messages, however slow the page is

_intervals: dict[str, float] = {}  # by run: those that pages look at now


@contextmanager
def looked_at(run: str) -> Iterator[None]:
    """While a run goes on, its page may say how long it takes."""
    _intervals[run] = 0.0
    try:
        yield
    finally:
        _intervals.pop(run, None)


def interval(run: str) -> float:
    """Seconds to wait between two messages; 0 where the page keeps up."""
    return _intervals.get(run, 0.0)


def took(said: Any) -> None:
    """Record the seconds that a page took for a message; ignore nonsense."""
    with suppress(PlaygroundError):
        message = receive(said, Took)
        if message.run in _intervals:
            # The page draws half of the time at most, so that it can answer its reader in the other half.
            _intervals[message.run] = 2.0 * min(MOST_S / 2, message.seconds)
