"""OpenVINO GenAI and MLC: drafts counted in a benchmark's iteration, in a sample's output, in a response's usage."""

from typing import Any

from playground.errors import PlaygroundError
from playground.servers.arithmetic import with_calls
from playground.servers.lines import first_number, tables
from playground.servers.record import (
    Record,
    by_position,
    counts_in,
    emitted_in,
    histogram_counts,
    seconds_of,
)

NAME = "OpenVINO"
_MLC = "MLC"
_MAIN, _DRAFT = "MAIN MODEL", "DRAFT MODEL"
_GENERATED, _ACCEPTED = "Num generated token", "Num accepted token"


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
    for main, draft in zip(tables(text, _MAIN, _DRAFT), tables(text, _DRAFT, _MAIN), strict=False):
        counts = {"drafted": draft.get(_GENERATED), "accepted": main.get(_ACCEPTED), "emitted": main.get(_GENERATED)}
        numbers = {name: first_number(value or "") for name, value in counts.items()}
        seconds = seconds_of(first_number(main.get("Generate time", "")), 1000)
        records.append(
            with_calls(Record(NAME, **counts_in(numbers, **{name: name for name in counts}), seconds=seconds))
        )
    return [record for record in records if record.accepted is not None]


def _mlc(data: dict[str, Any], around: dict[str, Any]) -> Record:
    """Read counts by position, from 1."""
    drafted = (histogram_counts(data["draft_count"], "draft_count") or ())[1:]
    accepted = (histogram_counts(data["accept_count"], "accept_count") or ())[1:]
    if not drafted or len(accepted) > len(drafted):
        raise PlaygroundError(f"It lists {len(accepted):,} rounds that accepted and {len(drafted):,} that drafted.")
    return by_position(_MLC, drafted, accepted, emitted_in(around))
