"""TensorRT-LLM: the statistics of an iteration, and the choice of a response.

`/metrics` lists iterations with `specDecodingStats`: in each, every request that drafted made one round. The object
`speculative_decoding` of a choice is that of pull request 19311, open in September 2026.
"""

from typing import Any

from playground.servers.record import (
    Record,
    counts_in,
    emitted_in,
    histogram_counts,
)

NAME = "TensorRT-LLM"


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
