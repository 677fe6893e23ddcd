"""Expected speed: what drafting is worth by the formulas, where it breaks even, and the reader's own runs beside it."""

from __future__ import annotations

import base64
import threading
from typing import Any

from playground.bench.batches import measure_batches
from playground.errors import PlaygroundError
from playground.lab.expected_speed import expected_speed
from playground.lab.load import under_load
from playground.trace import event_to_dict, from_bytes
from playground.ui.lab.panel import answered, whole_field
from playground.ui.live.device import on_device
from playground.ui.page.model_chooser import BUNDLED, chosen_models
from playground.words import word

WHOLE = ("draft_length", "num_nodes", "children", "num_beams", "num_draws")
LOAD_COUNTS = ("batch", "draft_length", "num_experts", "per_token")
REAL = ("cost_ratio", "per_node", "bytes_per_parameter", "layer_acceptance", "falling")
_measuring = threading.Lock()


@answered
def ask(request: dict[str, Any]) -> dict[str, Any]:
    """Answers the section's questions: numbers while one drags, and the events of a trace file that was opened."""
    if request["kind"] == "trace":
        trace = from_bytes(base64.b64decode(request["content"]), str(request["name"]))
        return {"events": [event_to_dict(event) for event in trace.events]}
    if request["kind"] == "load":
        fields: dict[str, Any] = {name: whole_field(request, name) for name in LOAD_COUNTS}
        fields |= {name: float(request[name]) for name in ("cost_ratio", "round_ms", "expert_share", "arrivals_per_s")}
        fields |= {name: str(request[name]) for name in ("table", "costs")}
        return under_load(float(request["rate"]), **fields)
    if request["kind"] == "batches":
        return _measured_batches(whole_field(request, "draft_length"))
    if request["kind"] != "speed":
        raise PlaygroundError(word("lab_error_question"))
    sliders: dict[str, Any] = {name: whole_field(request, name) for name in WHOLE}
    sliders |= {name: float(request[name]) for name in REAL}
    passing = [float(chance) for chance in request["passing"]]
    return expected_speed(passing, nodes_cost=str(request["nodes_cost"]), **sliders)


def _measured_batches(draft_length: int) -> dict[str, Any]:
    """Measure batches of the bundled pair, with the device held for one batch at a time; one client's at a time."""
    if not _measuring.acquire(blocking=False):
        return {"wait": True}  # the page asks again
    try:
        pair = chosen_models(BUNDLED, None, None).load()
        return measure_batches(pair.target, pair.draft, draft_length, turn=on_device)
    finally:
        _measuring.release()
