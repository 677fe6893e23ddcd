"""The numbers of `benchmark` and of a calibration, from seconds, tokens and bytes that are written by hand."""

from types import SimpleNamespace

import pytest

from playground.bench.calibration import ROUNDS, SIZES, expected_s
from playground.makers.engine import chat
from playground.trace.events import Committed, Trace
from tests.trace.example import replace, speculative_trace


class Round(SimpleNamespace):
    """The fields of one that a test needs."""


@pytest.fixture
def play(monkeypatch):
    """`play(module, *runs)`: what is decoded there from now on, one run after the other."""

    def play(module, *runs):
        each = iter(runs)
        monkeypatch.setattr(module, "decode", lambda _: next(each))
        monkeypatch.setattr(module, "Round", Round)
        monkeypatch.setattr(module, "replace", lambda request, **_: request)

    return play


def test_a_run_on_a_chat_model_has_its_tokens_by_the_clock_and_by_the_round(play):
    play(chat, [Round(nodes=[1, 2], clock_s=0.2), Round(nodes=[3], clock_s=0.3), Round(nodes=[4, 5, 6], clock_s=0.5)])
    assert chat._run("a") == chat.Outcome(12.0, 2.0)


def test_a_calibration_is_foretold_by_the_draft_calls_of_the_run_each_as_long_as_its_depth():
    """Where the target took no time: every round drafted its depths in 3 s."""
    trace = speculative_trace()
    spent = {"verify_s": 0.0, "draft_s": 3.0}
    events = [replace(event, **spent) if isinstance(event, Committed) else event for event in trace.events]
    depths = {len(each.drafted) for each in trace.rounds if each.drafted}
    [depth] = depths
    drafted = sum(size - 1 for size in SIZES[1:]) * (ROUNDS + 1)
    assert expected_s(Trace(tuple(events))) == pytest.approx(drafted * 3.0 / depth)
