"""The records of a log added up, and what can be said from them. What they do not say is None.

Position k of a draft survives in a round where all drafts up to it were accepted. Verification of a chain stops at its
first rejection, so the counts of accepted tokens say this exactly; with trees the positions are those of the accepted
path.

Where drafted lengths vary, the share among the rounds that drafted so far is no estimate for a fixed length: a draft
model stops where it doubts, so the rounds that got far are the easy ones. A round that accepted its whole draft and
ended before position k leaves k open, and every other round decides it; so another length has bounds, not a value.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from playground.servers.arithmetic import ROUNDS_BY_MEAN, ROUNDS_WITHIN
from playground.servers.record import LEVELS, Record, histogram_of
from playground.servers.words import option_of
from playground.words import listed, paragraph, word

MOST_POINTS = 120  # A timeline has no more.
_OF_ALL, _OF_EQUAL, _OF_DRAFTED = word("log_of_all"), word("log_of_equal"), word("log_of_drafted")


@dataclass(frozen=True, slots=True)
class Survival:
    """One position of a draft."""

    position: int  # from 1
    rounds: int  # They drafted at least this many tokens; all rounds count where lengths were not recorded.
    survived: int  # They accepted at least this many.
    open: int | None  # shorter drafts accepted whole, which decide nothing; None where their lengths were not recorded
    all: int  # rounds


@dataclass(frozen=True, slots=True)
class Length:
    """A fixed draft length, in hindsight: two bounds, which are one number where every round drafted so far."""

    length: int  # Every draft has it.
    # least, most: tokens per target call, the correction or bonus token included
    least: float
    most: float
    cost: float | None  # A round takes so many plain steps; None without the cost of a draft.

    @property
    def tokens(self) -> float | None:
        """Tokens per target call, where the bounds are one number."""
        return self.least if self.least == self.most else None

    @property
    def speed_ups(self) -> tuple[float, float] | None:
        """Over decoding without drafts, at least and at most; None without a cost."""
        return None if self.cost is None else (self.least / self.cost, self.most / self.cost)

    @property
    def speed_up(self) -> float | None:
        """The one number that both bounds are, if they are."""
        return None if self.cost is None or self.tokens is None else self.tokens / self.cost


@dataclass(frozen=True, slots=True)
class Findings:
    """All that a log says. Sums are over the records that have the number, and None where one of them lacks it."""

    servers: tuple[str, ...]
    level: str  # Every record says at least this.
    requests: int
    drafted: int | None
    accepted: int | None
    emitted: int | None
    rounds: int | None
    seconds: float | None
    histogram: tuple[int, ...] | None
    survival: tuple[Survival, ...] | None
    survival_of: str  # It says which rounds the shares are of.
    rounds_within: tuple[int, int] | None  # bounds of the rounds, where they are blank and rounded means leave bounds
    calls: int | None  # target calls by arithmetic, those included that verified no draft
    rates: tuple[float, ...] | None  # marginal rates by position as the server wrote them, where nothing was counted
    remarks: tuple[str, ...]  # sentences: what follows by arithmetic, what was rounded
    means: tuple[float, float] | None  # the least and the greatest of the servers' own means, where rounds are blank
    timeline: (
        tuple[float, ...] | None
    )  # accepted per round along the log, in stretches; or accepted / drafted; or means
    timeline_of: str  # It names what the points are.
    timeline_axis: str  # It is the title of the axis: the same without where the points come from.

    @property
    def draft_efficiency(self) -> float | None:
        """Accepted / drafted."""
        return self.accepted / self.drafted if self.drafted and self.accepted is not None else None

    @property
    def likely_rounds(self) -> float | None:
        """The rounds, or the middle of their bounds where these are within a hundredth of each other."""
        if self.rounds is not None or self.rounds_within is None:
            return self.rounds
        least, most = self.rounds_within
        return (least + most) / 2 if most - least <= 0.01 * least else None

    @property
    def accepted_per_round(self) -> float | None:
        """Without the correction or bonus token."""
        return self.accepted / self.likely_rounds if self.likely_rounds and self.accepted is not None else None

    @property
    def tokens_within(self) -> tuple[float, float] | None:
        """Bounds of the tokens that a target call brought, its own counted; one number where it is known.

        Of the rounds, else of all calls, else of the bounds of the rounds, else of the servers' own means.
        """
        if self.rounds and self.accepted_per_round is not None:
            return 1 + self.accepted_per_round, 1 + self.accepted_per_round
        if self.calls and self.emitted is not None:
            return self.emitted / self.calls, self.emitted / self.calls
        if self.rounds_within and self.accepted is not None:
            return 1 + self.accepted / self.rounds_within[1], 1 + self.accepted / self.rounds_within[0]
        return self.means

    @property
    def tokens_per_call(self) -> float | None:
        """Least of `tokens_within`."""
        return self.tokens_within[0] if self.tokens_within else None

    @property
    def tokens_per_s(self) -> float | None:
        """Return the emitted tokens per second of decoding."""
        return self.emitted / self.seconds if self.seconds and self.emitted is not None else None


def findings(records: Sequence[Record]) -> Findings:
    """Add up some records, of which there is at least one; those that drafted nothing are left out, unless all did."""
    levels, num_records = list(LEVELS), len(records)
    records = [record for record in records if not record.is_idle] or records
    histogram = _histogram(records)
    timeline, of, axis = _timeline(records)
    survival, of_rounds = _survival(records, histogram)
    rounds = _sum([record.rounds for record in records])
    accepted = _sum([record.accepted for record in records])
    counted = rounds is not None and accepted is not None
    means = [] if counted else [record.mean for record in records if record.mean is not None]
    seconds = [record.seconds for record in records if record.seconds is not None]
    return Findings(
        servers=tuple(dict.fromkeys(record.server for record in records)),
        level=min((record.level for record in records), key=levels.index),
        requests=num_records,
        drafted=_sum([record.drafted for record in records]),
        accepted=accepted,
        emitted=_sum([record.emitted for record in records]),
        rounds=rounds,
        seconds=math.fsum(seconds) if len(seconds) == len(records) else None,
        histogram=histogram,
        survival=survival,
        survival_of=of_rounds,
        rounds_within=_rounds_within(records) if rounds is None else None,
        calls=_sum([record.calls for record in records]),
        rates=None if survival else _rates(records),
        remarks=(*_remarks(records), *_idle_remark(num_records - len(records), num_records)),
        means=(min(means), max(means)) if len(means) == len(records) else None,
        timeline=timeline,
        timeline_of=of,
        timeline_axis=axis,
    )


def _remarks(records: Sequence[Record]) -> tuple[str, ...]:
    """Return the remarks of all records, each once; that the rounds are certain only where those of each are."""
    remarks = dict.fromkeys(remark for record in records for remark in record.remarks)
    if ROUNDS_WITHIN in remarks:
        remarks.pop(ROUNDS_BY_MEAN, None)
    return tuple(remarks)


def _idle_remark(num_idle: int, num_records: int) -> list[str]:
    return [word("log_idle", idle=f"{num_idle:,}", count=f"{num_records:,}")] if num_idle else []


def title(findings: Findings) -> str:
    """Name the servers, and say how many records there are of them."""
    servers = listed(findings.servers)
    if findings.requests == 1:
        return word("log_title_one", servers=servers)
    return word("log_title", servers=servers, count=f"{findings.requests:,}")


def lengths(findings: Findings, draft_cost: float | None, verify_cost: float = 1.0) -> tuple[Length, ...]:
    """Speed-up of every fixed draft length up to the longest recorded: an estimate, or bounds of one.

    A chain's first k drafts do not depend on those behind them, so with length n a round emits 1 + the sum of the
    survival of positions 1 to n. At least the rounds that are known to survive do, at most those that leave it open.
    The estimate takes the places where the recorded rounds began for those where the shorter ones would have begun.

    Args:
        findings: with its survival, and with how much each round drafted; else nothing can be said, see `no_lengths`.
        draft_cost: seconds of drafting one token / seconds of a target call for one token.
        verify_cost: seconds of a target call that verifies a draft / of one for one token.
    """
    least, most, estimates = 1.0, 1.0, []
    for position, (survived, undecided) in enumerate(_shares(findings), 1):
        least += survived
        most += survived + undecided
        cost = None if draft_cost is None else verify_cost + position * draft_cost
        estimates.append(Length(position, least, most, cost))
    return tuple(estimates)


def _shares(findings: Findings) -> Iterator[tuple[float, float]]:
    """Yield of each position the share of rounds that accepted it, and the share that leaves it open."""
    if findings.rates and findings.likely_rounds and findings.drafted is not None:
        length = len(findings.rates)
        if (
            abs(findings.drafted / findings.likely_rounds - length) <= 0.01 * length
        ):  # every round drafted all positions
            yield from ((rate, 0.0) for rate in findings.rates)
        return
    for each in findings.survival or ():
        if each.rounds == 0 or each.open is None:
            return
        yield each.survived / each.all, each.open / each.all


def position_rates(findings: Findings) -> tuple[tuple[float, float], ...]:
    """Return (survival, conditional rate) of each position: of all rounds, and of those that accepted all before it."""
    survival = [survived for survived, undecided in _shares(findings) if not undecided]
    pairs = zip(survival, [1.0, *survival], strict=False)
    return tuple((rate, rate / before) for rate, before in pairs if before)


def expected_speed(findings: Findings) -> tuple[float, int] | None:
    """Return (acceptance per position, draft length), as the lab of expected speed takes them; None where unknown."""
    rates = position_rates(findings)
    reached = 1 + sum(survival for survival, _ in rates[:-1])
    return (sum(survival for survival, _ in rates) / reached, len(rates)) if rates else None


def no_lengths(findings: Findings) -> str:
    """Return the reason why other draft lengths cannot be estimated; empty where `lengths` has an estimate."""
    if findings.survival and findings.survival[0].open is None:
        return word("log_no_lengths")
    return ""


def best_length(estimates: Sequence[Length]) -> Length | None:
    """Return the length whose least speed-up no other one's greatest exceeds, the shortest on a tie.

    None without costs, and where the bounds do not decide it.
    """
    best = max(estimates, key=lambda each: each.speed_ups or (0.0, 0.0), default=None)
    if best is None or best.speed_ups is None:
        return None
    others = [each.speed_ups[1] for each in estimates if each is not best and each.speed_ups]
    return best if all(other <= best.speed_ups[0] for other in others) else None


def bounds(pair: tuple[float, float] | None) -> str:
    """Two bounds as text, or the one number that they are; a dash where nothing is known."""
    if pair is None:
        return "–"
    least, most = (f"{bound:.2f}" for bound in pair)
    return least if least == most else word("log_from_to", least=least, most=most)


def rounds_text(findings: Findings) -> str:
    """Return the number of rounds as text, or their bounds; a dash where nothing is known."""
    if findings.rounds is not None or findings.rounds_within is None:
        return "–" if findings.rounds is None else f"{findings.rounds:,}"
    least, most = (f"{bound:,}" for bound in findings.rounds_within)
    return word("log_from_to", least=least, most=most)


def answer(findings: Findings, estimates: Sequence[Length]) -> str:
    """Return what the recorded length pays and which one would pay most, in a sentence; empty without costs."""
    best, own = best_length(estimates), _recorded(findings, estimates)
    if own is None or own.speed_up is None or best is None:
        return ""
    numbers = {
        "length": own.length,
        "times": f"{own.speed_up:.2f}",
        "best": best.length,
        "better": bounds(best.speed_ups),
    }
    return word("log_answer_best", **numbers) if best is own else word("log_answer", **numbers)


def _recorded(findings: Findings, estimates: Sequence[Length]) -> Length | None:
    """Return the length that all rounds drafted, where it is one."""
    if not findings.likely_rounds or findings.drafted is None:
        return None
    length = findings.drafted / findings.likely_rounds
    return next((each for each in estimates if abs(each.length - length) < 0.05), None)


def verdict(findings: Findings, draft_cost: float | None, verify_cost: float = 1.0) -> str:
    """Reason why it is not faster, in a sentence; or what would have to be known to say it."""
    accepted, drafted = findings.accepted_per_round, findings.drafted
    if drafted == 0 or findings.rounds == 0:
        return word("log_none_drafted", option=option_of(findings.servers))
    if accepted is None or not findings.likely_rounds:
        return _verdict_without_rounds(findings)
    if drafted is None:
        return word("log_round", accepted=f"{accepted:.2f}", tokens=f"{1 + accepted:.2f}")
    tokens, length = 1 + accepted, drafted / findings.likely_rounds
    numbers = {"length": f"{length:.2f}", "accepted": f"{accepted:.2f}", "tokens": f"{tokens:.2f}"}
    said = word("log_round_of_length", **numbers)
    if draft_cost is None:
        return paragraph(said, word("log_give_cost"))
    cost = verify_cost + length * draft_cost
    own = _recorded(findings, lengths(findings, draft_cost, verify_cost))
    speed_up = own.speed_up if own and own.speed_up is not None else tokens / cost
    worth = word("log_worth", cost=f"{cost:.2f}", times=f"{speed_up:.2f}")
    if speed_up >= 1:
        return paragraph(said, worth)
    is_drafting = length * draft_cost >= verify_cost - 1
    return paragraph(said, worth, word("log_too_much_drafting") if is_drafting else word("log_too_much_judging"))


def _verdict_without_rounds(findings: Findings) -> str:
    """Tokens per target call from the calls or from the servers' own means; or what is missing."""
    if findings.calls and findings.emitted is not None:
        tokens = f"{findings.emitted / findings.calls:.2f}"
        return word("log_call_of", tokens=tokens, emitted=f"{findings.emitted:,}", calls=f"{findings.calls:,}")
    if findings.tokens_within is None:
        return word("log_no_rounds")
    least, most = (f"{bound:.2f}" for bound in findings.tokens_within)
    said = word("log_call", tokens=least) if least == most else word("log_call_between", least=least, most=most)
    if findings.rounds_within is None:
        return paragraph(said, word("log_no_calls"))
    fewest, most_rounds = (f"{bound:,}" for bound in findings.rounds_within)
    return paragraph(said, word("log_rounds_between", least=fewest, most=most_rounds))


