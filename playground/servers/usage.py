"""Draft counts next to a response in OpenAI's form: the `stats` of LM Studio, the `usage` of tabbyAPI and others.

LM Studio counts drafted tokens as accepted, rejected and ignored, which add up (pull request 210 of lmstudio-js; the
same names in camel case there). `accepted_prediction_tokens` and `rejected_prediction_tokens` are OpenAI's, for outputs
that a client predicts; tabbyAPI writes its drafts there (pull request 452). `speculative_decoding` with proposed and
accepted tokens is a proposal for the same place. No key says which server it was.
"""

from typing import Any

from playground.errors import PlaygroundError
from playground.servers.arithmetic import with_calls
from playground.servers.record import UNNAMED, Record, count_of, counts_in, emitted_in
from playground.words import word

NAME = "LM Studio"
DRAFTED_BY_SUM = word("log_drafted_by_sum")
_ACCEPTED, _REJECTED = "accepted_prediction_tokens", "rejected_prediction_tokens"
_PROPOSED = "proposed_tokens"
_STUDIO = {
    "total_draft_tokens_count": (
        "accepted_draft_tokens_count",
        "rejected_draft_tokens_count",
        "ignored_draft_tokens_count",
    ),
    "totalDraftTokensCount": ("acceptedDraftTokensCount", "rejectedDraftTokensCount", "ignoredDraftTokensCount"),
}


def is_response(data: dict[str, Any]) -> bool:
    """Return whether it is LM Studio's `stats`, or a usage with drafts; OpenAI's own has zeros where none were."""
    studio = any(total in data for total in _STUDIO)
    return studio or _PROPOSED in data or bool(data.get(_ACCEPTED) or data.get(_REJECTED))


def from_response(data: dict[str, Any], around: dict[str, Any]) -> Record:
    """One request."""
    emitted = (
        emitted_in(around) if "usage" in around else count_of(data.get("predictedTokensCount"), "completion_tokens")
    )
    if _PROPOSED in data:
        counts = counts_in(data, drafted=_PROPOSED, accepted="accepted_tokens")
        return with_calls(Record(UNNAMED, **counts, emitted=emitted))
    total = next((total for total in _STUDIO if total in data), None)
    if total is None:
        accepted, rejected = count_of(data.get(_ACCEPTED), _ACCEPTED), count_of(data.get(_REJECTED), _REJECTED)
        drafted = None if accepted is None or rejected is None else accepted + rejected
        return Record(UNNAMED, drafted=drafted, accepted=accepted, remarks=(DRAFTED_BY_SUM,))
    parts = [count_of(data.get(name), name) for name in _STUDIO[total]]
    drafted = count_of(data[total], total)
    added = sum(part or 0 for part in parts)
    if None not in parts and drafted is not None and added != drafted:
        raise PlaygroundError(f"Accepted, rejected and ignored tokens add up to {added:,}, not {drafted:,}.")
    return with_calls(Record(NAME, drafted, parts[0], emitted))
