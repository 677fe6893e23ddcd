"""A trace as a JSON file, and back.

The file is `{"format": "speculative-decoding-trace", "version": 3, "events": [...]}` with one event per line; the key
"event" names the event's class in snake case. Measured numbers are written with 6 significant digits (log-probabilities
with 9, because the perplexity is their exponential), everything else exactly: one number that is written in two places
is rounded alike in both; apart from that rounding, reading what was written gives the same trace. A field at its
default is left out. The text holds no "<" and only ASCII, so it can be embedded in an HTML script element.

A name that ends in ".gz" is written under gzip, which makes it three to eight times smaller; on reading, its content
says whether it is. A file is unpacked no further than a trace may be long, so one made to fill the memory cannot.

Reading trusts nothing: whatever is wrong with a file becomes one sentence that says where (faults.py). It checks types
and ranges (events.py), not what the events add up to (invariants.py). Files of version 2 open too (version_2.py).
"""

import gzip
import json
import math
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NoReturn, get_args

from msgspec import ValidationError, convert, to_builtins

from playground.errors import PlaygroundError, did_you_mean
from playground.files import export_file, is_packed, parse_json, unpack
from playground.trace import version_2
from playground.trace.events import Event, Trace
from playground.trace.faults import event_fault, shown
from playground.words import paragraph, word

FORMAT = "speculative-decoding-trace"
VERSION = 3
SUFFIX = ".json.gz"  # The files that we write end so.
MAX_BYTES = 10_000_000  # unpacked; some 4000 tokens, and checking takes about a second per megabyte
MAX_EVENTS = 200_000

_DIGITS = 6
_FIELD_DIGITS = {"log_probs": 9, "frontier_log_probs": 9}
_EXACT_DIGITS = 17  # in options, models, machine, energy: enough to give every float back
_RECORD_AGAIN = word("watch_error_record_again")

_CLASSES: dict[str, type[Event]] = {kind.__struct_config__.tag: kind for kind in get_args(Event)}


def event_name(event: Event) -> str:
    """Return the event's name in a file: its class in snake case."""
    return str(event.__struct_config__.tag)


def event_to_dict(event: Event) -> dict[str, object]:
    """Convert an event to JSON data, rounded as it would be in a file.

    Raises:
        PlaygroundError: if a number is not finite; JSON has no word for it.
    """
    data = {}
    for name, value in to_builtins(event, enc_hook=_builtin).items():  # without defaults
        digits = _EXACT_DIGITS if isinstance(value, dict) else _FIELD_DIGITS.get(name, _DIGITS)
        data[name] = _plain(value, digits, f"{event_name(event)}, {name}")
    return data


def events_json(events: Iterable[Event]) -> str:
    """Return events as one JSON array: a page compares and appends a string faster than what is in it."""
    return json.dumps([event_to_dict(event) for event in events], separators=(",", ":"))


def event_from_dict(data: Any, where: str = word("fault_the_event")) -> Event:
    """Make the event that JSON data describes; `where` begins the sentence that refuses it.

    Raises:
        PlaygroundError: if it is no event.
    """
    if not isinstance(data, dict):
        raise PlaygroundError(word("fault_no_event", event=where, value=shown(data)))
    name = data.get("event")
    if not isinstance(name, str) or name not in _CLASSES:
        hint = did_you_mean(name, _CLASSES) if isinstance(name, str) else ""
        raise PlaygroundError(paragraph(word("fault_unknown_kind", event=where, kind=shown(name)), hint))
    try:
        return convert(data, _CLASSES[name])
    except (ValidationError, UnicodeEncodeError) as error:
        raise PlaygroundError(event_fault(data, _CLASSES[name], error, where)) from None


def to_json(trace: Trace) -> str:
    """Write the trace as the text of a file: one event per line."""
    lines = ",\n".join(json.dumps(event_to_dict(event), separators=(",", ":")) for event in trace.events)
    text = f'{{"format":"{FORMAT}","version":{VERSION},"events":[\n{lines}\n]}}'
    return text.replace("<", "\\u003c")  # "<" can only be inside a string, where this spells it too