def _rounds_within(records: Sequence[Record]) -> tuple[int, int] | None:
    bounds = [(each.rounds, each.rounds) if each.rounds is not None else each.rounds_within for each in records]
    known = [pair for pair in bounds if pair is not None]
    if len(known) < len(records):
        return None
    return sum(least for least, _ in known), sum(most for _, most in known)


def _rates(records: Sequence[Record]) -> tuple[float, ...] | None:
    """Return the rates by position over all records, weighted by rounds; by drafts where rounds are blank."""
    rates = [record.rates for record in records if record.rates]
    if len(rates) < len(records) or len({len(each) for each in rates}) > 1:
        return None
    rounds = [record.rounds if record.rounds is not None else record.rounds_within for record in records]
    drafted = [record.drafted for record in records]
    weights: list[float] = [(each[0] + each[1]) / 2 if isinstance(each, tuple) else each or 0 for each in rounds]
    if None in rounds:
        weights = [1.0] if len(records) == 1 else [each or 0 for each in drafted]
    whole = sum(weights)
    if not whole:
        return None
    return tuple(
        math.fsum(w * rate for w, rate in zip(weights, each, strict=True)) / whole for each in zip(*rates, strict=True)
    )


def _sum(values: Sequence[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def _histogram(records: Sequence[Record]) -> tuple[int, ...] | None:
    own = [
        histogram_of([accepted for _, accepted in record.per_round]) if record.per_round else record.histogram
        for record in records
    ]
    known = [each for each in own if each is not None]
    return tuple(map(sum, zip_longest(*known, fillvalue=0))) if len(known) == len(own) else None


def _survival(records: Sequence[Record], histogram: tuple[int, ...] | None) -> tuple[tuple[Survival, ...] | None, str]:
    """Return the survival by position, and which rounds it is a share of."""
    pairs = [own for record in records if (own := _pairs(record)) is not None]
    if len(pairs) == len(records):
        return _of_pairs(sum(pairs, Counter[tuple[int, int]]())), _OF_DRAFTED
    if histogram is not None:
        whole = sum(histogram)
        shares = (Survival(k, whole, sum(histogram[k:]), None, whole) for k in range(1, len(histogram)))
        return tuple(shares), _OF_ALL
    if all(record.reached and record.rounds is not None for record in records):
        reached = [record.reached or () for record in records]
        whole = sum(record.rounds or 0 for record in records)
        longest = max(len(each) for each in reached)
        drafted = _sum([record.drafted for record in records])
        undecided = 0 if drafted == whole * longest else None  # no round drafts more, so all of them drafted this many
        survived = [sum(sum(each[k - 1 : k]) for each in reached) for k in range(1, longest + 1)]
        of = _OF_ALL if undecided is None else _OF_EQUAL
        return tuple(Survival(k, whole, count, undecided, whole) for k, count in enumerate(survived, 1)), of
    return None, ""


def _pairs(record: Record) -> Counter[tuple[int, int]] | None:
    """Count rounds by (drafted, accepted); None where these were not recorded."""
    if record.per_round:
        known = [(drafted, accepted) for drafted, accepted in record.per_round if drafted is not None]
        return Counter(known) if len(known) == len(record.per_round) else None
    if record.histogram is not None and record.length is not None and len(record.histogram) <= record.length + 1:
        return Counter(
            {(record.length, accepted): rounds for accepted, rounds in enumerate(record.histogram) if rounds}
        )
    return None


def _of_pairs(pairs: Counter[tuple[int, int]]) -> tuple[Survival, ...]:
    longest = max((drafted for drafted, _ in pairs), default=0)
    shares = []
    for k in range(1, longest + 1):
        tried = sum(rounds for (drafted, _), rounds in pairs.items() if drafted >= k)
        survived = sum(rounds for (_, accepted), rounds in pairs.items() if accepted >= k)
        undecided = sum(rounds for (drafted, accepted), rounds in pairs.items() if accepted == drafted < k)
        shares.append(Survival(k, tried, survived, undecided, pairs.total()))
    return tuple(shares)


def _timeline(records: Sequence[Record]) -> tuple[tuple[float, ...] | None, str, str]:
    """Return the points along the log, their name, and the title of their axis."""
    means = [record.mean for record in records if record.mean is not None and record.accepted is None]
    if len(means) == len(records):
        points, size = _stretches(means)
        of = word("log_along_line") if size == 1 else word("log_along_lines", lines=size)
        return points, of, word("log_tokens_per_call")
    if all(record.per_round for record in records):
        points, size = _stretches([accepted for record in records for _, accepted in record.per_round or ()])
        of = word("log_along_step") if size == 1 else word("log_along_steps", steps=size)
        return points, of, word("chart_accepted")
    shares = [record.accepted / record.drafted for record in records if record.drafted and record.accepted is not None]
    if len(shares) < 2 or len(shares) < len(records) or len(shares) > MOST_POINTS:
        return None, "", ""
    return tuple(shares), word("log_along_records"), word("log_share")


def _stretches(values: Sequence[float]) -> tuple[tuple[float, ...], int]:
    """Return the means of at most `MOST_POINTS` stretches of equal size, and that size."""
    size = max(1, -(-len(values) // MOST_POINTS))
    stretches = [values[at : at + size] for at in range(0, len(values), size)]
    return tuple(math.fsum(each) / len(each) for each in stretches), size
