"""Expected speed: what drafting is worth by the formulas, where it breaks even, and the reader's own runs beside it."""

from __future__ import annotations

import base64
from typing import Any

from playground.errors import PlaygroundError
from playground.lab.expected_speed import expected_speed
from playground.lab.load import under_load
from playground.trace import event_to_dict, from_bytes
from playground.ui.lab.panel import answered, whole_field
from playground.words import word

WHOLE = ("draft_length", "num_nodes", "children", "num_beams", "num_draws")
LOAD_COUNTS = ("batch", "draft_length", "num_experts", "per_token")
REAL = ("cost_ratio", "per_node", "bytes_per_parameter", "layer_acceptance", "falling")


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
    if request["kind"] != "speed":
        raise PlaygroundError(word("lab_error_question"))
    sliders: dict[str, Any] = {name: whole_field(request, name) for name in WHOLE}
    sliders |= {name: float(request[name]) for name in REAL}
    passing = [float(chance) for chance in request["passing"]]
    return expected_speed(passing, nodes_cost=str(request["nodes_cost"]), **sliders)
