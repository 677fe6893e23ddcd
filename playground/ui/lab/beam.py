"""Beam width: how DSBD chooses how many beams a depth keeps, exactly and by simulation."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from playground.errors import PlaygroundError
from playground.lab import beam_width
from playground.ui.lab.panel import answered, whole_field
from playground.ui.live.device import a_run_is_timed
from playground.ui.live.worker import apart
from playground.ui.page.checks import whole
from playground.words import word

HIGHEST_SEED = 10_000
MOST_SIMULATING = 4  # one works, the others wait for it, each in a thread of the page, of which there are forty
_slots = threading.BoundedSemaphore(MOST_SIMULATING)


@answered
def ask(request: dict[str, Any]) -> dict[str, Any]:
    """Answers the section's questions: the width while one drags, simulations once one has let go."""
    if request["kind"] not in QUESTIONS:
        raise PlaygroundError(word("lab_error_question"))
    answer = QUESTIONS[request["kind"]]
    if request["kind"] == "width":
        return answer(request)
    if a_run_is_timed() or not _slots.acquire(blocking=False):
        return {"wait": True}  # the page asks again
    try:
        return answer(request)
    finally:
        _slots.release()


def _rows(request: dict[str, Any]) -> tuple[list[float], list[float]]:
    return [float(value) for value in request["target"]], [float(value) for value in request["draft"]]


def _setup(request: dict[str, Any]) -> dict[str, Any]:
    return {name: whole_field(request, name) for name in ("num_draws", "min_width", "num_layers")} | {
        "threshold": float(request["threshold"])
    }


def _width(request: dict[str, Any]) -> dict[str, Any]:
    return beam_width.chosen_width(*_rows(request), **_setup(request))


def _depth(request: dict[str, Any]) -> dict[str, Any]:
    options = {"num_draws": whole_field(request, "num_draws"), "seed": _seed(request)}
    return apart(beam_width.simulated_counts, *_rows(request), **options)


def _rounds(request: dict[str, Any]) -> dict[str, Any]:
    return apart(beam_width.simulated_rounds, *_rows(request), **_setup(request), seed=_seed(request))


def _seed(request: dict[str, Any]) -> int:
    return whole(request["seed"], word("field_seed"), 0, HIGHEST_SEED)


QUESTIONS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {"width": _width, "layer": _depth, "rounds": _rounds}
