"""llama.cpp: the `timings` of a response, and the lines of its log.

`draft_n` and `draft_n_accepted` came with pull request 12603; the log's line is "draft acceptance rate = ..." and, from
pull request 24536 of June 2026 on, "draft acceptance = ...". Neither counts the steps. mlx-vlm has the same timings,
and counts them as `draft_rounds`.
"""

from __future__ import annotations

import re
from typing import Any

from playground.servers.record import Record, checked, count_of, seconds_of

NAME = "llama.cpp"
_LINE = re.compile(
    r"(?<!prompt )\beval time =\s{0,20}(\d{1,12}(?:\.\d{1,9})?) ms /\s{0,20}(\d{1,12}) (?:tokens|runs)"
    r"|draft acceptance(?: rate)? =\s{0,20}[\d.]{1,20}\s{0,4}"
    r"\(\s{0,20}(\d{1,12}) accepted /\s{0,20}(\d{1,12}) generated\)"
)


def is_response(data: dict[str, Any]) -> bool:
    """True for the object under `timings` of a request that speculated."""
    return "draft_n" in data


def from_response(data: dict[str, Any], _around: dict[str, Any]) -> Record:
    """One request."""
    return checked(
        Record(
            NAME,
            drafted=count_of(data.get("draft_n"), "draft_n"),
            accepted=count_of(data.get("draft_n_accepted"), "draft_n_accepted"),
            emitted=count_of(data.get("predicted_n"), "predicted_n"),
            steps=count_of(data.get("draft_rounds"), "draft_rounds"),
            seconds=seconds_of(data.get("predicted_ms"), 1000),
        )
    )


def from_lines(text: str) -> list[Record]:
    """The lines of a log, one record per request: the time of a request stands just before its drafts."""
    records: list[Record] = []
    timed: tuple[float, int] | None = None
    for milliseconds, emitted, accepted, drafted in _LINE.findall(text):
        if milliseconds:
            timed = float(milliseconds) / 1000, int(emitted)
            continue
        seconds, tokens = timed or (None, None)
        counts = Record(NAME, drafted=int(drafted), accepted=int(accepted), emitted=tokens, seconds=seconds)
        records.append(checked(counts))
        timed = None
    return records
