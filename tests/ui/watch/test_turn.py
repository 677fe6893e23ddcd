"""A run from its button to its end: what is known of it before anybody pressed the button."""

from types import SimpleNamespace

import pytest

from playground.ui.live import turns, waits
from playground.ui.watch.form import WatchForm
from playground.ui.watch.turn import ask, rehearse

ONE, OTHER = (SimpleNamespace(session_hash=name) for name in ("one", "other"))


@pytest.fixture(autouse=True)
def nobody(monkeypatch):
    monkeypatch.setattr(turns, "_turns", {})
    waits.forget_all()
    yield
    waits.forget_all()


def test_once_the_server_has_rehearsed_how_long_the_very_first_will_wait_is_known():
    """By the run that the page offers, which is of the same kind as theirs."""
    for known in (False, True):
        if known:
            rehearse(WatchForm())
        ask(ONE, WatchForm())
        ask(OTHER, WatchForm(seed=1))
        assert (turns.wait_s("other") is not None) == known
        for session in ("one", "other"):
            turns.leave(session)
    assert not turns.others_are_there(""), "a rehearsal is nobody's run"
