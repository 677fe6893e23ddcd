"""Trials of a stranger's tokenizer and chat template in a confined process; a tokenizer that passed is remembered."""

import json
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from playground.child import Bounds, BrokenOffError, ask
from playground.errors import PlaygroundError
from playground.models.sources.admission import limits
from playground.models.sources.admission.folder import TOKENIZER, check_folder, is_own
from playground.models.sources.admission.limits import refuse

MODULE = "playground.models.sources.admission.trial"
OF_TOKENIZER = Bounds(1_500_000_000, 8)  # Gemma 3's takes 0.5 GB and 3 s.
OF_TEXT = Bounds(OF_TOKENIZER.memory_bytes, 3)  # Others wait meanwhile.
OF_TEMPLATE = Bounds(1_000_000_000, 3)
TURN_LETTERS = 1_000_000  # of a message as a template writes it
MOST_TURNS = 16  # that are remembered

BY_NAME = {
    "tokens": limits.VOCABULARY,
    "added": limits.ADDED_TOKENS,
    "letters": limits.TOKEN_LETTERS,
    "growth": limits.GROWTH,
    "precompiled": limits.PRECOMPILED_BYTES,
    "pieces": limits.TEMPLATE_PIECES,
    "expression": limits.EXPRESSION_LETTERS,
    "none": limits.Limit(0, "published decoders have none of their own"),
}
_are_known: dict[tuple[str, int, int], bool] = {}  # by path, size and time of a tokenizer.json that passed its trial

_turns: dict[str, str] = {}  # by the request: one is written before a run has the device, and read when it has


def admit(folder: Path, title: str, stop: Callable[[], bool] = lambda: False) -> None:
    """Admit a model's folder: its files by their headers, its tokenizer by a trial.

    Args:
        stop: once it says True, the trial ends.

    Raises:
        PlaygroundError: naming the file, the key and the bound; StoppedError where it was stopped.
    """
    check_folder(folder, title)
    guard_of(folder, title, stop)


def guard_of(folder: Path, title: str, stop: Callable[[], bool] = lambda: False) -> Callable[[str], None] | None:
    """Return a check of each text that a tokenizer is to encode; None where none can do harm, as its parts are known.

    Raises:
        PlaygroundError: if the tokenizer does not pass its trial.
    """
    file = folder / TOKENIZER
    if is_own(folder) or not file.is_file():
        return None
    status = file.stat()
    state = (str(file), status.st_size, status.st_mtime_ns)
    if state not in _are_known:
        _are_known[state] = _try_tokenizer(file, title, stop)
    return None if _are_known[state] else lambda text: _try_text(*state, title, text)


def render_turn(template: str, variables: dict[str, Any], stop: Callable[[], bool] = lambda: False) -> str:
    """Render a chat template in a confined process.

    Raises:
        PlaygroundError: with the reason, if it fails, takes too long or writes too much; StoppedError if stopped.
    """
    request = {"kind": "chat", "template": template, "variables": variables}
    key = json.dumps(request)
    if key in _turns:
        return _turns[key]
    try:
        reply = ask(MODULE, request, bounds=OF_TEMPLATE, stop=stop)
    except BrokenOffError as error:
        raise PlaygroundError(f"it {error}") from None
    if "problem" in reply:
        raise PlaygroundError(reply["problem"])
    if len(reply["text"]) > TURN_LETTERS:
        raise PlaygroundError(f"it writes {len(reply['text']):,} letters, and may write {TURN_LETTERS:,}")
    if len(_turns) >= MOST_TURNS:
        _turns.clear()
    _turns[key] = reply["text"]
    return reply["text"]


def _try_tokenizer(file: Path, title: str, stop: Callable[[], bool]) -> bool:
    """Try a tokenizer, and return whether all of its expressions are known to go back over no long text."""
    most = {name: int(limit.most) for name, limit in BY_NAME.items()}
    reply = _ask(title, {"kind": "tokenizer", "file": str(file), "limits": most}, OF_TOKENIZER, stop)
    if "limit" in reply:
        refuse(title, file.name, reply["key"], reply["number"], BY_NAME[reply["limit"]])
    return reply["is_known"]


@lru_cache(maxsize=64)
def _try_text(file: str, size: int, time_ns: int, title: str, text: str) -> None:
    """Try a text on a tokenizer that has expressions of its own."""
    _ask(title, {"kind": "encode", "file": file, "text": text}, OF_TEXT, lambda: False)


def _ask(title: str, request: dict[str, Any], bounds: Bounds, stop: Callable[[], bool]) -> dict[str, Any]:
    """Ask the process; a problem becomes a sentence."""
    try:
        reply = ask(MODULE, request, bounds=bounds, stop=stop)
        problem = reply.get("problem")
    except BrokenOffError as error:
        reply, problem = {}, f"reading it {error}"
    if problem:
        raise PlaygroundError(f"{title} cannot be read: {TOKENIZER}: {problem}. Choose another model.")
    return reply
