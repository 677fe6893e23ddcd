"""Acceptance of drafts: by depth in the draft tree, and round by round."""

from dataclasses import dataclass
from statistics import fmean

from playground.metrics.counts import ratio, reached
from playground.metrics.interval import wilson_interval
from playground.trace.events import Origin, Round, Trace
from playground.trace.texts import grown_by

# The tries of a rule go by what it tests.
TRIES = {
    "draws": "positions reached",
    "selected draws": "positions reached",
    "layers": "tested drafts",
    "prefixes": "drafts",
    "": "",
}


@dataclass(frozen=True, slots=True)
class DepthAcceptance:
    """One draft depth over a whole run. Draws are counted but for the last three; no correction or bonus token is.

    What is counted as a try is a position that was reached, where the rule tests positions; a tested draw, where it
    fills a depth with several texts; a drafted one, where it keeps or drops whole prefixes.
    """

    depth: int  # from 1, just below the frontier
    num_drafted: int
    num_tested: int  # accepted + rejected
    num_accepted: int
    tries: str  # They are named in words; empty where the trace does not say.
    num_tries: int
    num_passed: int  # tries that were accepted
    rate: float | None  # passed / tries; None when there was none, or the trace does not say what was tested
    reach: float  # rounds in which this depth was tested / all rounds
    exact: float | None  # mean overlap of p and q over the tested parents, see `_overlaps`; None where none was drawn

    @property
    def interval(self) -> tuple[float, float] | None:
        """95 % Wilson interval of passed / tries; None when there was none."""
        return wilson_interval(self.num_passed, self.num_tries)


@dataclass(frozen=True, slots=True)
class RoundAcceptance:
    """Tokens of one round, and what ended it; with beams, the emitted tokens are the first beam's."""

    round: int  # from 1
    num_drafted: int  # draws
    num_tested: int  # draws
    num_accepted: int  # draws; more than `emitted_drafts` where an end of text or of budget cut the accepted path
    emitted_drafts: int  # accepted drafts that became text, without the extra token
    extras: tuple[Origin, ...]  # the tokens that are no drafts: one correction, bonus or plain token; none when cut
    num_emitted: int  # emitted_drafts + extras


def acceptance_by_depth(trace: Trace) -> list[DepthAcceptance]:
    """Fold the verdicts by draft depth, every drafted depth from the first to the deepest."""
    return acceptance_of(trace.rounds, trace.started.tests) if trace.events else []


def acceptance_of(rounds: list[Round], tests: str) -> list[DepthAcceptance]:
    """Count acceptance by depth over the rounds of one run or several, of a method whose rule tests this."""
    depths = sorted({event.depth for each in rounds for event in each.drafted})
    return [_depth_acceptance(rounds, depth, tests) for depth in depths]


def accepted_per_round(trace: Trace) -> list[RoundAcceptance]:
    """Fold each complete round into what it drafted, what it accepted and what ended it."""
    return [
        RoundAcceptance(
            round=each.number,
            num_drafted=sum(len(event.nodes) for event in each.drafted),
            num_tested=sum(outcome != "not_tested" for outcome in each.verified.outcomes),
            num_accepted=each.verified.outcomes.count("accepted"),
            emitted_drafts=emitted.count("accepted"),
            extras=tuple(origin for origin in emitted if origin != "accepted"),
            num_emitted=len(emitted),
        )
        for each in trace.rounds
        for emitted in [grown_by(each.committed)]
    ]


def _depth_acceptance(rounds: list[Round], depth: int, tests: str) -> DepthAcceptance:
    drafted = sum(len(event.nodes) for each in rounds for event in each.drafted if event.depth == depth)
    tested = [_tested_draws(each, depth) for each in rounds]  # per round: (node, accepted?)
    num_tested = sum(len(draws) for draws in tested)
    num_accepted = sum(accepted for draws in tested for _, accepted in draws)
    positions = [passed for each in rounds for passed in _reached_at(each, depth).values()]
    num_tries, num_passed = {
        "positions reached": (len(positions), sum(positions)),
        "tested drafts": (num_tested, num_accepted),
        "drafts": (drafted, num_accepted),
        "": (0, 0),
    }[TRIES[tests]]
    exact = [
        overlap
        for each, draws in zip(rounds, tested, strict=True)
        for overlap in _overlaps(each, {node for node, _ in draws})
    ]
    return DepthAcceptance(
        depth=depth,
        num_drafted=drafted,
        num_tested=num_tested,
        num_accepted=num_accepted,
        tries=TRIES[tests],
        num_tries=num_tries,
        num_passed=num_passed,
        rate=ratio(num_passed, num_tries),
        reach=sum(bool(draws) for draws in tested) / len(rounds),
        exact=fmean(exact) if exact else None,
    )


def _tested_draws(each: Round, depth: int) -> list[tuple[int, bool]]:
    depth_of = each.depth_of
    return [
        (node, outcome == "accepted")
        for node, outcome in zip(each.verified.nodes, each.verified.outcomes, strict=True)
        if outcome != "not_tested" and depth_of[node] == depth
    ]


def _reached_at(each: Round, depth: int) -> dict[int, bool]:
    """Return the positions of this depth, see `counts.reached`."""
    above = {parent for event in each.drafted if event.depth == depth for parent in event.parents}
    return {node: passed for node, passed in reached(each).items() if node in above}


def _overlaps(each: Round, nodes: set[int]) -> list[float]:
    """sum_x min(p, q) at every parent of `nodes`: once per parent, however many of its children were tested.

    For sampled draws it is the acceptance probability of the first draw there by speculative sampling, and so at most
    the probability that one of several is accepted. Tokens proposed without chance have q = 1 each: there it is p of
    all of them together. For a lossy rule it is no acceptance probability.
    """
    parent_of = each.parent_of
    parents = {parent_of[node] for node in nodes}
    overlap_at = dict(zip(each.scored.nodes, each.scored.overlaps, strict=True))
    return [overlap for parent in sorted(parents) if (overlap := overlap_at.get(parent)) is not None]
