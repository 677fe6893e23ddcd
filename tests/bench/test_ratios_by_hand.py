"""The numbers of `benchmark` and of a calibration, from seconds, tokens and bytes that are written by hand."""

from types import SimpleNamespace

import pytest
import torch

from playground.bench.calibration import ROUNDS, SIZES, expected_s
from playground.makers.engine import chat, growth, rivals
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


def test_parts_of_a_round_are_of_the_repeat_that_was_fastest_a_token(monkeypatch):
    slow = {"tokens": 2, "rounds": 1, "clock_s": 1.0, "draft_s": 0.2, "verify_s": 0.7, "other_s": 0.1}
    fast = {"tokens": 12, "rounds": 4, "clock_s": 3.0, "draft_s": 1.0, "verify_s": 1.8, "other_s": 0.2}
    sums = iter([slow, fast])
    monkeypatch.setattr(rivals, "_sums", lambda _: next(sums))
    rates = {"tokens_per_s": 4.0, "tokens_a_round": 3.0, "ms_a_round": 750.0}
    parts = {"draft_ms": 250.0, "verify_ms": 450.0, "other_ms": 50.0}
    assert rivals.parts_of_a_round(["a"], 2) == pytest.approx(rates | parts)


def test_a_run_on_a_chat_model_has_its_tokens_by_the_clock_and_by_the_round(play):
    play(chat, [Round(nodes=[1, 2], clock_s=0.2), Round(nodes=[3], clock_s=0.3), Round(nodes=[4, 5, 6], clock_s=0.5)])
    assert chat._run("a") == chat.Outcome(12.0, 2.0)


def test_the_speed_of_reading_is_that_of_the_fastest_read(monkeypatch):
    seconds = iter([0.5, 0.25, 1.0])
    monkeypatch.setattr(growth, "_seconds", lambda *_: next(seconds))
    assert growth._read_speed(torch.ones(4, 4)) == 64 / 0.25


def test_a_calibration_is_foretold_by_the_draft_calls_of_the_run_each_as_long_as_its_depth():
    """Where the target took no time: every round drafted its depths in 3 s."""
    trace = speculative_trace()
    spent = {"verify_s": 0.0, "draft_s": 3.0}
    events = [replace(event, **spent) if isinstance(event, Committed) else event for event in trace.events]
    depths = {len(each.drafted) for each in trace.rounds if each.drafted}
    [depth] = depths
    drafted = sum(size - 1 for size in SIZES[1:]) * (ROUNDS + 1)
    assert expected_s(Trace(tuple(events))) == pytest.approx(drafted * 3.0 / depth)
