"""TensorRT-LLM: the statistics of an iteration, the choice of a response, and the counters of `/prometheus/metrics`.

`/metrics` lists iterations with `specDecodingStats`: in each, every request that drafted made one round. The object
`speculative_decoding` of a choice is that of pull request 19311, open in September 2026. The gauge of the acceptance
length is of the moment of the scrape (collector.py), so it is said, and not divided into the counters.
"""

from typing import Any

from playground.servers.lines import position_in, samples
from playground.servers.record import (
    Record,
    add_up,
    by_position,
    counts_in,
    emitted_in,
    histogram_counts,
    mean_of,
)
from playground.words import word

NAME = "TensorRT-LLM"
GAUGE = word("log_gauge_beside_counts")
_PREFIX = "trtllm_spec_decode_"


def is_response(data: dict[str, Any]) -> bool:
    """Return whether it is the statistics of an iteration, or the object of a choice."""
    return ("numDraftTokens" in data and "numAcceptedTokens" in data) or (
        "total_draft_tokens" in data and "total_accepted_draft_tokens" in data
    )


def from_response(data: dict[str, Any], around: dict[str, Any]) -> Record:
    """One iteration of all requests, or one request."""
    if "numDraftTokens" in data:
        names = {"drafted": "numDraftTokens", "accepted": "numAcceptedTokens", "rounds": "numRequestsWithDraftTokens"}
        return Record(NAME, **counts_in(data, **names))
    names = {"drafted": "total_draft_tokens", "accepted": "total_accepted_draft_tokens", "rounds": "num_spec_steps"}
    counts, length = counts_in(data, **names), data.get("num_spec_tokens")
    rounds = counts["rounds"]
    return Record(
        NAME,
        **counts,
        emitted=emitted_in(around),
        histogram=histogram_counts(data.get("acceptance_histogram"), "acceptance_histogram"),
        length=length if isinstance(length, int) and rounds and length * rounds == counts["drafted"] else None,
    )


def from_counters(text: str) -> list[Record]:
    """Read the counters of a scrape, all engines added up; with the rounds where they are by position."""
    totals: dict[str, int] = {}
    positions: dict[str, dict[int, int]] = {"drafted": {}, "accepted": {}}
    means: list[float] = []
    for series, labels, number in samples(text, _PREFIX):
        if series.endswith("_created"):
            continue
        name = series.removeprefix(_PREFIX).removesuffix("_total")
        if name == "acceptance_length":
            means += filter(None, [mean_of(number, name)])
        elif name in {"num_draft_tokens", "num_accepted_tokens"}:
            add_up(totals, name, number, name)
        elif name in {"drafted_tokens", "accepted_tokens"} and (at := position_in(labels)) is not None:
            add_up(positions[name.removesuffix("_tokens")], at, number, name)
    if drafted := positions["drafted"]:
        at = sorted(drafted)
        return [by_position(NAME, [drafted[k] for k in at], [positions["accepted"].get(k, 0) for k in at])]
    mean = means[0] if len(means) == 1 else None
    if not totals and mean is None:
        return []
    return [
        Record(
            NAME,
            drafted=totals.get("num_draft_tokens"),
            accepted=totals.get("num_accepted_tokens"),
            mean=mean,
            remarks=(GAUGE,) if mean is not None else (),
        )
    ]
