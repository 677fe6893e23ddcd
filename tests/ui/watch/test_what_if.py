"""The handler of a branch, called as a plain function."""

import pytest

from playground.decoding.method import make_method
from playground.models.loading import LoadedPair
from playground.trace import validate
from playground.ui.contract.from_page import WhatIf
from playground.ui.page.files import shown_trace
from playground.ui.watch import what_if
from playground.ui.watch.player_panel import recorded_value, sizes
from tests.decoding.runs import DRAFT, TARGET, chosen, request, trace_of

BUNDLED = ("bundled", "", "")


@pytest.fixture
def shown(monkeypatch):
    """A run of the toys on the stage, whose models are those that the page has chosen."""
    monkeypatch.setattr(what_if, "chosen_models", lambda *_: chosen(LoadedPair(TARGET, DRAFT)))
    trace = trace_of(request(make_method("speculative_sampling"), seed=4))
    assert trace.started.prompt == ""
    return recorded_value(trace)


def test_a_branch_comes_onto_the_stage_and_says_which_run_it_is_of(shown):
    value, message = what_if.answered(shown, WhatIf(2, options={"draft_length": 6}), *BUNDLED)
    made = shown_trace(value)
    validate(made)
    assert message["kind"] == "quiet" and "round 2" in message["text"]
    assert made.started.branch.options == {"draft_length": 6} and value["branch_of"] == shown["run"]
    _, message = what_if.answered(value, WhatIf(1, options={"draft_length": 1}), *BUNDLED)
    assert message["text"] == what_if.OF_A_BRANCH


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        (WhatIf(2, node=5), "one change"),
        (WhatIf(999, options={"draft_length": 6}), "no round 999"),
        (WhatIf(2, node=99_999, outcome="accepted"), "drafted no token"),
    ],
)
def test_what_cannot_be_leaves_the_stage_as_it_is(shown, wish, said):
    value, message = what_if.answered(shown, wish, *BUNDLED)
    assert message["kind"] == "error" and said in message["text"]
    assert "chunks" not in value


def test_every_method_that_drafts_has_a_size_to_change():
    assert [name for name, each in sizes().items() if not each] == ["autoregressive"]
