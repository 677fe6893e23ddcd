"""Requests of programs in the queues of the pages: each has its turn there, and a client has a few of them at a time.

A turn is there from the moment in which the request is, so that the pages which wait behind it are told. It ends with
its client: one that hangs up is waited for no longer, and what was begun for it is stopped.
"""

from contextlib import suppress
from functools import partial
from typing import Any

import gradio as gr

from playground.errors import PlaygroundError
from playground.ui import programs
from playground.ui.live import turns
from playground.ui.live.turns import WaitingEvent
from playground.ui.served.gradio_queue import is_abandoned, on_queued, waiting_events

QUEUE, RUN = "compute", "watch"  # its name, and the event of a page's run in it
PROGRAM_RUN = "run"  # that of a program's, which has a turn of its own


def device_queue(page: gr.Blocks) -> list[WaitingEvent]:
    """Return the events that wait for the device, in the order in which they came here and not were asked for."""
    return [
        WaitingEvent(event.id, is_run=True)
        if event.name == PROGRAM_RUN
        else WaitingEvent(event.session, is_run=event.name == RUN)
        for event in waiting_events(page, QUEUE)
    ]


def admit_programs(page: gr.Blocks) -> None:
    """From now on a program's request for a run or a comparison gets a turn as it is queued, or is refused."""

    def refusal(name: str, client: str) -> str | None:
        is_too_many = name in programs.TURNS and turns.num_of_client(client) >= programs.MOST_OF_CLIENT
        return programs.REFUSAL if is_too_many else None

    def line_up(name: str, event: str, values: list[Any], client: str) -> None:
        if name not in programs.TURNS:
            return
        is_gone = partial(is_abandoned, page, event)
        with suppress(PlaygroundError):  # the server is ending: the request itself says so
            turns.ask(event, programs.TURNS[name], client=client, is_gone=is_gone)

    on_queued(page, refusal, line_up)
