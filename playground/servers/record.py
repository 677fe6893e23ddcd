"""One request as its server recorded it, or one stretch of a server's life. What was not recorded is None."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from playground.errors import PlaygroundError
from playground.words import word

MOST_ROUNDS = 1_000_000  # One record has no more.
MOST = 10**15  # any count
LONGEST = 4096  # tokens of one draft
UNNAMED = word("log_unnamed")

MEANS, TOTALS, ROUNDS, TOKENS = "means", "totals", "rounds", "tokens"
LEVELS = {
    MEANS: word("log_level_means"),
    TOTALS: word("log_level_totals"),
    ROUNDS: word("log_level_rounds"),
    TOKENS: word("log_level_tokens"),
}


@dataclass(frozen=True, slots=True)
class Record:
    """Counts of one request, or of one stretch of time. Of them only `emitted` has what was not drafted.

    Raises:
        PlaygroundError: if its numbers do not agree with each other, in a sentence that says which.
    """

    server: str
    drafted: int | None = None
    accepted: int | None = None
    emitted: int | None = None  # tokens that came out, those included that were not drafted
    rounds: int | None = None  # target calls that verified a draft
    rounds_within: tuple[int, int] | None = None  # the least and the most of them, where a rounded mean leaves several
    histogram: tuple[int, ...] | None = None  # entry j: rounds that accepted exactly j
    per_round: tuple[tuple[int | None, int], ...] | None = None  # drafted (if it is known) and accepted, in order
    reached: tuple[int, ...] | None = None  # entry k: rounds that accepted more than k, where no histogram is
    length: int | None = None  # tokens drafted in a round, where it is the same in all of them
    seconds: float | None = None  # Decoding took so long, prefill excluded.
    mean: float | None = None  # tokens per round, the target's own counted, as the server wrote it
    rates: tuple[float, ...] | None = None  # entry k: marginal rate of position k + 1, as the server wrote it
    calls: int | None = None  # target calls, those included that verified no draft
    remarks: tuple[str, ...] = ()  # sentences: what follows by arithmetic, what was rounded
    has_tokens: bool = False

    def __post_init__(self) -> None:
        listed = None if self.per_round is None else [accepted for _, accepted in self.per_round]
        histogram = self.histogram if listed is None else None
        if histogram is not None:
            self._agree(
                "histogram", rounds=sum(histogram), accepted=sum(at * count for at, count in enumerate(histogram))
            )
        if listed is not None:
            self._agree("list of rounds", rounds=len(listed), accepted=sum(listed))
        if self.drafted is not None and self.accepted is not None and self.accepted > self.drafted:
            raise PlaygroundError(f"{self.accepted:,} tokens were accepted of {self.drafted:,} that were drafted.")
        if any(max(accepted, drafted or 0) > LONGEST for drafted, accepted in self.per_round or ()):
            raise PlaygroundError(f"One round has more than {LONGEST:,} tokens.")
        if any(drafted is not None and accepted > drafted for drafted, accepted in self.per_round or ()):
            raise PlaygroundError("One round accepted more than it drafted.")

    def _agree(self, what: str, **computed: int) -> None:
        """Compare the written totals with those of a histogram or a list; one that was not written is the computed."""
        for of, count in computed.items():
            written = getattr(self, of)
            if written is None:
                object.__setattr__(self, of, count)
            elif written != count:
                noun = "accepted tokens" if of == "accepted" else of
                raise PlaygroundError(f"By the {what} there were {count:,} {noun}, by the total {written:,}.")

    @property
    def is_idle(self) -> bool:
        """True where nothing was drafted."""
        return self.drafted == 0 or self.rounds == 0

    @property
    def level(self) -> str:
        """The detail of the record."""
        if self.has_tokens:
            return TOKENS
        if self.mean is not None and self.accepted is None:
            return MEANS
        return ROUNDS if self.per_round or self.histogram or self.reached else TOTALS


def count_of(value: Any, name: str) -> int | None:
    """Return a count, or None where there is none.

    Raises:
        PlaygroundError: if something else is there.
    """
    if value is None:
        return None
    is_whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    if isinstance(value, bool) or not is_whole or not 0 <= value <= MOST:
        raise PlaygroundError(f'"{name}" is not a count.')
    return int(value)


def counts_in(data: Mapping[str, object], **names: str) -> dict[str, Any]:
    """Return counts of a record by its fields, from the names that an object has for them."""
    return {field: count_of(data.get(name), name) for field, name in names.items()}


def by_position(server: str, drafted: Sequence[int], accepted: Sequence[int], emitted: int | None = None) -> Record:
    """Make a record of counts by position. Every round drafts its first position, so that one counts the rounds."""
    return Record(server, sum(drafted), sum(accepted), emitted, rounds=drafted[0], reached=tuple(accepted))


def emitted_in(response: dict[str, object]) -> int | None:
    """Return the tokens that a response in OpenAI's form wrote; None where it does not say."""
    usage = response.get("usage")
    return count_of(usage.get("completion_tokens"), "completion_tokens") if isinstance(usage, dict) else None


