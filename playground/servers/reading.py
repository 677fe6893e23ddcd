"""Read a file of any server to records: JSON, one JSON value a line, a stream of events, `/metrics`, or a log.

Collectors of logs wrap each line in an object of their own (Docker, journald, Loki, cloud agents): where the JSON of a
file holds no counts, its strings are read as the text that they carry. A file may be compressed by gzip.

Reading trusts nothing. What is wrong with a file becomes one sentence; one that was cut off, or holds a value that is
broken, keeps all that stood whole before and after it.
"""

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from playground.errors import PlaygroundError
from playground.files import MAX_DIGITS, is_packed, unpack
from playground.servers import (
    answers,
    assisted,
    benchmarks,
    counters,
    llama_cpp,
    openvino,
    profile,
    sglang,
    trtllm,
    usage,
    vllm,
)
from playground.servers.lines import plain, skip
from playground.servers.record import Record, with_contradiction
from playground.servers.words import option_of
from playground.words import word

MAX_BYTES = 50_000_000
MOST_BROKEN = 40  # values that are no JSON: each costs a look at the text before it
MAX_RECORDS = 100_000
MAX_VALUES = 250_000  # a stream has one for every token
_DEEPEST = 8  # objects inside each other that are looked into
_BETWEEN = " \t\n,[]"  # letters between the values of a file, or between those of a list
_KNOWN = (benchmarks, vllm, sglang, trtllm, llama_cpp, openvino, usage, profile, answers, assisted)
_IN_TEXT = (
    counters.from_counters,
    vllm.from_lines,
    vllm.from_offline,
    sglang.from_lines,
    llama_cpp.from_lines,
    llama_cpp.from_example,
    openvino.from_text,
    benchmarks.from_text,
)
_WANTED = word("log_wanted")
_WITHOUT_DRAFTS = {
    '"eval_duration":': ("log_a_response_of", "Ollama"),
    "\ntgi_": ("log_metrics_of", "text-generation-inference"),
    "\nvllm:": ("log_metrics_of", "vLLM"),
    "\nsglang:": ("log_metrics_of", "SGLang"),
    "\ntrtllm_": ("log_metrics_of", "TensorRT-LLM"),
    '"predicted_per_token_ms":': ("log_a_response_of", "llama.cpp"),
    "Avg generation throughput: ": ("log_log_of", "vLLM"),
    "Decode batch": ("log_log_of", "SGLang"),
    " eval time =": ("log_log_of", "llama.cpp"),
}  # known by their own keys, with no count of drafts


@dataclass(frozen=True, slots=True)
class Log:
    """The records of a file."""

    records: tuple[Record, ...]
    notes: tuple[str, ...] = ()  # Each is a sentence on what could not be read.


def load_log(path: Path) -> Log:
    """Read a file.

    Raises:
        PlaygroundError: if nothing in it can be read.
    """
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise PlaygroundError(f"Cannot read {path}: {error.strerror}. Check the name and try again.") from None
    return read_log(content, path.name)


def read_log(content: bytes, source: str = "The log", most: int = MAX_BYTES) -> Log:
    """Read the records in a file's content.

    Args:
        content: text, or text packed by gzip.
        source: its name in messages.
        most: bytes, also of what is unpacked.

    Raises:
        PlaygroundError: if nothing in it can be read.
    """
    if is_packed(content):
        content, _ = unpack(content, most)
    if len(content) > most:
        raise PlaygroundError(f"{source} is longer than {most:,} bytes. Take the part of it that matters.")
    text = plain(content.decode(_encoding(content), "replace"))
    if not text.strip():
        raise PlaygroundError(f"{source} is empty. {_WANTED}")
    records, notes = _read(text, source)
    if not records:
        if "\0" in text:
            raise PlaygroundError(f"{source} is not text. If it is an archive, unpack it first. {_WANTED}")
        why = notes[0] if notes else _known_without_drafts(text)
        raise PlaygroundError(f"{source} holds no numbers of speculative decoding that can be read. {why} {_WANTED}")
    if len(records) > MAX_RECORDS:
        raise PlaygroundError(f"{source} holds more than {MAX_RECORDS:,} requests. Take a part of it.")
    return Log(tuple(map(with_contradiction, records)), tuple(dict.fromkeys(notes)))


