"""vLLM: the metrics of a response, the lines of its log, and what its offline example prints.

`--per-request-spec-decode-metrics summary` or `detailed` puts them into a response (pull request 48915, in 0.27.2rc1;
an earlier form of it, with the histogram as an object, is in pull request 1167 of AIPerf).

A line of the log sums up an interval: "SpecDecoding metrics: ..." since pull request 15902 of April 2025, with fields
that came one by one (issue 19254, pull request 24127). Its mean is rounded to two decimals and its rates to three, so
rounds and counts by position follow only where one number alone gives them.

Until version 0.8 the line was "Speculative metrics: ..., System efficiency: ..." and counted since the server began
(issue 9539). Its accepted tokens are of every position by itself, those behind a rejection included, which were never
emitted (1 accepted, 1 emitted of 5 drafted in issue 7301). So accepted here is what was emitted minus one a round.

The offline example prints a block of totals a run, with a rate a position of two decimals.
"""

from typing import Any

from playground.errors import PlaygroundError
from playground.servers.arithmetic import differences, inferred
from playground.servers.lines import (
    first_number,
    lines_with,
    number_after,
    numbers_after,
    stream_of,
    tables,
)
from playground.servers.record import (
    Record,
    count_of,
    counts_in,
    counts_of,
    emitted_in,
    histogram_counts,
    mean_of,
    rates_of,
)
from playground.words import word

NAME = "vLLM"
BEHIND_A_REJECTION = word("log_behind_a_rejection")
_LINES = ("SpecDecoding metrics: ", "Speculative metrics: ")
_SINCE_START = ("speculative", "draft", "emitted")
_OFFLINE_HALF = 0.005  # half of the last decimal of these rates


def is_response(data: dict[str, Any]) -> bool:
    """Return whether it is the object under `metrics.speculative_decoding`."""
    return "num_spec_steps" in data and "num_draft_tokens" in data


def from_response(data: dict[str, Any], around: dict[str, Any], server: str = NAME) -> Record:
    """One request. `around` is the whole response, for the number of tokens that came out."""
    accepted = counts_of(data.get("per_step_accepted"), "per_step_accepted")
    drafted = counts_of(data.get("per_step_drafted"), "per_step_drafted")
    if accepted is not None and drafted is not None and len(accepted) != len(drafted):
        raise PlaygroundError(f"It lists {len(accepted):,} rounds that accepted and {len(drafted):,} that drafted.")
    names = {"drafted": "num_draft_tokens", "accepted": "num_accepted_draft_tokens", "rounds": "num_spec_steps"}
    return Record(
        server,
        **counts_in(data, **names),
        emitted=emitted_in(around),
        histogram=histogram_counts(data.get("acceptance_histogram"), "acceptance_histogram"),
        per_round=tuple(zip(drafted or [None] * len(accepted), accepted, strict=True)) if accepted else None,
        length=_fixed(data),
    )


def from_lines(text: str) -> list[Record]:
    """Read the lines of a log, one record per interval."""
    streams: dict[tuple[str, ...], list[tuple[int, ...]]] = {}
    records = []
    for line in lines_with(text, *_LINES):
        counts = tuple(
            number_after(line, f"Number of {name} tokens: ", f"Number of {name} tokens tokens: ")
            for name in _SINCE_START
        )
        if "System efficiency: " in line and None not in counts:
            counted = tuple(count_of(each, "tokens") or 0 for each in counts)
            streams.setdefault(stream_of(line, _LINES[1]), []).append(counted)
        elif record := _of_line(line):
            records.append(record)
    return records + [_of_first_engine(*each) for lines in streams.values() for each in _by_length(lines)]


def from_offline(text: str) -> list[Record]:
    """Read the blocks that the offline example prints, one record each."""
    records = []
    for fields in tables(text, "num_drafts:"):
        numbers = {name: first_number(value) for name, value in fields.items()}
        names = {"rounds": "num_drafts", "drafted": "num_draft_tokens", "accepted": "num_accepted_tokens"}
        rates = [numbers[name] for at in range(len(numbers)) if (name := f"acceptance at token {at}") in numbers]
        by_position = rates_of(rates, "acceptance at token") or None
        records.append(
            inferred(Record(NAME, **counts_in(numbers, **names), rates=by_position), rate_half=_OFFLINE_HALF)
        )
    return records


def _of_line(line: str) -> Record | None:
    """Read one interval."""
    accepted = number_after(line, "Accepted: ", "Number of accepted tokens: ")
    drafted = number_after(line, "Drafted: ", "Number of draft tokens: ", "Number of draft tokens tokens: ")
    if accepted is None or drafted is None:
        return None
    counts = counts_in({"accepted": accepted, "drafted": drafted}, drafted="drafted", accepted="accepted")
    mean = mean_of(number_after(line, "Mean acceptance length: "), "Mean acceptance length")
    rates = rates_of([*numbers_after(line, "Per-position acceptance rate: ")], "Per-position acceptance rate") or None
    return inferred(Record(NAME, **counts, mean=mean, rates=rates))


def _by_length(lines: list[tuple[int, ...]]) -> list[tuple[int, int, int]]:
    """Draft length, drafted and emitted tokens between one line and the next."""
    counted = differences([line[1:] for line in lines])
    rows = zip(lines, counted, strict=True)
    return [(line[0], drafted, emitted) for line, (drafted, emitted) in rows if drafted or emitted]


def _of_first_engine(length: int, drafted: int, emitted: int) -> Record:
    rounds = drafted // length if length and drafted % length == 0 else None
    accepted = emitted - rounds if rounds is not None and emitted >= rounds else None
    known = length if rounds else None
    return Record(NAME, drafted, accepted, emitted, rounds, length=known, remarks=(BEHIND_A_REJECTION,))


def _fixed(data: dict[str, Any]) -> int | None:
    """Return the draft length, where every round had the configured one."""
    length, rounds = count_of(data.get("num_spec_tokens"), "num_spec_tokens"), data.get("num_spec_steps")
    return length if length and length * (rounds or 0) == data.get("num_draft_tokens") else None