def from_json(text: str, source: str = "trace") -> Trace:
    """Read the trace that a file's text describes; `source` names the file in messages.

    Raises:
        PlaygroundError: if the text is not a trace, with the place and what to do.
    """
    if len(text) > MAX_BYTES:
        _refuse_size(source, len(text))
    data = _parsed(text, source)
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise PlaygroundError(word("watch_error_format", source=source, format=FORMAT))
    version = data.get("version")
    if type(version) is not int or version not in (2, VERSION):
        raise PlaygroundError(
            word("watch_error_version", source=source, version=json.dumps(version)[:40], known=VERSION)
        )
    events = data.get("events")
    if len(data) != 3 or not isinstance(events, list) or len(events) > MAX_EVENTS:
        holds = word("fault_must_hold", source=source, most=f"{MAX_EVENTS:,}")
        raise PlaygroundError(paragraph(holds, _RECORD_AGAIN))
    if version == 2:
        events = map(version_2.updated, events)
    try:
        return Trace(tuple(event_from_dict(event, word("fault_event", number=n)) for n, event in enumerate(events, 1)))
    except PlaygroundError as error:
        raise PlaygroundError(
            paragraph(word("watch_error_no_reading", source=source), error.args[0], _RECORD_AGAIN)
        ) from None
    except RecursionError:
        raise PlaygroundError(paragraph(word("fault_nested", source=source), _RECORD_AGAIN)) from None


def from_bytes(content: bytes, source: str = "trace") -> Trace:
    """Read the trace in a file's content, compressed by gzip or not; `source` names the file in messages.

    Raises:
        PlaygroundError: if it is not a trace, with the place and what to do.
    """
    if is_packed(content):
        content, is_whole = unpack(content, MAX_BYTES)
        if not is_whole:
            raise PlaygroundError(word("watch_error_gzip", source=source))
        if len(content) > MAX_BYTES:
            raise PlaygroundError(word("fault_unpacks", source=source, most=f"{MAX_BYTES:,}"))
    if len(content) > MAX_BYTES:
        _refuse_size(source, len(content))
    try:
        return from_json(content.decode("utf-8-sig"), source)
    except UnicodeDecodeError as error:
        raise PlaygroundError(word("watch_error_no_text", source=source, byte=f"{error.start:,}")) from error


def save(trace: Trace, path: str | os.PathLike[str]) -> None:
    """Write the trace to a file, whole or not at all: a reader never meets half a trace.

    Raises:
        PlaygroundError: if it cannot be written there.
    """
    content, path = to_json(trace).encode("ascii"), Path(path)
    if path.suffix == ".gz":
        content = gzip.compress(content, mtime=0)  # Without a time in it the same trace gives the same bytes.
    export_file(path, content)


def load(path: str | os.PathLike[str]) -> Trace:
    """Read a trace from a file."""
    path = Path(path)
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise PlaygroundError(word("refused_path", path=path, why=error.strerror)) from error
    if len(content) > MAX_BYTES:
        _refuse_size(path.name, path.stat().st_size)
    return from_bytes(content, path.name)


def _builtin(value: Any) -> Any:
    """Convert a subclass: a `Word` to its English, a float of NumPy to one of Python."""
    return float(value) if isinstance(value, float) else str.__str__(value)


def _plain(value: Any, digits: int, where: str) -> Any:
    if isinstance(value, float):
        if not math.isfinite(value):
            raise PlaygroundError(word("refused_infinite", value=value, where=where))
        rounded = float(f"{value:.{digits}g}")
        short = digits < _EXACT_DIGITS and rounded.is_integer() and abs(rounded) < 10**digits
        return int(rounded) if short else rounded  # 1 for 1.0
    if isinstance(value, list | tuple):
        return [_plain(entry, digits, where) for entry in value]
    if isinstance(value, dict):
        return {key: _plain(entry, digits, where) for key, entry in value.items()}
    return value


def _parsed(text: str, source: str) -> Any:
    if not text.strip():
        raise PlaygroundError(word("watch_error_empty", source=source))
    try:
        return parse_json(text)
    except json.JSONDecodeError as error:
        if not text.lstrip().startswith("{"):
            raise PlaygroundError(word("watch_error_no_trace", source=source)) from None
        if not text.rstrip().endswith("}"):
            advice = word("watch_error_cut_off", length=f"{len(text):,}")
        else:
            advice = _RECORD_AGAIN
        position = {"line": error.lineno, "column": error.colno, "why": error.msg}
        raise PlaygroundError(paragraph(word("watch_error_json", source=source, **position), advice)) from None
    except ValueError as error:
        raise PlaygroundError(paragraph(word("refused_json", source=source, why=error), _RECORD_AGAIN)) from None


def _refuse_size(source: str, size: int) -> NoReturn:
    raise PlaygroundError(word("watch_error_size", source=source, size=f"{size:,}", most=f"{MAX_BYTES:,}"))
