"""The log of our recorder around transformers' `generate(assistant_model=...)`: every round with its drafted tokens."""

from playground.errors import PlaygroundError
from playground.servers.record import MOST_ROUNDS, Record, count_of, counts_of, seconds_of

NAME = "transformers"
FORMAT = "speculative-decoding-steps"


def is_response(data: dict[str, object]) -> bool:
    """Return whether the recorder wrote this."""
    return data.get("format") == FORMAT


def from_response(data: dict[str, object], _around: dict[str, object]) -> Record:
    """One call of `generate`."""
    rounds = data.get("rounds", data.get("steps"))  # The first version wrote `steps`.
    if not isinstance(rounds, list) or len(rounds) > MOST_ROUNDS or not all(isinstance(each, dict) for each in rounds):
        raise PlaygroundError(f'"rounds" is not a list of at most {MOST_ROUNDS:,} rounds.')
    per_round = tuple(
        (len(counts_of(each.get("drafted"), "drafted", 4096) or ()), count_of(each.get("accepted"), "accepted") or 0)
        for each in rounds
    )
    drafting = tuple(each for each in per_round if each[0])
    return Record(
        NAME,
        drafted=sum(drafted for drafted, _ in per_round),
        accepted=sum(accepted for _, accepted in per_round),
        emitted=count_of(data.get("emitted"), "emitted"),
        rounds=len(drafting),
        per_round=drafting,
        seconds=seconds_of(data.get("seconds")),
        has_tokens=True,
    )
