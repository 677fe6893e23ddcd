"""Gradio's events from within: the only file of the page that knows what Gradio does not document.

Four things have no public interface: which events wait and in which order, a hook between a program's request and its
turn (`validator` is for components, an endpoint has none), whether the client of an event still listens, and all fields
that an event of a panel has, the unexpected ones too. The tests of this file fail where another version of Gradio has
it otherwise.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import gradio as gr
from gradio.context import LocalContext
from gradio.route_utils import get_fn


class Event(NamedTuple):
    """An event that waits."""

    id: str
    session: str  # the id of the page or the client that sent it
    name: str  # the endpoint under which programs call its handler


def waiting_events(page: gr.Blocks, concurrency_id: str) -> list[Event]:
    """Return the events of a queue whose turn has not come, in the order in which they will be handled."""
    queue = page._queue.event_queue_per_concurrency_id.get(concurrency_id)
    events = list(queue.queue) if queue else []
    return [Event(each._id, each.session_hash, str(each.fn.api_name)) for each in events if each.alive]


def event_fields(event: gr.EventData) -> Any:
    """Return all that a panel's script sent with its event."""
    return event._data


def current_event_id() -> str | None:
    """Return the event that this thread handles; None outside of one."""
    return LocalContext.event_id.get(None)


def is_abandoned(page: gr.Blocks, event_id: str) -> bool:
    """Return whether the client of an event has gone."""
    event = page._queue.event_ids_to_events.get(event_id)
    return event is None or not event.alive


def endpoint_index(page: gr.Blocks, name: str) -> int:
    """Return the number of an endpoint's handler."""
    return next(number for number, fn in page.fns.items() if fn.api_name == name)


def on_queued(
    page: gr.Blocks,
    replaced: Callable[[str, str], str | None],
    queued: Callable[[str, str, list[Any], str], None],
) -> None:
    """Call these for every event that enters the queue from now on.

    Args:
        page: whose queue.
        replaced: gets a handler's name and the client's address, before the event is queued; may name the endpoint
            without values that is to answer it instead.
        queued: gets the handler's name, the event's id, its values and the client's address, once it is queued.
    """
    push = page._queue.push

    async def observed(body: Any, request: Any, username: str | None) -> Any:
        if body.fn_index is None:
            return await push(body, request, username)
        name = str(get_fn(page, None, body).api_name)
        client = request.client.host if request.client else ""
        if other := replaced(name, client):
            body.fn_index, body.data = endpoint_index(page, other), []
            return await push(body, request, username)
        values = list(body.data or ())
        is_queued, event, state = await push(body, request, username)
        if is_queued and isinstance(event, str):
            queued(name, event, values, client)
        return is_queued, event, state

    page._queue.push = observed
