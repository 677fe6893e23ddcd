"""Freed memory goes back to the system, and not while a run is timed."""

import gc
import weakref

import pytest

from playground.ui.live.device import device
from playground.ui.served import memory


@pytest.fixture
def trimmed(monkeypatch):
    """Whether somebody had the device, for each time that the C library was asked."""
    requests = []
    monkeypatch.setattr(memory, "_trim", lambda: lambda _: requests.append(device.locked()))
    return requests


def test_garbage_goes_first_and_nobody_runs_meanwhile(trimmed):
    class Node:
        pass

    node = Node()
    node.itself, gone = node, weakref.ref(node)
    del node
    gc.disable()
    try:
        memory.give_back()
    finally:
        gc.enable()
    assert gone() is None and trimmed == [True] and not device.locked()


@pytest.mark.parametrize("error", [AttributeError, OSError, TypeError])
def test_where_the_library_cannot_do_so_nothing_happens(monkeypatch, error):
    """Another C library has no such function, Windows no such way to ask for it."""

    def missing(_):
        raise error

    memory._trim.cache_clear()
    monkeypatch.setattr(memory.ctypes, "CDLL", missing)
    assert memory._trim()(0) == 0
    memory._trim.cache_clear()
