"""llama.cpp: the `timings` of a response, and the lines of its log.

`draft_n` and `draft_n_accepted` came with pull request 12603. mlx-vlm has the same timings, and its own `draft_kind`
and `draft_rounds` beside them; its accepted tokens are counted before a stop token cuts the reply (pull request 2324).

The log's line of a request is "draft acceptance rate = ..." and, from pull request 24536 of June 2026 on, "draft
acceptance = ...", with a mean and with rates by position since then. "statistics draft-mtp: ..." counts since the
server began, for each way of drafting by itself (docs/speculative.md): its differences belong to the requests between.
`llama-speculative` prints its counts by themselves (pull request 3006).
"""

import re
from dataclasses import dataclass, replace
from typing import Any

from playground.servers.arithmetic import counts_with_rates, differences, inferred, with_calls
from playground.servers.record import Record, counts_in, seconds_of
from playground.words import word

NAME, MLX = "llama.cpp", "mlx-vlm"
SINCE_START = word("log_since_start")
_LINE = re.compile(
    r"(?<!prompt )\beval time =\s{0,20}(?P<ms>\d{1,12}(?:\.\d{1,9})?) ms /\s{0,20}(?P<emitted>\d{1,12}) (?:tokens|runs)"
    r"|draft acceptance(?: rate)? =\s{0,20}[\d.]{1,20}\s{0,4}"
    r"\(\s{0,20}(?P<accepted>\d{1,12}) accepted /\s{0,20}(?P<drafted>\d{1,12}) generated\)"
    r"(?:, mean (?:len|acceptance length) =\s{0,9}(?P<mean>\d{1,4}\.\d{2})(?=[,\s])"
    r"(?:, (?:acceptance rate per position|acc rate/pos) = \((?P<rates>[\d., ]{1,1200})\))?)?"
    r"|statistics\s{1,20}(?P<drafter>[\w-]{1,40}): #calls(?:\(b,g,a\))? =[\d ]{1,60}, "
    r"#gen drafts =\s{0,9}(?P<rounds>\d{1,12}), #acc drafts =\s{0,9}\d{1,12}, "
    r"#gen tokens =\s{0,9}(?P<generated>\d{1,12}), #acc tokens =\s{0,9}(?P<accepted_total>\d{1,12})(?=[,\s])"
    r"(?:, #mean acc len =\s{0,9}[\d.]{1,9}, #acc rate/pos = \((?P<total_rates>[\d., ]{1,1200})\))?"
)
_EXAMPLE = re.compile(
    r"n_draft\s{0,9}=\s{0,9}\d{1,9}\s{1,4}n_predict\s{0,9}=\s{0,9}(\d{1,9})\s{1,4}"
    r"n_drafted\s{0,9}=\s{0,9}(\d{1,9})\s{1,4}n_accept\s{0,9}=\s{0,9}(\d{1,9})\s{1,4}accept\s{0,9}="
)


@dataclass(frozen=True, slots=True)
class _Statistics:
    """One line of statistics, of one way of drafting, since the server began."""

    drafter: str
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
    names = {"drafted": "draft_n", "accepted": "draft_n_accepted", "emitted": "predicted_n", "steps": "draft_rounds"}
    seconds = seconds_of(data.get("predicted_ms"), 1000)
    record = Record(MLX if is_mlx else NAME, **counts_in(data, **names), seconds=seconds)
    return record if is_mlx else with_calls(record)


def from_lines(text: str) -> list[Record]:
    """Read the lines of a log: one record per request, or one per line of statistics where there is nothing else."""
    requests, statistics = _read(text)
    drafters = dict.fromkeys(line.drafter for line in statistics)
    counted = [_since_last([line for line in statistics if line.drafter == drafter]) for drafter in drafters]
    if not requests:
        return [
            Record(NAME, line.drafted, line.accepted, steps=line.rounds, reached=line.reached, remarks=(SINCE_START,))
            for lines in counted
            for line in lines
            if line.drafted
        ] or [
            with_calls(Record(NAME, int(drafted), int(accepted), int(emitted)))
            for emitted, drafted, accepted in _EXAMPLE.findall(text)
        ]
    lines = counted[0] if len(counted) == 1 else []
    return [with_calls(_with_statistics(record, lines)) for record in requests]


def _read(text: str) -> tuple[list[Record], list[_Statistics]]:
    """Read requests, with the time that precedes their drafts, and lines of statistics."""
    requests: list[Record] = []
    statistics: list[_Statistics] = []
    timed: tuple[float, int] | None = None
    for line in _LINE.finditer(text):
        if line["ms"]:
            timed = float(line["ms"]) / 1000, int(line["emitted"])
        elif line["drafter"]:
            rounds, generated, accepted = (int(line[name]) for name in ("rounds", "generated", "accepted_total"))
            reached = counts_with_rates(_rates(line["total_rates"]), rounds) if line["total_rates"] else None
            whole = reached if reached and sum(reached) == accepted else None
            statistics.append(_Statistics(line["drafter"], rounds, generated, accepted, whole))
        else:
            seconds, tokens = timed or (None, None)
            record = Record(NAME, int(line["drafted"]), int(line["accepted"]), tokens, seconds=seconds)
            rates, mean = line["rates"] and _rates(line["rates"]), line["mean"] and float(line["mean"])
            requests.append(inferred(replace(record, mean=mean, rates=rates)))
            timed = None
    return requests, statistics


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
        result.append(_Statistics(line.drafter, rounds, drafted, accepted, reached))
        before = line.reached
    return result


def _with_statistics(record: Record, lines: list[_Statistics]) -> Record:
    """Add to a request the rounds of the line of statistics with the same counts, where only one line has them."""
    own = [line for line in lines if (line.drafted, line.accepted) == (record.drafted, record.accepted)]
    if len({(line.rounds, line.reached) for line in own}) != 1:
        return record
    if record.steps is not None and record.steps != own[0].rounds:
        return record
    remarks = (*record.remarks, SINCE_START) if record.steps is None or record.reached is None else record.remarks
    return replace(record, steps=own[0].rounds, reached=record.reached or own[0].reached, remarks=remarks)


def _rates(text: str) -> tuple[float, ...]:
    return tuple(float(rate) for rate in text.split(","))
