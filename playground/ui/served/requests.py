"""The events that wait for the device: runs of pages, and those of programs."""

import gradio as gr

from playground.ui.live.turns import WaitingEvent
from playground.ui.served.gradio_queue import waiting_events

QUEUE, RUN = "compute", "watch"  # its name, and the event of a page's run in it
PROGRAM_RUN = "run"  # A program's run has a turn of its own.


def device_queue(page: gr.Blocks) -> list[WaitingEvent]:
    """Return the events that wait for the device, in the order in which they came here and not were asked for."""
    return [
        WaitingEvent(event.id, is_run=True)
        if event.name == PROGRAM_RUN
        else WaitingEvent(event.session, is_run=event.name == RUN)
        for event in waiting_events(page, QUEUE)
    ]
