"""OpenVINO GenAI and MLC: drafts counted in a benchmark's iteration, in a sample's output, in a response's usage."""

import re
from typing import Any

from playground.errors import PlaygroundError
from playground.servers.arithmetic import with_calls
from playground.servers.record import Record, by_position, counts_in, emitted_in, histogram_counts, seconds_of
from playground.words import word

NAME = "OpenVINO"
_MLC = "MLC"
_SAMPLE = re.compile(
    r"MAIN MODEL\s(.{0,2000}?Num accepted token: (\d{1,15}) tokens.{0,500}?)DRAFT MODEL\s(.{0,2000}?)(?:\n[ \t]*\n|\Z)",
    re.DOTALL,
)
_GENERATED = re.compile(r"Num generated token: (\d{1,15}) tokens")
_TIME = re.compile(r"Generate time: (\d{1,12}(?:\.\d{1,6})?) ms")


def is_response(data: dict[str, Any]) -> bool:
    """Return whether the object is an iteration of `llm_bench`, or the `spec_decode` of MLC."""
    counts = data.get("speculative_decoding")
    return (isinstance(counts, dict) and "num_draft_generated" in counts) or (
        isinstance(data.get("draft_count"), dict) and isinstance(data.get("accept_count"), dict)
    )


def from_response(data: dict[str, Any], around: dict[str, Any]) -> Record:
    """Read one iteration, or one response."""
    if "draft_count" in data:
        return _mlc(data, around)
    counts = data["speculative_decoding"]
    drafts = counts_in(counts, drafted="num_draft_generated", accepted="num_accepted")
    emitted, seconds = counts_in(data, emitted="output_size"), seconds_of(data.get("generation_time"))
    return with_calls(Record(NAME, **drafts, **emitted, seconds=seconds))


def from_text(text: str) -> list[Record]:
    """Read what the speculative sample of OpenVINO GenAI prints of its main model and its draft model."""
    records = []
    for main, accepted, draft in _SAMPLE.findall(text):
        emitted, drafted, time = _GENERATED.search(main), _GENERATED.search(draft), _TIME.search(main)
        record = Record(
            NAME,
            drafted=int(drafted[1]) if drafted else None,
            accepted=int(accepted),
            emitted=int(emitted[1]) if emitted else None,
            seconds=seconds_of(float(time[1]), 1000) if time else None,
        )
        records.append(with_calls(record))
    return records


def _mlc(data: dict[str, Any], around: dict[str, Any]) -> Record:
    """Read counts by position, from 1."""
    drafted = (histogram_counts(data["draft_count"], "draft_count") or ())[1:]
    accepted = (histogram_counts(data["accept_count"], "accept_count") or ())[1:]
    if not drafted or len(accepted) > len(drafted):
        raise PlaygroundError(word("log_lists_differ", accepted=f"{len(accepted):,}", drafted=f"{len(drafted):,}"))
    return by_position(_MLC, drafted, accepted, emitted_in(around))
