"""Values between a panel of the page and the server."""

import json
from types import SimpleNamespace

import gradio as gr

from playground.ui.page.drawn_panel import drawn_panel, with_json


def test_a_large_value_goes_over_as_text_and_what_leaves_the_panel_as_it_is_does_not():
    value = {"race": [1, 2]}
    assert json.loads(with_json(lambda: value)()) == value
    panel, message = with_json(lambda: (value, value), 0)()
    assert json.loads(panel) == message == value
    assert with_json(lambda: (None, gr.skip()), 0, 1)() == [None, gr.skip()]
    assert json.loads(drawn_panel("race", large=True, value=value).value) == value
    steps = with_json(lambda count: (yield from ({"step": number} for number in range(count))))
    assert [json.loads(step) for step in steps(3)] == [{"step": 0}, {"step": 1}, {"step": 2}]


def test_a_handler_still_gets_the_request_of_its_page():
    """Gradio hands it over by the type of the parameter."""

    def handler(request: gr.Request, other: int):
        return f"{request.session_hash} {other}"

    with gr.Blocks() as page:
        panel, number = drawn_panel("race", large=True), gr.Number()
        number.change(with_json(handler), number, panel)
    [event] = page.fns.values()
    request = SimpleNamespace(session_hash="page")
    assert [request, 2] == gr.helpers.special_args(event.fn, [2], request=request)[0]
