"""vLLM: the metrics of a response, the counters of `/metrics`, and the lines of its log.

`--per-request-spec-decode-metrics summary` or `detailed` puts them into a response (pull request 48915, in 0.27.2rc1).
The counters are those of 0.11 and later; llama.cpp has the same under its own prefix. A line of the log sums up an
interval, and its mean is rounded: so it says totals alone, and the steps stay blank.
"""

from __future__ import annotations

import re
from typing import Any

from playground.errors import PlaygroundError
from playground.servers.record import LONGEST, Record, checked, count_of, counts_of

NAME = "vLLM"
_LINE = re.compile(r"SpecDecoding metrics: .{0,400}?Accepted: (\d{1,15}) tokens, Drafted: (\d{1,15}) tokens")
_COUNTER = re.compile(
    r"^(vllm|llamacpp):spec_decode_(num_\w{1,40}?)(?:_total)?(?:\{([^}\n]{0,2000})\})? ([0-9.eE+]{1,24})$", re.MULTILINE
)
_POSITION = re.compile(r'position="(\d{1,4})"')


def is_response(data: dict[str, Any]) -> bool:
    """True for the object under `metrics.speculative_decoding`."""
    return "num_spec_steps" in data and "num_draft_tokens" in data


def from_response(data: dict[str, Any], around: dict[str, Any]) -> Record:
    """One request. `around` is the whole response, for the number of tokens that came out."""
    usage = around.get("usage")
    accepted = counts_of(data.get("per_step_accepted"), "per_step_accepted")
    drafted = counts_of(data.get("per_step_drafted"), "per_step_drafted")
    if accepted is not None and drafted is not None and len(accepted) != len(drafted):
        raise PlaygroundError(f"It lists {len(accepted):,} steps that accepted and {len(drafted):,} that drafted.")
    return checked(
        Record(
            NAME,
            drafted=count_of(data.get("num_draft_tokens"), "num_draft_tokens"),
            accepted=count_of(data.get("num_accepted_draft_tokens"), "num_accepted_draft_tokens"),
            emitted=count_of(usage.get("completion_tokens"), "completion_tokens") if isinstance(usage, dict) else None,
            steps=count_of(data.get("num_spec_steps"), "num_spec_steps"),
            histogram=counts_of(data.get("acceptance_histogram"), "acceptance_histogram", LONGEST),
            per_step=tuple(zip(drafted or [None] * len(accepted), accepted, strict=True)) if accepted else None,
            length=_fixed(data),
        )
    )


def from_counters(text: str) -> list[Record]:
    """The counters of `/metrics`, all engines added up: what the server did since it started."""
    totals: dict[str, dict[str, int]] = {}
    positions: dict[str, dict[int, int]] = {}
    for server, name, labels, number in _COUNTER.findall(
        text[: text.rfind("\n") + 1].replace("\r", "")
    ):  # a line may be cut off
        if name.endswith("_created"):  # when it was made, not a count
            continue
        try:
            value = count_of(float(number), name) or 0
        except ValueError:
            raise PlaygroundError(f'"{name}" is not a count.') from None
        if name == "num_accepted_tokens_per_pos":
            if position := _POSITION.search(labels):
                by_position = positions.setdefault(server, {})
                by_position[int(position[1])] = by_position.get(int(position[1]), 0) + value
        else:
            own = totals.setdefault(server, {})
            own[name] = own.get(name, 0) + value
    return [_counted(server, own, positions.get(server, {})) for server, own in totals.items()]


def from_lines(text: str) -> list[Record]:
    """The lines of a log, one record per interval."""
    matches = _LINE.findall(text)
    return [checked(Record(NAME, drafted=int(drafted), accepted=int(accepted))) for accepted, drafted in matches]


def _counted(server: str, own: dict[str, int], positions: dict[int, int]) -> Record:
    whole = sorted(positions) == list(range(len(positions))) and sum(positions.values()) == own.get(
        "num_accepted_tokens"
    )
    return checked(
        Record(
            NAME if server == "vllm" else "llama.cpp",
            drafted=own.get("num_draft_tokens"),
            accepted=own.get("num_accepted_tokens"),
            steps=own.get("num_drafts"),
            reached=tuple(positions[position] for position in sorted(positions)) if positions and whole else None,
        )
    )


def _fixed(data: dict[str, Any]) -> int | None:
    """The draft length, where every step had the one that was configured."""
    length, steps = count_of(data.get("num_spec_tokens"), "num_spec_tokens"), data.get("num_spec_steps")
    return length if length and length * (steps or 0) == data.get("num_draft_tokens") else None
