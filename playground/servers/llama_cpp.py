"""llama.cpp: the `timings` of a response, and the lines of its log.

`draft_n` and `draft_n_accepted` came with pull request 12603. mlx-vlm has the same timings, and its own `draft_kind`
and `draft_rounds` beside them; its accepted tokens are counted before a stop token cuts the reply (pull request 2324).

The log's line of a request is "draft acceptance rate = ..." and, from pull request 24536 of June 2026 on, "draft
acceptance = ...", with a mean and with rates by position since then. "statistics draft-mtp: ..." counts since the
server began, for each way of drafting by itself (docs/speculative.md): its differences belong to the requests between.
`llama-speculative` prints its counts by themselves (pull request 3006).
"""

from dataclasses import dataclass, replace
from typing import Any

from playground.servers.arithmetic import counts_with_rates, differences, inferred, with_calls
from playground.servers.lines import first_number, lines_with, number_after, numbers_after, stream_of, tables
from playground.servers.record import Record, count_of, counts_in, rates_of, seconds_of
from playground.words import word

NAME, MLX = "llama.cpp", "mlx-vlm"
SINCE_START = word("log_since_start")
_TIME, _REQUEST, _STATISTICS = "eval time =", "draft acceptance", "statistics "
_RATES = ("acceptance rate per position = (", "acc rate/pos = (")
_ROUNDS, _DRAFTED, _ACCEPTED = "#gen drafts =", "#gen tokens =", "#acc tokens ="


@dataclass(frozen=True, slots=True)
class _Statistics:
    """One line of statistics, of one way of drafting, since the server began."""

    rounds: int
    drafted: int
    accepted: int
    reached: tuple[int, ...] | None


def is_response(data: dict[str, Any]) -> bool:
    """Return whether it is the object under `timings` of a request that speculated."""
    return "draft_n" in data


def from_response(data: dict[str, Any], _around: dict[str, Any]) -> Record:
    """One request."""
    is_mlx = "draft_kind" in data or "draft_rounds" in data
    names = {"drafted": "draft_n", "accepted": "draft_n_accepted", "emitted": "predicted_n", "rounds": "draft_rounds"}
    seconds = seconds_of(data.get("predicted_ms"), 1000)
    record = Record(MLX if is_mlx else NAME, **counts_in(data, **names), seconds=seconds)
    return record if is_mlx else with_calls(record)


def from_lines(text: str) -> list[Record]:
    """Read the lines of a log: one record per request, or one per line of statistics where there is nothing else."""
    requests: list[Record] = []
    streams: dict[tuple[str, ...], list[_Statistics]] = {}  # by server, and by its way of drafting
    timed = ""
    for line in lines_with(text, _TIME, _REQUEST, _STATISTICS):
        if statistics := _statistics(line):
            drafter = line.partition(_STATISTICS)[2].partition(":")[0].strip()
            streams.setdefault((*stream_of(line, _STATISTICS), drafter), []).append(statistics)
        elif _TIME in line and f"prompt {_TIME}" not in line:
            timed = line
        elif record := _request(line, timed):
            requests.append(record)
            timed = ""
    counted = [_since_last(lines) for lines in streams.values()]
    if requests:
        lines = counted[0] if len(counted) == 1 else []
        return [with_calls(_with_statistics(record, lines)) for record in requests]
    return [
        Record(NAME, line.drafted, line.accepted, rounds=line.rounds, reached=line.reached, remarks=(SINCE_START,))
        for lines in counted
        for line in lines
        if line.drafted
    ]


def from_example(text: str) -> list[Record]:
    """Read what `llama-speculative` prints of a run."""
    names = {"drafted": "n_drafted", "accepted": "n_accept", "emitted": "n_predict"}
    printed = [
        {name: first_number(value) for name, value in fields.items()} for fields in tables(text, "n_draft ", sign="=")
    ]
    return [with_calls(Record(NAME, **counts_in(each, **names))) for each in printed if each.get("n_drafted")]


def _request(line: str, timed: str) -> Record | None:
    """Read a request from its line of drafts, and from the line before it that has its time."""
    drafts = line.partition(f"{_REQUEST} ")[2]
    accepted, drafted = number_after(drafts, "("), number_after(drafts, "accepted /")
    if accepted is None or drafted is None:
        return None
    record = Record(
        NAME,
        count_of(drafted, "generated"),
        count_of(accepted, "accepted"),
        count_of(number_after(timed.partition(_TIME)[2], "ms /"), "tokens"),
        seconds=seconds_of(number_after(timed, _TIME), 1000),
        mean=number_after(drafts, "mean len =", "mean acceptance length ="),
        rates=_rates(drafts),
    )
    return inferred(record)


def _statistics(line: str) -> _Statistics | None:
    """Read a line of statistics; None where it is none, or is cut off."""
    numbers = {label: number_after(line, label) for label in (_ROUNDS, _DRAFTED, _ACCEPTED)}
    rounds, drafted, accepted = (count_of(number, label) for label, number in numbers.items())
    if rounds is None or drafted is None or accepted is None:
        return None
    rates = _rates(line)
    reached = counts_with_rates(rates, rounds) if rates else None
    return _Statistics(rounds, drafted, accepted, reached if reached and sum(reached) == accepted else None)


def _since_last(lines: list[_Statistics]) -> list[_Statistics]:
    """Differences from line to line. Positions are known where both lines tell them."""
    counted = differences([(line.rounds, line.drafted, line.accepted) for line in lines])
    result: list[_Statistics] = []
    before: tuple[int, ...] | None = ()
    for line, (rounds, drafted, accepted) in zip(lines, counted, strict=True):
        reached = None
        if line.reached is not None and before is not None:
            earlier = (*before, *[0] * len(line.reached)) if rounds < line.rounds else (0,) * len(line.reached)
            reached = tuple(count - was for count, was in zip(line.reached, earlier, strict=False))
        result.append(_Statistics(rounds, drafted, accepted, reached))
        before = line.reached
    return result


def _with_statistics(record: Record, lines: list[_Statistics]) -> Record:
    """Add to a request the rounds of the line of statistics with the same counts, where only one line has them."""
    own = [line for line in lines if (line.drafted, line.accepted) == (record.drafted, record.accepted)]
    if len({(line.rounds, line.reached) for line in own}) != 1:
        return record
    if record.rounds is not None and record.rounds != own[0].rounds:
        return record
    remarks = (*record.remarks, SINCE_START) if record.rounds is None or record.reached is None else record.remarks
    return replace(record, rounds=own[0].rounds, reached=record.reached or own[0].reached, remarks=remarks)


def _rates(line: str) -> tuple[float, ...] | None:
    """Return the rates by position; None where a line has none."""
    rates = next((rates for label in _RATES if (rates := numbers_after(line, label))), ())
    return rates_of([*rates], "acc rate/pos") or None
