"""Freed memory goes back to the system."""

import gc
import weakref
from types import SimpleNamespace

import pytest

from playground.models.sources import placement


@pytest.mark.parametrize("there", [True, False])
def test_garbage_goes_first_and_another_c_library_has_nothing_to_trim(monkeypatch, there):
    class Node:
        pass

    node, trimmed = Node(), []
    node.itself, gone = node, weakref.ref(node)
    del node
    library = SimpleNamespace(malloc_trim=lambda _: trimmed.append(gone() is None)) if there else SimpleNamespace()
    monkeypatch.setattr(placement.ctypes, "CDLL", lambda _: library)
    gc.disable()
    try:
        placement.collect()
    finally:
        gc.enable()
    assert gone() is None and trimmed == [True] * there
