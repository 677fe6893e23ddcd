"""Time of a sweep, estimated from plain decoding that has warmed up."""

from playground.ui.sweep import pace
from playground.ui.sweep.setup import sweep_setup
from tests.ui.sweep.sweeps import form


def test_the_first_tokens_of_a_session_do_not_count(monkeypatch):
    """They compile and fill caches: here they take a hundred times as long as those that follow."""
    seconds = iter([0.2, 0.002, 0.002, 0.002])
    monkeypatch.setattr(pace, "_seconds", type(pace._seconds)(pace._seconds.default_factory))
    monkeypatch.setattr(pace, "plain_step_s", lambda _: next(seconds))
    assert "(500 tokens/s)" in pace.roughly(sweep_setup(form()))
