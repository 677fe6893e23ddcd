"""Who waits for the device, as Gradio's queue has them: the order in which they came here, not in which they asked."""

from __future__ import annotations

import gradio as gr

from playground.ui.live.turns import Line, Place

QUEUE, RUN = "compute", "watch"  # its name, and the event of a page's run in it
PROGRAM_RUN = "run"  # that of a program's, which has a turn of its own


class QueueLine(Line):
    """The queue of a page.

    Args:
        page: whose.
    """

    def __init__(self, page: gr.Blocks) -> None:
        self.page = page

    def places(self) -> list[Place]:
        """Those whose turn has not come."""
        queue = self.page._queue.event_queue_per_concurrency_id.get(QUEUE)
        events = list(queue.queue) if queue else []
        return [
            Place(each._id, is_run=True)
            if each.fn.api_name == PROGRAM_RUN
            else Place(each.session_hash, is_run=each.fn.api_name == RUN)
            for each in events
            if each.alive
        ]
