"""The JSON Schema of a trace file, and whether an event has the shape that it asks for.

The schema is assets/trace.schema.json. It knows the shape of every event and the range of every number; what the events
must add up to is in laws.py, and what is wrong with one that does not fit, in faults.py.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from playground.paths import ASSETS
from playground.trace.fits import Check, fitting

SCHEMA_PATH = ASSETS / "trace.schema.json"
EVENT_NAMES = ("run_started", "drafted", "scored", "judged", "committed", "run_finished")


@cache
def trace_schema() -> dict[str, Any]:
    """The JSON Schema of a trace file."""
    return json.loads(SCHEMA_PATH.read_text(encoding="utf-8"))


def fits_event(data: Any) -> bool:
    """Whether JSON data is an event: an object of a known kind, with the shape of that kind."""
    name = data.get("event") if isinstance(data, dict) else None
    return name in EVENT_NAMES and _fits(name)(data)


@cache
def _fits(name: str) -> Check:
    definitions = trace_schema()["$defs"]
    return fitting(definitions[name], definitions)
