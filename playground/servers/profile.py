"""The speculation profile: acceptance by position of one drafter, as a file that simulators and schedulers read.

The names are those of pull requests 2247 and 2316 of NVIDIA's Model-Optimizer, open in September 2026. A marginal rate
is the share of all rounds that accepted a position and all before it; a conditional rate is the share of the rounds
that accepted those before it. `acceptance_length_histogram` counts rounds by what they emitted, the target's own token
included. A profile without it holds rates alone, and how many rounds they are of is not known.
"""

from itertools import accumulate
from operator import mul

from playground.errors import PlaygroundError
from playground.servers.findings import Findings
from playground.servers.record import UNNAMED, Record, histogram_counts, mean_of, rates_of
from playground.words import word

NAME = "a speculation profile"
VERSION = "1.0"
RATES_ALONE = word("log_rates_alone")
MEAN_BY_RATES = word("log_mean_by_rates")
_HISTOGRAM = "acceptance_length_histogram"
_MEASURED = "Acceptance_Length_Histogram"  # The program that measures a profile writes this name.


def is_response(data: dict[str, object]) -> bool:
    """Return whether it is a profile, including one of which nothing was measured."""
    names = ("conditional_accept_rates", "marginal_accept_rates", _MEASURED)
    return any(name in data for name in names) or _is_stub(data)


def from_response(data: dict[str, object], _around: dict[str, object]) -> Record:
    """Read the record of one profile."""
    if _is_stub(data):
        raise PlaygroundError("The profile says of itself that nothing was measured.")
    marginal = rates_of(data.get("marginal_accept_rates"), "marginal_accept_rates")
    if marginal is None:
        conditional = rates_of(data.get("conditional_accept_rates"), "conditional_accept_rates") or ()
        marginal = tuple(accumulate(conditional, mul))
    by_length = histogram_counts(data.get(_HISTOGRAM, data.get(_MEASURED)), _HISTOGRAM)
    if by_length and not by_length[0]:
        histogram = by_length[1:]
        length = data.get("num_speculative_tokens")
        fixed = length if isinstance(length, int) and length > 0 else None
        drafted = fixed * sum(histogram) if fixed else None
        return Record(UNNAMED, drafted, histogram=histogram, length=fixed)
    mean, remarks = mean_of(data.get("mean_accept_length"), "mean_accept_length"), (RATES_ALONE,)
    if mean is None:
        mean, remarks = 1 + sum(marginal), (RATES_ALONE, MEAN_BY_RATES)
    return Record(UNNAMED, mean=mean, rates=marginal, remarks=remarks)


def profile(findings: Findings) -> dict[str, object]:
    """Return the profile of what a log says, ready for json.dumps.

    Raises:
        PlaygroundError: where acceptance by position was not recorded, or drafts had several lengths.
    """
    survival = findings.survival
    if survival and any(each.rounds != each.all for each in survival):
        raise PlaygroundError(
            "The drafts had several lengths, so rates by position would be of different rounds: no profile is written. "
            "Record a run with one draft length."
        )
    marginal = [each.survived / each.all for each in survival or () if each.all] or list(findings.rates or ())
    if not marginal:
        raise PlaygroundError(
            "Acceptance by position was not recorded, and a profile is made of it. Wanted is a log with a "
            "histogram, with rounds, or with rates by position."
        )
    tokens = findings.tokens_per_call
    rounds = None if findings.rates else findings.rounds
    return {
        "schema_version": VERSION,
        "measured": True,
        "num_speculative_tokens": len(marginal),
        "conditional_accept_rates": [round(rate, 6) for rate in _quotients(marginal)],
        "marginal_accept_rates": [round(rate, 6) for rate in marginal],
        "mean_accept_length": round(tokens if tokens is not None else 1 + sum(marginal), 6),
        _HISTOGRAM: {str(at + 1): count for at, count in enumerate(findings.histogram or ()) if count} or None,
        "measurement_conditions": {"num_rounds": rounds, "read_from": list(findings.servers)},
    }


def _is_stub(data: dict[str, object]) -> bool:
    return data.get("measured") is False and "schema_version" in data


def _quotients(marginal: list[float]) -> list[float]:
    """Conditional rates; 0 behind a position that no round accepted."""
    before = [1.0, *marginal[:-1]]
    return [rate / earlier if earlier else 0.0 for rate, earlier in zip(marginal, before, strict=True)]
