"""Answers files of Spec-Bench and of drafting heads: a question a line, with the tokens that each target call brought.

`choices[].accept_lengths` has an entry per round. Whether an entry counts the target's own token differs between the
programs that write the file, and its sum tells: with it the entries add up to the new tokens, without it the entries
and their number do.
"""

from typing import Any

from playground.servers.record import UNNAMED, Record, count_of, counts_of, histogram_of, seconds_of
from playground.words import word

NAME = "Spec-Bench"
WITH_OWN = word("log_entries_with_own")
WITHOUT_OWN = word("log_entries_without_own")
UNDECIDED = word("log_entries_undecided")
_LENGTHS = ("accept_lengths", "acceptance_lengths", "accept_length_list", "accepted_lengths")


def is_response(data: dict[str, object]) -> bool:
    """Return whether the object is one choice of an answers file."""
    return any(isinstance(data.get(name), list) for name in _LENGTHS) or (
        isinstance(data.get("decoding_steps"), list) and isinstance(data.get("new_tokens"), list)
    )


def from_response(data: dict[str, object], around: dict[str, object]) -> Record:
    """Read the turns of one question, added up."""
    name = next((each for each in _LENGTHS if isinstance(data.get(each), list)), "")
    entries = counts_of(data.get(name), name) if name else None
    emitted, rounds = _sum(data.get("new_tokens"), "new_tokens"), _sum(data.get("decoding_steps"), "decoding_steps")
    times = data.get("wall_time")
    seconds = [seconds_of(each) for each in times] if isinstance(times, list) else []
    whole = sum(each or 0 for each in seconds) if seconds and None not in seconds else None
    own = _own_token(entries, emitted) if entries else None
    if not entries or own is None:
        rounds = len(entries) if entries else rounds
        mean = emitted / rounds if emitted and rounds and emitted >= rounds else None
        remarks = (UNDECIDED,) if entries else ()
        return Record(UNNAMED, emitted=emitted, rounds=rounds, seconds=whole, mean=mean, remarks=remarks)
    accepted = [entry - own for entry in entries]
    return Record(
        UNNAMED,
        accepted=sum(accepted),
        emitted=emitted,
        rounds=len(entries),
        histogram=histogram_of(accepted),
        seconds=whole,
        remarks=(WITH_OWN if own else WITHOUT_OWN,),
    )


def _own_token(entries: tuple[int, ...], emitted: int | None) -> int | None:
    """Return 1 where an entry counts the target's own token, 0 where not; None where the sums do not tell.

    The prompt's own call brings a token that no round counts, and a text may end inside its last round.
    """
    if 0 in entries:
        return 0
    if emitted is None:
        return None
    slack = max(entries) + 1
    counted, uncounted = abs(emitted - sum(entries)), abs(emitted - sum(entries) - len(entries))
    if min(counted, uncounted) > slack or counted == uncounted:
        return None
    return 1 if counted < uncounted else 0


def _sum(values: Any, name: str) -> int | None:
    """Return the sum over turns; None where there are none."""
    if not isinstance(values, list):
        return count_of(values, name)
    counts = counts_of(values, name)
    return sum(counts) if counts else None
