"""The log of our recorder around transformers' `generate(assistant_model=...)`: every step with its drafted tokens."""

from typing import Any

from playground.errors import PlaygroundError
from playground.servers.record import MOST_STEPS, Record, count_of, counts_of, seconds_of
from playground.words import word

NAME = "transformers"
FORMAT = "speculative-decoding-steps"


def is_response(data: dict[str, Any]) -> bool:
    """Return whether the recorder wrote this."""
    return data.get("format") == FORMAT


def from_response(data: dict[str, Any], _around: dict[str, Any]) -> Record:
    """One call of `generate`."""
    steps = data.get("steps")
    if not isinstance(steps, list) or len(steps) > MOST_STEPS or not all(isinstance(each, dict) for each in steps):
        raise PlaygroundError(word("log_no_steps", most=f"{MOST_STEPS:,}"))
    per_step = tuple(
        (len(counts_of(each.get("drafted"), "drafted", 4096) or ()), count_of(each.get("accepted"), "accepted") or 0)
        for each in steps
    )
    drafting = tuple(each for each in per_step if each[0])
    return Record(
        NAME,
        drafted=sum(drafted for drafted, _ in per_step),
        accepted=sum(accepted for _, accepted in per_step),
        emitted=count_of(data.get("emitted"), "emitted"),
        steps=len(drafting),
        per_step=drafting,
        seconds=seconds_of(data.get("seconds")),
        has_tokens=True,
    )
