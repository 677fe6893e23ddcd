"""Expected speed: what drafting is worth by the formulas, where it breaks even, and the reader's own runs beside it."""

import threading
from typing import Any

from msgspec.structs import asdict

from playground.bench.batches import measure_batches
from playground.lab.expected_speed import expected_speed
from playground.lab.load import under_load
from playground.trace import event_to_dict, from_bytes
from playground.ui.contract.lab import Batches, Load, OpenTrace, Speed, Wait
from playground.ui.lab.panel import answers
from playground.ui.live.device import on_device
from playground.ui.page.model_chooser import BUNDLED, chosen_models

_measuring = threading.Lock()


@answers(Speed | Load | Batches | OpenTrace)
def ask(question: Speed | Load | Batches | OpenTrace) -> dict[str, Any]:
    """Answers the section's questions: numbers while one drags, and the events of a trace file that was opened."""
    if isinstance(question, Speed):
        return expected_speed(**asdict(question))
    if isinstance(question, Load):
        return under_load(**asdict(question))
    if isinstance(question, Batches):
        return _measured_batches(question.draft_length)
    trace = from_bytes(question.content, question.name)
    return {"events": [event_to_dict(event) for event in trace.events]}


def _measured_batches(draft_length: int) -> dict[str, Any]:
    """Measure batches of the bundled pair, with the device held for one batch at a time; one client's at a time."""
    if not _measuring.acquire(blocking=False):
        return asdict(Wait())
    try:
        pair = chosen_models(BUNDLED, None, None).load()
        return measure_batches(pair.target, pair.draft, draft_length, turn=on_device)
    finally:
        _measuring.release()
