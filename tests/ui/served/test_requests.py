"""A program's request in the queues of the pages: its turn, its end with its client, and a few at a time."""

from types import SimpleNamespace

import gradio as gr
import pytest
from gradio.data_classes import PredictBodyInternal

from playground.errors import PlaygroundError
from playground.ui import programs
from playground.ui.live import turns
from playground.ui.served.requests import device_queue
from tests.ui.served.apart import apart

NAMES = ("run", "compare")


@pytest.fixture
def page(monkeypatch):
    """Its queue takes requests in, and nobody takes them out."""
    with gr.Blocks() as page:
        programs.build()
    page.queue()
    page.validate_queue_settings()
    programs.admit(page)
    monkeypatch.setattr(turns, "waiting_events", lambda: device_queue(page))
    return page


def asked(page, name, *values, client="10.0.0.1"):
    """The event of a request, and the endpoint that will answer it."""
    [number] = [number for number, fn in page.fns.items() if fn.api_name == name]
    request = SimpleNamespace(client=SimpleNamespace(host=client))
    body = PredictBodyInternal(fn_index=number, data=list(values))
    _, event, state = apart(page._queue.push(body, request, None))
    assert state == "success"
    return event, page._queue.event_ids_to_events[event].fn.api_name


def hang_up(page, event):
    apart(page._queue.clean_events(session_hash=event))


def test_a_page_waits_behind_a_programs_run_in_the_line_of_runs_and_behind_a_comparison_in_that_of_races(page):
    for name, values, ahead in (
        ("compare", ["rsd_s"], (0, 1)),
        ("run", ["speculative_sampling", "Once", 1.0, 0, 1.0, 0, 64], (1, 1)),
    ):
        asked(page, name, *values)
        turns.ask(f"visitor of {name}")
        turns.ask(f"racer of {name}", programs.RACE)
        assert (turns.ahead(f"visitor of {name}"), turns.ahead(f"racer of {name}")) == ahead
        for session in ("visitor", "racer"):
            turns.leave(f"{session} of {name}")


@pytest.mark.parametrize("name", NAMES)
def test_a_client_has_a_few_requests_at_a_time_and_its_next_is_answered_with_a_sentence(page, name):
    answered_by = [asked(page, name)[1] for _ in range(programs.MOST_OF_CLIENT + 2)]
    assert answered_by == [name] * programs.MOST_OF_CLIENT + [programs.REFUSAL] * 2
    assert asked(page, name, client="10.0.0.2")[1] == name, "others have theirs"
    with pytest.raises(gr.Error, match=r"requests of yours wait or go on already\."):
        programs.refuse()


@pytest.mark.parametrize("name", NAMES)
def test_a_client_that_hangs_up_is_waited_for_no_longer_and_makes_room(page, name):
    events = [asked(page, name)[0] for _ in range(programs.MOST_OF_CLIENT)]
    hang_up(page, events[0])
    assert asked(page, name)[1] == name
    for event in events[1:]:
        hang_up(page, event)
    turns.ask("visitor", programs.TURNS[name])
    assert turns.ahead("visitor") == 1


def test_a_run_that_has_begun_is_over_once_its_client_has_hung_up(page):
    event, _ = asked(page, "run")
    turn = turns.next_turn(event)
    turns.begin(turn)
    page._queue.active_jobs = [[page._queue.event_ids_to_events[event]]]
    assert not turn.is_over()
    hang_up(page, event)
    assert turn.is_over() and turn.stop.is_set()


def test_what_takes_no_device_is_not_counted(page):
    for _ in range(programs.MOST_OF_CLIENT + 1):
        assert asked(page, "methods")[1] == "methods"
    assert not turns.num_of_client("10.0.0.1")


def test_once_the_server_is_ending_a_request_says_so(page):
    turns._closed.set()
    asked(page, "run")
    with pytest.raises(PlaygroundError, match="The server is ending"):
        programs.run()
