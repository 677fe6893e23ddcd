"""Your server: what it recorded of its speculation, opened, added up and explained."""

import threading
from base64 import b64encode
from typing import Any

from playground import child
from playground.errors import PlaygroundError
from playground.files import is_packed
from playground.servers.server_log import reply
from playground.servers.words import NAMES
from playground.ui.contract.lab import Log, Names
from playground.ui.lab.panel import answers
from playground.words import word

MOST_BYTES = 10_000_000  # The page says the same before it sends any.
AT_ONCE = 50_000  # bytes that are read here; a longer log is read in a child, which the page's answers do not wait for
BOUNDS = child.Bounds(memory_bytes=1_000_000_000, processor_s=5)  # The child that reads a long log is held to them.
MOST_READING = 2  # So many are read at once, each in one of the page's forty threads.
_slots = threading.BoundedSemaphore(MOST_READING)


@answers(Names | Log)
def ask(question: Names | Log) -> dict[str, Any]:
    """Answers the section's questions: the card of names, and a file's numbers under the reader's costs."""
    if isinstance(question, Names):
        return {"names": [list(each) for each in NAMES]}
    if len(question.content) > MOST_BYTES:
        raise PlaygroundError(word("log_too_long"))
    draft_cost, verify_cost = question.draft_cost, question.verify_cost
    if (draft_cost is not None and not 0 <= draft_cost <= 100) or not 0 < verify_cost <= 100:
        raise PlaygroundError(word("log_bad_costs"))
    if not _slots.acquire(blocking=False):
        raise PlaygroundError(word("log_busy"))
    content, costs = b64encode(question.content).decode(), {"draft_cost": draft_cost, "verify_cost": verify_cost}
    request = {"content": content, "most": MOST_BYTES, **costs}
    try:
        if len(question.content) <= AT_ONCE and not is_packed(question.content):
            return reply(request)
        return child.ask("playground.servers.server_log", request, bounds=BOUNDS)
    except child.BrokenOffError as error:
        raise PlaygroundError(word("log_broke_off", why=error.args[0])) from None
    finally:
        _slots.release()
