"""What the server remembers of every visitor: little, and not for ever.

Gradio keeps the last value of every component of every page that was ever opened, a megabyte for each and several once
a run was made, for links of a kind that this page does not have. Here a session is its states alone: the race and the
sweep that can be saved and gone on with.
"""

from __future__ import annotations

import datetime
import threading
import time
from typing import Any

from gradio import Blocks
from gradio.state_holder import SessionState, StateHolder

from playground.ui.served.memory import give_back

MOST_SESSIONS = 300  # those used last; a class of a hundred, each with a second page open
CLOSED_S = 600.0  # a page that was closed so long ago does not come back: a laptop that slept does
MOST_CLOSED_BYTES = 100_000_000  # of the sweeps of closed pages, as files; in memory they are three times as large
LOOK_S = 60.0


class Session(SessionState):
    """One open page: its states, and no copy of what it shows."""

    def __init__(self, blocks: Blocks) -> None:
        super().__init__(_Bare(blocks))  # type: ignore[arg-type]
        self.config_values.clear()

    def __setitem__(self, key: int, value: Any) -> None:
        """Set a state, or what a component has become."""
        super().__setitem__(key, value)
        self.config_values.clear()

    def _update_config(self, key: int) -> None:
        pass

    def _update_value_in_config(self, key: int, value: Any) -> None:
        pass


class _Bare:
    """A page that has no components to be copied."""

    def __init__(self, page: Blocks) -> None:
        self.default_config = page.default_config
        self.blocks: dict[int, Any] = {}


class Sessions(StateHolder):
    """Those of all open pages; whoever was closed, or was not used while many others were, is forgotten."""

    def __getitem__(self, session_id: str) -> SessionState:
        """The session, a new one where there is none."""
        with self.lock:
            if session_id not in self.session_data:
                self.session_data[session_id] = Session(self.blocks)
            self.session_data.move_to_end(session_id)
            self.time_last_used[session_id] = datetime.datetime.now()
            while len(self.session_data) > self.capacity:
                self.time_last_used.pop(self.session_data.popitem(last=False)[0], None)
            return self.session_data[session_id]

    def forget_closed(self, unused_s: float = CLOSED_S) -> None:
        """Drop every session whose page was closed, unless it was used since and is not too large."""
        before, num_bytes = datetime.datetime.now() - datetime.timedelta(seconds=unused_s), 0
        with self.lock:
            for session_id, session in reversed(list(self.session_data.items())):  # those used last have room first
                if not session.is_closed:
                    continue
                size = sum(getattr(value, "num_bytes", 0) for value in list(session.state_data.values()))
                num_bytes += size
                if self.time_last_used.get(session_id, before) <= before or (size and num_bytes > MOST_CLOSED_BYTES):
                    self.session_data.pop(session_id)
                    self.time_last_used.pop(session_id, None)


def remember_little(app: Any, page: Blocks) -> Sessions:
    """From now on the app keeps such sessions; every minute those that are over go, and what memory is free."""
    sessions = Sessions()
    sessions.set_blocks(page)
    app.state_holder = sessions

    def look() -> None:
        while True:
            time.sleep(LOOK_S)
            sessions.forget_closed()
            give_back()

    threading.Thread(target=look, name="sessions", daemon=True).start()
    return sessions
