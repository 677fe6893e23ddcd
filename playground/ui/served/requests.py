"""Requests of programs in the queues of the pages: each has its turn there, and a client has a few of them at a time.

A turn is there from the moment in which the request is, so that the pages which wait behind it are told. It ends with
its client: whoever hangs up is waited for no longer, and what was begun for them is stopped.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Any

import gradio as gr
from gradio.queueing import Queue
from gradio.route_utils import get_fn

from playground.errors import PlaygroundError
from playground.ui import programs
from playground.ui.live import turns


def admit_programs(page: gr.Blocks) -> None:
    """From now on a program's request for a run or a comparison gets a turn as it is queued, or is refused."""
    queue = page._queue
    push, refusal = queue.push, _endpoint(page, programs.REFUSAL)

    async def admit(body: Any, request: Any, username: str | None) -> Any:
        name = get_fn(page, None, body).api_name if body.fn_index is not None else None
        if name not in programs.TURNS:
            return await push(body, request, username)
        client = request.client.host if request.client else ""
        if turns.num_of_client(client) >= programs.MOST_OF_CLIENT:
            body.fn_index, body.data = refusal, []
            return await push(body, request, username)
        values = list(body.data or ())
        is_queued, event, state = await push(body, request, username)
        if is_queued and isinstance(event, str):
            _line_up(queue, name, event, values, client)
        return is_queued, event, state

    queue.push = admit


def _line_up(queue: Queue, name: str, event: str, values: list[Any], client: str) -> None:
    what, expected_s, is_gone = (
        programs.TURNS[name],
        programs.expectation(name, values),
        partial(_is_gone, queue, event),
    )
    with suppress(PlaygroundError):  # the server is ending: the request itself says so
        turns.ask(event, what, expected_s, client=client, is_gone=is_gone)


def _is_gone(queue: Queue, event: str) -> bool:
    """Whether nobody listens for the answer to a request any more."""
    found = queue.event_ids_to_events.get(event)
    return found is None or not found.alive


def _endpoint(page: gr.Blocks, name: str) -> int:
    return next(number for number, fn in page.fns.items() if fn.api_name == name)
