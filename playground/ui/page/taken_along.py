"""Where files lie that readers take along: each in a folder of its own, and for an hour; Gradio has a copy by then."""

from __future__ import annotations

import atexit
import shutil
import tempfile
import time
from functools import cache
from pathlib import Path

KEPT_S = 3600  # as long as Gradio keeps its copy


def folder_to_take() -> Path:
    """An empty folder. Those that are older than an hour go."""
    place, now = _place(), time.time()
    for each in place.iterdir():
        if now - each.stat().st_mtime > KEPT_S:
            shutil.rmtree(each, ignore_errors=True)
    return Path(tempfile.mkdtemp(dir=place))


@cache
def _place() -> Path:
    """The folder of this process, which goes with it."""
    place = Path(tempfile.mkdtemp(prefix="playground-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    return place