def _encoding(content: bytes) -> str:
    """Return the encoding by the byte order mark, or by where the zero bytes of plain letters are."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16"
    start = content[:1000]
    zeros = [start[at::2].count(0) / max(1, len(start) // 2) for at in (0, 1)]
    if max(zeros) > 0.5 and min(zeros) < 0.1:
        return "utf-16-be" if zeros[0] > zeros[1] else "utf-16-le"
    return "utf-8-sig"


def _read(text: str, source: str) -> tuple[list[Record], list[str]]:
    """Read JSON, or text: what begins with a bracket and holds no counts as JSON may be the lines of a log."""
    if not text.lstrip().startswith(("{", "[", "data:", "event:", "id:")):
        return _from_text(text)
    records, notes = _from_json(text, source)
    if records:
        return records, notes
    in_text, text_notes = _from_text(text)
    return (in_text, text_notes) if in_text or text_notes else (records, notes)


def _known_without_drafts(text: str) -> str:
    """Name a form by its own keys, and the option that starts speculation; return nothing where none is known."""
    key, server = next((known for mark, known in _WITHOUT_DRAFTS.items() if mark in f"\n{text}"), ("", ""))
    return word("log_without_drafts", what=word(key, server=server), option=option_of([server])) if key else ""


def _from_text(text: str) -> tuple[list[Record], list[str]]:
    notes: list[str] = []
    records: list[Record] = []
    for read in _IN_TEXT:
        try:
            records += read(text)
        except PlaygroundError as error:
            notes.append(word("log_part_left_out", why=error.args[0]))
    if records and not text.endswith("\n"):
        notes.append(word("log_no_last_line"))
    return records, notes


def _from_json(text: str, source: str) -> tuple[list[Record], list[str]]:
    records: dict[Any, Record] = {}
    notes: list[str] = []
    lines: list[str] = []  # Values without counts may be lines of text.
    unnamed = 0  # requests without an id that have ended
    for index, value in enumerate(_values(text, notes.append)):
        if not records:
            lines += _strings(value, 0)
        if index == MAX_VALUES:
            raise PlaygroundError(f"{source} holds more than {MAX_VALUES:,} JSON values. Take a part of it.")
        for inside, (module, data, around) in enumerate(_numbers(value, value if isinstance(value, dict) else {}, 0)):
            name = around.get("id")
            # A stream says the same request again and again, and the last time the whole of it.
            key = (module, name, inside) if isinstance(name, str) else (module, unnamed, inside)
            try:
                records[key] = module.from_response(data, around)
            except PlaygroundError as error:
                notes.append(word("log_request_left_out", request=index + 1, why=error.args[0]))
        # llama.cpp's own stream has no id, and says of every part but the last that it does not stop there
        unnamed += not (isinstance(value, dict) and value.get("stop") is False)
    if records or not lines:
        return list(records.values()), notes
    carried, more = _from_text("".join(line.rstrip("\n") + "\n" for line in lines))
    return carried, notes + more


def _values(text: str, note: Callable[[str], None]) -> Iterator[Any]:
    """Yield the JSON values of a file in order; those of a list by themselves, so that its end may be missing."""
    decoder = json.JSONDecoder(parse_constant=float, parse_int=_integer)
    number, broken, at = 0, 0, _next_value(text, 0)
    while at < len(text) and broken < MOST_BROKEN:
        number += 1
        try:
            value, end = decoder.raw_decode(text, at)
        except (RecursionError, ValueError) as error:
            broken += 1
            line_end = text.find("\n", at)
            end = min((index for mark in ("\n{", "\ndata:") if (index := text.find(mark, at)) >= 0), default=len(text))
            if isinstance(error, RecursionError):
                note(word("log_nested", value=number))
            elif line_end < 0 or skip(text, _BETWEEN, line_end) == len(text):
                note(word("log_cut_off", value=number, whole=f"{number - 1:,}"))
                return
            else:
                note(word("log_no_json", value=number))
        else:
            yield value
        at = _next_value(text, end)
    if at < len(text):
        note(word("log_many_broken", count=broken))


def _integer(digits: str) -> float:
    """Return an integer; one that is too long for any count is infinite, which no count is."""
    return int(digits) if len(digits) <= MAX_DIGITS else math.inf


def _next_value(text: str, at: int) -> int:
    """Return the index of the next value: after what separates two of them, in JSON and in a stream of events."""
    while (at := skip(text, _BETWEEN, at)) < len(text):
        if text.startswith("data:", at):
            at += len("data:")
        elif text.startswith(("event:", "id:", "retry:", ":", "DONE]"), at):  # "[DONE]" ends a stream
            at = text.find("\n", at) + 1 or len(text)
        else:
            break
    return at


def _strings(value: Any, depth: int) -> Iterator[str]:
    """Yield the strings in a value, of which a list of bytes is one, and for a series a line of `/metrics`."""
    if depth > _DEEPEST:
        return
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from _series(value)
        for inside in islice(value.values(), MAX_RECORDS):
            yield from _strings(inside, depth + 1)
    elif isinstance(value, list) and value and all(type(each) is int and 0 <= each < 256 for each in value):
        yield plain(bytes(value).decode("utf-8", "replace"))  # a message with colours in journald's JSON
    elif isinstance(value, list):
        for inside in value[:MAX_RECORDS]:
            yield from _strings(inside, depth + 1)


def _series(data: dict[str, object]) -> Iterator[str]:
    """Write a series of Prometheus's API, or one that `get_metrics()` of vLLM returned, as lines of `/metrics`."""
    labels = data.get("metric", data.get("labels"))
    if not isinstance(labels, dict) or not isinstance(name := labels.get("__name__", data.get("name")), str):
        return
    values = data.get("values", data.get("value"))
    is_of_api = "metric" in data  # a pair of a time and a text, or over time several of them
    last = values[-1] if isinstance(values, list) and values else values
    numbers = [last[-1] if isinstance(last, list) and last else last] if is_of_api else values
    for at, number in enumerate(numbers if isinstance(numbers, list) else [numbers]):
        by_position = {"position": at} if isinstance(numbers, list) and not is_of_api else {}
        written = ",".join(f'{key}="{value}"'.replace("\n", " ") for key, value in (labels | by_position).items())
        yield f"{name}{{{written}}} {number}"


def _numbers(value: Any, around: dict[str, object], depth: int) -> Iterator[tuple[Any, dict[str, Any], dict[str, Any]]]:
    """Every object in it that one of the servers wrote, with the response that contains it."""
    if depth > _DEEPEST:
        return
    if isinstance(value, dict):
        if module := next((module for module in _KNOWN if module.is_response(value)), None):
            yield module, value, around
            return
        for inside in islice(value.values(), MAX_RECORDS):
            yield from _numbers(inside, around, depth + 1)
    elif isinstance(value, list):
        for inside in value[:MAX_RECORDS]:
            yield from _numbers(inside, inside if isinstance(inside, dict) and depth == 0 else around, depth + 1)
