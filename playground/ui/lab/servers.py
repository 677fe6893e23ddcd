"""Your server: what it recorded of its speculation, opened, added up and explained."""

import threading
from base64 import b64encode

from playground import child
from playground.errors import PlaygroundError
from playground.files import is_packed
from playground.servers.server_log import reply
from playground.servers.words import NAMES
from playground.ui.lab.panel import answers

MOST_BYTES = 10_000_000  # The page says the same before it sends any.
AT_ONCE = 50_000  # bytes that are read here; a longer log is read in a child, which the page's answers do not wait for
BOUNDS = child.Bounds(memory_bytes=1_000_000_000, processor_s=5)  # The child that reads a long log is held to them.
MOST_READING = 2  # So many are read at once, each in one of the page's forty threads.
_slots = threading.BoundedSemaphore(MOST_READING)


def names() -> dict[str, object]:
    """Return what servers call their numbers."""
    return {"names": [list(each) for each in NAMES]}


def log(content: bytes, draft_cost: float | None, verify_cost: float) -> dict[str, object]:
    """Return what a server recorded; its log goes over in base64, costs are in plain steps."""
    if len(content) > MOST_BYTES:
        raise PlaygroundError("The file is longer than 10 MB. Take the part of it that matters.")
    if (draft_cost is not None and not 0 <= draft_cost <= 100) or not 0 < verify_cost <= 100:
        raise PlaygroundError("The costs are in plain steps: a draft from 0 to 100, verifying above 0 and up to 100.")
    if not _slots.acquire(blocking=False):
        raise PlaygroundError("Other logs are being read. Try again in a moment.")
    costs = {"draft_cost": draft_cost, "verify_cost": verify_cost}
    request = {"content": b64encode(content).decode(), "most": MOST_BYTES, **costs}
    try:
        if len(content) <= AT_ONCE and not is_packed(content):
            return reply(request)
        return child.ask("playground.servers.server_log", request, bounds=BOUNDS)
    except child.BrokenOffError as error:
        raise PlaygroundError(f"The file {error.args[0]}. Take the part of it that matters.") from None
    finally:
        _slots.release()


ask = answers(names=names, log=log)
