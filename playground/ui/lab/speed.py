"""Expected speed: what drafting is worth by the formulas, where it breaks even, and the reader's own runs beside it."""

import threading
from typing import Any

from playground.bench.batches import measure_batches
from playground.lab.expected_speed import expected_speed
from playground.lab.load import under_load
from playground.trace import event_to_dict, from_bytes
from playground.ui.lab.panel import answers
from playground.ui.live.device import on_device
from playground.ui.page.model_chooser import BUNDLED, chosen_models

_measuring = threading.Lock()


def open_trace(name: str, content: bytes) -> dict[str, object]:
    """Return the events of a trace file, whose content goes over in base64."""
    return {"events": [event_to_dict(event) for event in from_bytes(content, name).events]}


def batches(draft_length: int) -> dict[str, Any]:
    """Measure batches of the bundled pair, with the device held for one batch at a time; one client's at a time."""
    if not _measuring.acquire(blocking=False):
        return {"wait": True}  # it is asked again in a moment
    try:
        pair = chosen_models(BUNDLED, None, None).load()
        return measure_batches(pair.target, pair.draft, draft_length, turn=on_device)
    finally:
        _measuring.release()


ask = answers(speed=expected_speed, load=under_load, batches=batches, open_trace=open_trace)