def counts_of(value: Any, name: str, most: int = MOST_ROUNDS) -> tuple[int, ...] | None:
    """Return a list of counts, or None where there is none."""
    if value is None:
        return None
    if not isinstance(value, list) or len(value) > most:
        raise PlaygroundError(f'"{name}" is not a list of at most {most:,} counts.')
    counts = [count_of(entry, name) for entry in value]
    if None in counts:
        raise PlaygroundError(f'"{name}" has a gap.')
    return tuple(entry for entry in counts if entry is not None)


def histogram_counts(value: Any, name: str) -> tuple[int, ...] | None:
    """Return counts by accepted tokens, from a list or from an object whose keys are numbers of accepted tokens."""
    if not isinstance(value, dict):
        return counts_of(value, name, LONGEST)
    if len(value) > LONGEST or not all(len(key) < 5 and key.isdecimal() for key in map(str, value)):
        raise PlaygroundError(f'"{name}" is not a histogram of accepted tokens.')
    counts = {int(key): count_of(count, name) or 0 for key, count in value.items()}
    return tuple(counts.get(index, 0) for index in range(max(counts, default=-1) + 1))


def rates_of(value: Any, name: str, whole: float = 1.0) -> tuple[float, ...] | None:
    """Shares between 0 and 1 of a list whose entries are between 0 and `whole`; None where there is no list."""
    if value is None:
        return None
    if not isinstance(value, list) or len(value) > LONGEST:
        raise PlaygroundError(f'"{name}" is not a list of at most {LONGEST:,} rates.')
    if any(isinstance(rate, bool) or not isinstance(rate, int | float) or not 0 <= rate <= whole for rate in value):
        raise PlaygroundError(f'"{name}" has an entry that is not between 0 and {whole:g}.')
    return tuple(rate / whole for rate in value)


def mean_of(value: Any, name: str) -> float | None:
    """Tokens per round with the target's own, at least 1; None where there is none, or 0 for no rounds yet."""
    if value is None or value == 0 or value != value:  # NaN, where there was no round
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 1 <= value <= LONGEST + 1:
        raise PlaygroundError(f'"{name}" is not a mean of 1 or more: it counts the token that is always there.')
    return float(value)


def seconds_of(value: Any, parts: int = 1) -> float | None:
    """Convert a time above 0 to seconds, given in this many parts of a second; return None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < MOST:
        return None
    return value / parts


def with_contradiction(record: Record) -> Record:
    """Add a remark where fewer tokens were written than the rounds and their accepted drafts make.

    A text may end inside its last round, so that round's draft may be missing.
    """
    emitted, accepted, rounds = record.emitted, record.accepted, record.rounds
    if emitted is None or accepted is None or not rounds:
        return record
    longest = record.length or (-(-record.drafted // rounds) if record.drafted else accepted)
    if record.per_round:
        longest = max(count for _, count in record.per_round)
    if accepted + rounds - emitted <= longest:
        return record
    counts = {"emitted": emitted, "rounds": rounds, "accepted": accepted, "expected": accepted + rounds}
    remark = word("log_fewer_written", **{name: f"{count:,}" for name, count in counts.items()})
    return replace(record, remarks=(*record.remarks, remark))


def histogram_of(accepted: Sequence[int]) -> tuple[int, ...]:
    """Entry j: how many of these are j."""
    counts = Counter(accepted)
    return tuple(counts[number] for number in range(max(counts, default=-1) + 1))
