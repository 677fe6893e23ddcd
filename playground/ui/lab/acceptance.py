"""Acceptance: two small distributions that one can drag, and what every rule makes of them, exactly."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from playground.errors import PlaygroundError
from playground.lab import acceptance as acceptance_lab
from playground.ui.lab.panel import answered
from playground.ui.page.checks import whole
from playground.words import word

# The target's first token in the two halves of the importance-sampling paper's figure. The text that we have leaves
# both numbers out. It says that the simple rules reach 1 only at p = q, so one half has 1/3; the other's is ours.
UNIFORM_TARGET, UNIFORM_TARGET_RIGHT = 1 / 3, 1 / 6


@answered
def ask(request: dict[str, Any]) -> dict[str, Any]:
    """Answers the lab's questions while one drags."""
    kind = request["kind"]
    if kind == "position":
        return acceptance_lab.one_position(
            _row(request["target"]), _row(request["draft"]), _num_drafts(request), str(request["rule"])
        )
    if kind in CURVES:
        return CURVES[kind](request)
    raise PlaygroundError(word("lab_error_question"))


def _num_drafts(request: dict[str, Any]) -> int:
    return whole(request["num_drafts"], word("lab_error_field_num_drafts"), 1, acceptance_lab.MAX_DRAFTS)


def _row(values: Any) -> list[float]:
    return [float(value) for value in values]


def _towards(request: dict[str, Any]) -> dict[str, Any]:
    # refuses what cannot be shown
    position = acceptance_lab.one_position(
        _row(request["target"]), _row(request["draft"]), _num_drafts(request), "recursive"
    )
    return acceptance_lab.towards(position["target"], position["draft"], position["num_drafts"])


def _uniform_draft(first: float, request: dict[str, Any]) -> dict[str, Any]:
    return acceptance_lab.uniform_draft(first, _num_drafts(request)) | {"value": first}


CURVES: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "towards": _towards,
    # named as links have it, from when it was a curve
    "bernoulli": lambda request: {"square": acceptance_lab.square(_num_drafts(request)), "value": None},
    "flatness": lambda request: acceptance_lab.flatness(_num_drafts(request)),
    "uniform_draft": partial(_uniform_draft, UNIFORM_TARGET),
    "uniform_draft_right": partial(_uniform_draft, UNIFORM_TARGET_RIGHT),
}
