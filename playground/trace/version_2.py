"""A trace of version 2, of November 2026, as one of version 3: fields and outcomes have the field's words since, and a
verdict's reason is a code. The page opens such files by the same table, in assets/player/trace/version_2.js."""

import re
from functools import cache
from typing import Any

from playground.files import read_json
from playground.paths import ASSETS

REASONS = ASSETS / "reasons_version_2.json"  # the sentences of that version by the codes of today
FIELDS: dict[str, dict[str, str]] = {  # by event of version 2
    "drafted": {"layer": "depth", "writers": "draft_models"},
    "scored": {"cached": "num_cached"},
    "judged": {"coins": "uniforms"},
    "committed": {"kept": "text_offset"},
    "run_finished": {"reason": "finish_reason", "num_judged": "num_tested"},
}
EVENTS = {"judged": "verified"}
OUTCOMES = {"unjudged": "not_tested"}
WORKINGS: dict[str, dict[str, str]] = {  # by kind
    "recursive": {"rests": "residuals"},
    "importance": {"law": "distribution"},
    "relaxed": {"layer": "depth"},
    "beam_width": {"layer": "depth"},
    "joint_search": {"layer": "depth"},
    "typical": {"bars": "thresholds"},
    "suffix": {"places": "indices", "num_places": "num_indices"},
}


def updated(event: Any) -> Any:
    """Convert an event of version 2 to version 3; what is not an event stays as it is, to be refused later."""
    if not isinstance(event, dict) or not isinstance(event.get("event"), str):
        return event
    name = event["event"]
    new = _renamed(event, FIELDS.get(name, {})) | {"event": EVENTS.get(name, name)}
    outcomes, workings, reasons = (new.get(column) for column in ("outcomes", "workings", "reasons"))
    if isinstance(outcomes, list):
        new["outcomes"] = [OUTCOMES.get(each, each) if isinstance(each, str) else each for each in outcomes]
    if isinstance(workings, list):
        new["workings"] = [_working(each) for each in workings]
    if isinstance(reasons, list) and all(isinstance(each, str) for each in reasons):
        _give_codes(new)
    if new.get("branch") == {}:
        del new["branch"]
    return new


def _renamed(data: dict[str, object], names: dict[str, str]) -> dict[str, object]:
    return {names.get(name, name): value for name, value in data.items()}


def _working(working: Any) -> Any:
    kind = working.get("kind") if isinstance(working, dict) else None
    return _renamed(working, WORKINGS.get(kind, {})) if isinstance(kind, str) else working


def _give_codes(event: dict[str, Any]) -> None:
    """Codes in place of sentences; a sentence without a code is kept as it is."""
    reasons = [_reason(sentence) for sentence in event["reasons"]]
    event["reasons"] = [code for code, _ in reasons]
    if any(values for _, values in reasons):
        event["reason_values"] = [values for _, values in reasons]


def _reason(sentence: str) -> tuple[str, dict[str, float]]:
    parts = [_code(each) for each in re.split(r"(?<=\.) (?=[A-Z])", sentence)]
    if not all(code for code, _ in parts):
        return sentence, {}
    return "+".join(code for code, _ in parts), {name: value for _, values in parts for name, value in values.items()}


def _code(sentence: str) -> tuple[str, dict[str, float]]:
    for code, pattern in _patterns():
        if match := pattern.fullmatch(sentence):
            texts = match.groupdict().items()
            return code, {name: float(each.rstrip("%")) / (100 if "%" in each else 1) for name, each in texts}
    return "", {}


@cache
def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    """(code, pattern) of every sentence: its words as they are, with a group for each number."""
    number = r"(-?[0-9.]+(?:e[-+]?[0-9]+)?%?|inf)"
    patterns = []
    for code, template in read_json(REASONS).items():
        parts, seen = re.split(r"\{(\w+)\}", template), set[str]()
        text = re.escape(parts[0])
        for name, words in zip(parts[1::2], parts[2::2], strict=True):
            text += (f"(?P={name})" if name in seen else f"(?P<{name}>{number[1:-1]})") + re.escape(words)
            seen.add(name)
        patterns.append((code, re.compile(text)))
    return patterns
