"""Your server: what it recorded of its speculation, opened, added up and explained."""

from __future__ import annotations

import base64
import threading
from typing import Any

from playground.errors import PlaygroundError
from playground.lab.server_log import names, server_log
from playground.servers.reading import read_log
from playground.ui.lab.panel import answered
from playground.words import word

MOST_CHARACTERS = 13_400_000  # of base64: 10 MB, as the page says before it sends any
MOST_READING = 2  # at once, each in a thread of the page, of which there are forty
_slots = threading.BoundedSemaphore(MOST_READING)


@answered
def ask(request: dict[str, Any]) -> dict[str, Any]:
    """Answers the section's questions: the card of names, and a file's numbers under the reader's costs."""
    if request["kind"] == "names":
        return {"names": names()}
    if request["kind"] != "log" or not isinstance(request["content"], str):
        raise PlaygroundError("The lab does not know this question. Reload the page.")
    if len(request["content"]) > MOST_CHARACTERS:
        raise PlaygroundError(word("log_too_long"))
    draft_cost, verify_cost = request["draft_cost"], float(request["verify_cost"])
    if (draft_cost is not None and not 0 <= float(draft_cost) <= 100) or not 0 < verify_cost <= 100:
        raise PlaygroundError(word("log_bad_costs"))
    if not _slots.acquire(blocking=False):
        raise PlaygroundError(word("log_busy"))
    try:
        log = read_log(base64.b64decode(request["content"]), word("log_file"))
    finally:
        _slots.release()
    return server_log(log, None if draft_cost is None else float(draft_cost), verify_cost)
