"""Acceptance: two small distributions that one can drag, and what every rule makes of them, exactly."""

from typing import Any

from playground.lab import acceptance as acceptance_lab
from playground.ui.contract.lab import Curve, Position
from playground.ui.lab.panel import answers
from playground.ui.page.checks import whole
from playground.words import word

# The target's first token in the two halves of the importance-sampling paper's figure. The text that we have leaves
# both numbers out. It says that the simple rules reach 1 only at p = q, so one half has 1/3; the other's is ours.
UNIFORM_TARGETS = {"uniform_draft": 1 / 3, "uniform_draft_right": 1 / 6}


@answers(Position | Curve)
def ask(question: Position | Curve) -> dict[str, Any]:
    """Answers the lab's questions while one drags."""
    rows = question.target, question.draft
    num_drafts = whole(question.num_drafts, word("lab_error_field_num_drafts"), 1, acceptance_lab.MAX_DRAFTS)
    if isinstance(question, Position):
        return acceptance_lab.one_position(*rows, num_drafts, question.rule)
    if question.curve == "bernoulli":  # named as links have it, from when it was a curve
        return {"square": acceptance_lab.square(num_drafts), "value": None}
    if question.curve == "flatness":
        return acceptance_lab.flatness(num_drafts)
    if question.curve == "towards":
        position = acceptance_lab.one_position(*rows, num_drafts, "recursive")  # refuses what cannot be shown
        return acceptance_lab.towards(position["target"], position["draft"], num_drafts)
    first = UNIFORM_TARGETS[question.curve]
    return acceptance_lab.uniform_draft(first, num_drafts) | {"value": first}
