"""The explanation why runs were not faster, in Watch and in a race: its panel, and what its numbers come from."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import gradio as gr

from playground.bench.calibration import calibrate, fastest_of
from playground.decoding.method import make_method
from playground.errors import PlaygroundError
from playground.metrics.diagnosis import Diagnosis, diagnose
from playground.metrics.doubt import doubt
from playground.theory.cost_model import Costs
from playground.trace.events import Trace
from playground.ui.page.drawn_panel import drawn_panel

REPEATS = 2  # Runs with impossible times are made again so often.


def why_box(elem_id: str) -> gr.HTML:
    """Return the panel of an explanation; its value is what `views.why_not_faster.why_panel` gives."""
    return drawn_panel("why", large=True, value=None, elem_id=elem_id)


def accepted_length(length: int | None, method: str, options: dict[str, float]) -> int | None:
    """Return the draft length that is predicted to do better, if there is one and the method can have it."""
    if length:
        with suppress(PlaygroundError):
            make_method(method, options | {"draft_length": length})
            return length
    return None


def believed(
    traces: list[Trace],
    plain_s: float,
    models: tuple[Any, Any],
    again: Callable[[], tuple[list[Trace], float]],
) -> tuple[Diagnosis | None, Costs]:
    """Diagnose runs by costs that are measured now: once more where the times are impossible.

    Then the machine was not equally busy for all that was measured.

    Args:
        traces: of one method with the same options.
        plain_s: seconds per token of plain decoding beside them.
        models: target and draft.
        again: gives the runs and the seconds to diagnose next: those of before, or made once more.
    """
    costs = calibrate(*models)
    diagnosis = diagnose(traces, costs, plain_s)
    for _ in range(REPEATS):
        if diagnosis is None or not doubt(diagnosis, costs):
            break
        traces, plain_s = again()
        costs = fastest_of([costs, calibrate(*models)])
        diagnosis = diagnose(traces, costs, plain_s)
    return diagnosis, costs
