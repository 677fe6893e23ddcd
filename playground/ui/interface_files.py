"""Gradio's import, without the interface files that it writes beside itself for editors, at every start."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def unwritten() -> Iterator[None]:
    """While this lasts, Gradio takes its components for ones without a source, of which it writes nothing.

    Writing them was a good part of the time until the page is there.
    """
    known = inspect.getfile

    def unknown(_: Any) -> str:
        raise OSError("without a source")

    inspect.getfile = unknown
    try:
        yield
    finally:
        inspect.getfile = known
