"""SGLang: the `meta_info` of a response, and the lines of its log.

`spec_verify_ct` and its kin are in every one of a server that speculates. The histogram came with pull request 18332,
the names `correct` and `proposed` with 33518, both merged; the ordered lists of `speculative_decoding_stats`, which
count the token that is always there, with 34814, which was open in August 2026.

Its number of drafted tokens is rounds times the configured width, so it is too high where the width varies.

A line of the log, "Decode batch, #running-req: 3, ... accept len: 1.67, accept rate: 0.13, ...", sums up the decode
rounds since the last one: its form in scheduler_metrics_mixin.py and in pull request 30393 of August 2026; until some
time after October 2025 a point stood behind "batch" (issue 11948). "accept len" is accepted / rounds with the target's
own token, rounded. Neither count is there, so totals stay blank; and so does "accept rate", which has been over
widths with and without that token (2.17 has 0.54, 1.72 has 0.14), while no line says which width.

The line "Finish: obj=..." holds a request's `meta_info` as Python prints it (pull request 11144). The gauge
`sglang:spec_accept_length`, `avg_spec_accept_length` of `/get_server_info`, and the line "#questions: ..." of its
benchmark of questions are means and nothing else. Where only
`spec_verify_ct` was written, the mean is SGLang's own quotient (pull request 3152): completion tokens over rounds, of
which the call over the prompt is none though its token is counted.
"""

from dataclasses import replace
from typing import Any

from playground.errors import PlaygroundError
from playground.servers.lines import lines_with, number_after, numbers_after
from playground.servers.record import Record, count_of, counts_of, emitted_in, histogram_counts, mean_of
from playground.words import word

NAME = "SGLang"
_ACCEPTED = ("spec_num_correct_drafts", "spec_accept_token_num", "spec_accepted_tokens")
_DRAFTED = ("spec_num_proposed_drafts", "spec_draft_token_num", "spec_draft_tokens")
_HISTOGRAMS = ("spec_correct_drafts_histogram", "spec_accept_histogram")
_DECODE, _QUESTIONS, _FINISHED = "Decode batch", "#questions: ", "Finish: obj="
_MEANS = {_DECODE: "accept len: ", _QUESTIONS: "Acceptance length: "}
_COUNTS = ("completion_tokens", "spec_verify_ct", *_ACCEPTED, *_DRAFTED)
_SERVER_MEAN = "avg_spec_accept_length"
QUOTIENT = word("log_quotient")


def is_response(data: dict[str, object]) -> bool:
    """Return whether it is a `meta_info` with numbers of speculation, or the state of a server."""
    stats = data.get("speculative_decoding_stats")
    ordered = isinstance(stats, dict) and ("accept_lengths" in stats or "verify_lengths" in stats)
    return "spec_verify_ct" in data or ordered or data.get(_SERVER_MEAN) is not None


def from_response(data: dict[str, object], around: dict[str, object]) -> Record:
    """One request, or the mean of a server since it began."""
    if data.get(_SERVER_MEAN) is not None:
        return Record(NAME, mean=mean_of(data[_SERVER_MEAN], _SERVER_MEAN))
    stats = data.get("speculative_decoding_stats")
    per_round = _ordered(stats) if isinstance(stats, dict) else None
    accepted = _first(data, *_ACCEPTED)
    drafted = _first(data, *_DRAFTED)
    if per_round is not None:
        accepted = sum(each for _, each in per_round)
        widths = [each for each, _ in per_round if each is not None]
        drafted = sum(widths) if len(widths) == len(per_round) else drafted
    histogram = next((data[name] for name in _HISTOGRAMS if data.get(name) is not None), None)
    rounds = len(per_round) if per_round is not None else _first(data, "spec_verify_ct")
    emitted = emitted_in({"usage": data} if "completion_tokens" in data else around)
    record = Record(
        NAME,
        drafted=drafted,
        accepted=accepted,
        emitted=emitted,
        rounds=rounds,
        histogram=None if per_round is not None else histogram_counts(histogram, "spec_accept_histogram"),
        per_round=per_round,
        length=drafted // rounds if per_round is None and rounds and drafted and drafted % rounds == 0 else None,
    )
    if accepted is None and record.histogram is None and rounds and record.emitted and record.emitted >= rounds:
        return replace(record, mean=record.emitted / rounds, remarks=(QUOTIENT,))
    return record


def from_lines(text: str) -> list[Record]:
    """Read the lines of a log, one record per request that ended; without those, one per stretch of decode rounds."""
    finished = [line for line in lines_with(text, _FINISHED) if "'spec_verify_ct': " in line]
    if finished:
        return [from_response(_meta_info(line), {}) for line in finished]
    means = [
        mean_of(number_after(line, label), label.rstrip(": "))
        for mark, label in _MEANS.items()
        for line in lines_with(text, mark)
    ]
    return [Record(NAME, mean=mean) for mean in means if mean is not None]


def _meta_info(line: str) -> dict[str, Any]:
    """Read the counts of a `meta_info` that stands in a line as Python prints it."""
    counts = {name: number_after(line, f"'{name}': ") for name in _COUNTS}
    return counts | {name: [*numbers_after(line, f"'{name}': [")] or None for name in _HISTOGRAMS}


def _ordered(stats: dict[str, object]) -> tuple[tuple[int | None, int], ...] | None:
    """Drafted and accepted in each round: both lists count the token that is always there."""
    drafted = counts_of(stats.get("verify_lengths"), "verify_lengths")
    accepted = counts_of(stats.get("accept_lengths"), "accept_lengths")
    if accepted is None:
        return None
    if drafted is not None and len(drafted) != len(accepted):
        raise PlaygroundError(f"It lists {len(accepted):,} rounds that accepted and {len(drafted):,} that drafted.")
    if 0 in accepted or 0 in (drafted or ()):
        raise PlaygroundError("A round of it has a length of 0, though one token is always there.")
    widths = drafted or (None,) * len(accepted)
    return tuple(
        (None if width is None else width - 1, count - 1) for width, count in zip(widths, accepted, strict=True)
    )


def _first(data: dict[str, object], *names: str) -> int | None:
    return next((count_of(data[name], name) for name in names if data.get(name) is not None), None)
