"""Best drafter: how likely one draft of each drafter is accepted, at every position of texts that the target wrote."""

from functools import cache
from typing import Any

from playground.ui.contract.lab import Positions
from playground.ui.lab.panel import answers
from playground.ui.recorded import file_of, provenance, read

KIND = "positions"  # of the recording


@answers(Positions)
def ask(_: Positions) -> dict[str, Any]:
    """Answers the section's only question: the positions that were recorded, and their means by kind of text."""
    return _positions()


@cache
def _positions() -> dict[str, Any]:
    recording = read(file_of(KIND), KIND, press="`python -m tests.renew --only positions`")
    return {name: recording[name] for name in ("drafters", "texts", "means", "top_p")} | {
        "recorded": provenance(recording)
    }
