"""Memory of sessions: little, and not for ever.

Gradio keeps the last value of every component of every page, several megabytes once a run was made, for links of a kind
that this page does not have, and the states of a closed page for an hour. The copies of values are dropped every
minute, and so are closed sessions after ten: what is left of a session is its states, the race and the sweep that can
be saved and gone on with. How many sessions there are, Gradio bounds itself.
"""

import datetime
import threading
import time
from collections.abc import Callable
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

from playground.models.sources.placement import collect
from playground.ui.live.device import device

HEARTBEAT = "/gradio_api/heartbeat/"  # an open page keeps a request to it and its session
MOST_SESSIONS = 300  # those used last; a class of a hundred, each with a second page open
CLOSED_S = 600.0  # a page that was closed so long ago does not come back: a laptop that slept does
# Sweeps of closed pages take so much as files; in memory they are three times as large.
MOST_CLOSED_BYTES = 100_000_000
LOOK_S = 60.0


class Heartbeats:
    """Middleware that tells of a page that was closed: its heartbeat has ended.

    Gradio has an event for that, for which it makes a session of megabytes even where nobody has asked for anything:
    a class that closes its pages at once would keep the server from answering.

    Args:
        app: what answers.
        closed: takes the session of a page that was closed.
    """

    def __init__(self, app: ASGIApp, closed: Callable[[str], object]) -> None:
        self.app, self.closed = app, closed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        _, is_heartbeat, session = scope.get("path", "").partition(HEARTBEAT)
        try:
            await self.app(scope, receive, send)
        finally:
            if is_heartbeat:
                self.closed(session.rstrip("/"))


def tidy_sessions(holder: Any) -> None:
    """From now on values are dropped every minute, sessions that are over go, and what memory is free is given back.

    Args:
        holder: Gradio's sessions, `app.state_holder`.
    """

    def look() -> None:
        while True:
            time.sleep(LOOK_S)
            forget_values(holder)
            forget_closed(holder)
            with device:  # a moment in which no run is timed
                collect()

    threading.Thread(target=look, name="sessions", daemon=True).start()


def forget_values(holder: Any) -> None:
    """Drop what pages show; their states stay."""
    for session in list(holder.session_data.values()):
        session.config_values.clear()


def forget_closed(holder: Any, unused_s: float = CLOSED_S) -> None:
    """Drop every session whose page was closed, unless it was used since and is not too large."""
    before, num_bytes = datetime.datetime.now() - datetime.timedelta(seconds=unused_s), 0
    with holder.lock:
        for session_id, session in reversed(list(holder.session_data.items())):  # those used last have room first
            if not session.is_closed:
                continue
            size = sum(getattr(value, "num_bytes", 0) for value in list(session.state_data.values()))
            num_bytes += size
            if holder.time_last_used.get(session_id, before) <= before or (size and num_bytes > MOST_CLOSED_BYTES):
                holder.session_data.pop(session_id)
                holder.time_last_used.pop(session_id, None)
