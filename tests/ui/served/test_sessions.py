"""A session is small, and those of closed pages are forgotten."""

from types import SimpleNamespace

import gradio as gr
import pytest
from gradio.state_holder import StateHolder

from playground.ui.served.sessions import MOST_CLOSED_BYTES, Heartbeats, forget_closed, forget_values
from tests.ui.served.apart import apart


@pytest.fixture
def holder():
    with gr.Blocks() as page:
        gr.HTML("x" * 1000)
        gr.State(0, render=True)
    holder = StateHolder()
    page.state_session_capacity = 10
    holder.set_blocks(page)
    holder.state = next(key for key, block in page.blocks.items() if block.stateful)
    holder.shown = next(key for key, block in page.blocks.items() if isinstance(block, gr.HTML))
    return holder


def test_what_a_page_shows_is_dropped_and_its_state_is_kept(holder):
    session = holder["a"]
    session[holder.state] = 7
    session._update_value_in_config(holder.shown, "a run of four megabytes")
    assert "a run of four megabytes" in str(list(session.components))
    forget_values(holder)
    assert not list(session.components) and holder["a"][holder.state] == 7 and holder["b"][holder.state] == 0


def test_a_page_whose_values_were_dropped_goes_on(holder):
    session = holder["a"]
    forget_values(holder)
    session[holder.shown] = gr.HTML("another", render=False)
    session._update_value_in_config(holder.shown, "shown")
    assert "shown" in str(list(session.components))


def test_a_closed_page_is_forgotten_and_an_open_one_is_not(holder):
    holder["open"], holder["closed"]
    holder.session_data["closed"].is_closed = True
    forget_closed(holder)
    assert len(holder.session_data) == 2, "it may come back"
    forget_closed(holder, 0.0)
    assert list(holder.session_data) == list(holder.time_last_used) == ["open"]


def test_of_closed_pages_with_large_sweeps_those_used_last_are_kept(holder):
    for name in ("open", "small", "first", "second", "third"):
        large = 0 if name == "small" else MOST_CLOSED_BYTES // 2
        holder[name][holder.state] = SimpleNamespace(num_bytes=large)
        holder.session_data[name].is_closed = name != "open"
    forget_closed(holder)
    assert list(holder.session_data) == ["open", "small", "second", "third"]


@pytest.mark.parametrize(
    ("path", "closed"),
    [
        ("/gradio_api/heartbeat/abc", ["abc"]),
        ("/app/gradio_api/heartbeat/abc/", ["abc"]),
        ("/gradio_api/queue/data", []),
        ("/", []),
    ],
)
def test_a_page_is_closed_once_its_heartbeat_has_ended_however_it_ended(path, closed):
    told = []

    async def hangs_up(scope, receive, send):
        assert not told
        raise ConnectionError

    with pytest.raises(ConnectionError):
        apart(Heartbeats(hangs_up, told.append)({"type": "http", "path": path}, None, None))
    assert told == closed
