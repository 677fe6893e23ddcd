"""For every test of the page: nobody else is there, and nothing is known or kept of the tests before."""

import threading
from collections import OrderedDict

import pytest

from playground.ui.live import turns
from playground.ui.watch import finished


@pytest.fixture(autouse=True)
def nobody(monkeypatch, tmp_path):
    monkeypatch.setattr(turns, "_turns", {})
    monkeypatch.setenv("PLAYGROUND_SWEEPS", str(tmp_path / "sweeps"))
    monkeypatch.setattr(turns, "_closed", threading.Event())
    monkeypatch.setattr(finished, "_runs", OrderedDict())
