"""A session is small, those of closed pages are forgotten, and no more are kept than fit."""

from types import SimpleNamespace

import gradio as gr
import pytest

from playground.ui.served.sessions import MOST_CLOSED_BYTES, Sessions


@pytest.fixture
def sessions():
    with gr.Blocks() as page:
        gr.HTML("x" * 1000)
        gr.State(0, render=True)
    found = Sessions()
    found.set_blocks(page)
    found.capacity = 3
    found.state = next(key for key, block in page.blocks.items() if block.stateful)
    found.shown = next(key for key, block in page.blocks.items() if isinstance(block, gr.HTML))
    return found


def test_a_state_is_kept_by_session(sessions):
    sessions["a"][sessions.state] = 7
    assert sessions["a"][sessions.state] == 7 and sessions["b"][sessions.state] == 0


def test_what_a_page_shows_is_not_kept(sessions):
    session = sessions["a"]
    session._update_value_in_config(sessions.shown, "a run of four megabytes")
    session._update_config(sessions.shown)
    session[sessions.shown] = gr.HTML("another")
    assert not session.config_values and not list(session.components)


def test_the_one_that_was_not_used_for_longest_goes_first(sessions):
    for name in "abcad":
        sessions[name]
    assert list(sessions.session_data) == ["c", "a", "d"] and sessions.time_last_used.keys() == set("cad")


def test_a_closed_page_is_forgotten_and_an_open_one_is_not(sessions):
    sessions["open"], sessions["closed"]
    sessions.session_data["closed"].is_closed = True
    sessions.forget_closed()
    assert len(sessions.session_data) == 2, "it may come back"
    sessions.forget_closed(0.0)
    assert list(sessions.session_data) == ["open"]


def test_of_closed_pages_with_large_sweeps_those_used_last_are_kept(sessions):
    sessions.capacity = 10
    for name in ("open", "small", "first", "second", "third"):
        large = 0 if name == "small" else MOST_CLOSED_BYTES // 2
        sessions[name][sessions.state] = SimpleNamespace(num_bytes=large)
        sessions.session_data[name].is_closed = name != "open"
    sessions.forget_closed()
    assert list(sessions.session_data) == ["open", "small", "second", "third"]
