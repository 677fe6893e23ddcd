"""Best drafter: how likely one draft of each drafter is accepted, at every position of texts that the target wrote."""

from __future__ import annotations

from typing import Any

from playground.errors import PlaygroundError
from playground.ui.lab.panel import answered
from playground.ui.recorded.file import file_of
from playground.ui.recorded.positions import KIND, read_positions
from playground.words import word


@answered
def ask(request: dict[str, Any]) -> dict[str, Any]:
    """Answers the section's only question: the positions that were recorded, and their means by kind of text."""
    if request["kind"] != "positions":
        raise PlaygroundError(word("lab_error_question"))
    return read_positions(file_of(KIND))
