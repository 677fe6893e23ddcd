"""Your server: what it recorded of its speculation, opened, added up and explained."""

import threading
from typing import Any

from playground.errors import PlaygroundError
from playground.servers.reading import read_log
from playground.servers.server_log import server_log
from playground.servers.words import NAMES
from playground.ui.contract.lab import Log, Names
from playground.ui.lab.panel import answers
from playground.words import word

MOST_BYTES = 10_000_000  # as the page says before it sends any
MOST_READING = 2  # at once, each in a thread of the page, of which there are forty
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
    try:
        log = read_log(question.content, word("log_file"), MOST_BYTES)
    finally:
        _slots.release()
    return server_log(log, draft_cost, verify_cost)
