"""Diagnosis of a run's speed: the time of a round by phase, in steps of plain decoding, and what would change it.

Everything is arithmetic on what the run measured and on the machine's measured costs. A speed-up of s means that an
emitted token took 1/s of a step of plain decoding; the parts of that cost add up to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from playground.metrics.acceptance import DepthAcceptance, acceptance_of
from playground.metrics.chance import near_chance
from playground.metrics.counts import NO_POSITIONS, Counts, count, ratio, together
from playground.metrics.speed import speed
from playground.theory.cost_model import Costs, best_draft_length, predicted_speed_up, verification_s
from playground.theory.speculation import break_even_acceptance, expected_emitted
from playground.trace.events import Round, Trace
from playground.words import paragraph, word

SHORTER = 0.2  # share of the rounds that an end token may have cut short, and the draft length still counts as fixed
WORTH_TRYING = 1.05  # a predicted gain below this is within what the prediction misses by


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One run against plain decoding on the same machine.

    Attributes:
        title: the method's.
        counts: of the run.
        depths: acceptance by draft depth.
        speed_up: plain decoding's seconds per token over the run's. Measured, both of them.
        emitted: tokens per round, the correction or bonus token counted.
        draft_steps, verify_steps, rest_steps: a round's time in the draft model, in the target and outside both,
            in steps of plain decoding.
        cost_ratio: c, one draft call over one target call; None without a draft model.
        num_verified: nodes per target call.
        verification: a target call over this many nodes over one on a single node, from the machine's curve.
        pace: the run's target calls over what the curve says of them, both in steps of plain decoding; far from 1 the
            run and the machine's costs were measured under different loads.
        wasted: drafts that did not become text / drafts; None where nothing was drafted.
        depth: depths drafted per round, on average.
        oracle: the speed-up if every round had emitted a token of every depth and a bonus in the time it took.
        chain: the prediction for another draft length; None where its formula does not hold.
        no_prediction: why there is none, in a sentence; empty where there is one.
        tokens: emitted tokens of the run.
        again: of a target that reads paths as rows, what it read twice; None of one that reads trees.
        near_chance: a sentence on a drafter of features that is hardly ever right; else empty.
    """

    title: str
    counts: Counts
    depths: list[DepthAcceptance]
    speed_up: float
    emitted: float
    draft_steps: float
    verify_steps: float
    rest_steps: float
    cost_ratio: float | None
    num_verified: float
    verification: float
    pace: float
    wasted: float | None
    depth: float
    oracle: float
    chain: ChainPrediction | None
    no_prediction: str
    again: ReadAgain | None = None
    near_chance: str = ""

    @property
    def round_steps(self) -> float:
        """A whole round, in steps of plain decoding."""
        return self.draft_steps + self.verify_steps + self.rest_steps


@dataclass(frozen=True, slots=True)
class ReadAgain:
    """Averages of a round whose target reads paths as rows, and takes its state back after a rejection."""

    passes: float  # forward passes of the target
    rows: float  # paths, each with a copy of the state
    tokens: float  # So many were read a second time.
    steps: float  # in passes that read nothing else, in steps of plain decoding
    state_bytes: int  # One state has so many, without what grows with the text.


@dataclass(frozen=True, slots=True)
class ChainPrediction:
    """Prediction of the cost model for a chain of single drafts; acceptance is taken as independent."""

    acceptance_rate: float  # alpha of the run: at each position one draft, tested by itself
    draft_length: int  # gamma of the run
    emitted: float  # tokens per round, predicted
    cost_ratio: float  # c of the machine
    speed_up: float  # predicted at `draft_length`
    # the acceptance rate at which the textbook formula gives 1 at `draft_length`; None where nothing is enough
    break_even: float | None
    best_length: int  # the draft length with the largest predicted speed-up
    best_speed_up: float  # predicted at `best_length`
    rest_s: float  # seconds of a round outside the models

    @property
    def better_length(self) -> int | None:
        """A draft length that is predicted to win, and to be better than this one by more than the prediction errs."""
        worth = self.best_speed_up >= max(1.0, self.speed_up * WORTH_TRYING)
        return self.best_length if worth and self.best_length != self.draft_length else None


def diagnose(traces: Sequence[Trace], costs: Costs, plain_s: float | None = None) -> Diagnosis | None:
    """Diagnose one or more runs of one method with the same options, by their totals; None without a complete round.

    Args:
        plain_s: seconds per token of plain decoding next to these runs; that of `costs` where it was not measured.
    """
    rounds = [each for trace in traces for each in trace.rounds]
    counts, times = together(map(count, traces)), [speed(trace) for trace in traces]
    draft_s, verify_s, other_s = (
        sum(getattr(each, part) for each in times) for part in ("draft_s", "verify_s", "other_s")
    )
    seconds = draft_s + verify_s + other_s
    if not rounds or not counts.num_emitted:
        return None
    start = traces[0].started
    step_s = plain_s or costs.step_s
    per_round = step_s * len(rounds)
    widest = max((len(event.nodes) for each in rounds for event in each.drafted), default=0)
    depth = fmean(len(each.drafted) for each in rounds)
    num_verified = fmean(len(each.scored.fed) for each in rounds)
    call_s = verification_s(costs, max(1.0, num_verified), tree=widest > 1)
    why_not = "" if not counts.num_drafted else _no_prediction(traces, costs, widest)
    return Diagnosis(
        title=start.title,
        counts=counts,
        depths=acceptance_of(rounds, start.tests),
        speed_up=counts.num_emitted * step_s / seconds,
        emitted=counts.num_emitted / len(rounds),
        draft_steps=draft_s / per_round,
        verify_steps=verify_s / per_round,
        rest_steps=other_s / per_round,
        cost_ratio=costs.cost_ratio if start.draft else None,
        num_verified=num_verified,
        verification=call_s / verification_s(costs, 1, tree=widest > 1),
        pace=(verify_s / per_round) / (call_s / costs.step_s),
        wasted=None if not counts.num_drafted else 1 - (ratio(counts.num_accepted, counts.num_drafted) or 0.0),
        depth=depth,
        oracle=(depth + 1) * per_round / seconds,
        chain=None if why_not else _chain(counts, costs, other_s / len(rounds), rounds),
        no_prediction=why_not,
        again=_read_again(rounds, step_s, int(start.target.get("state_bytes") or 0)),
        near_chance=near_chance(traces[0]),
    )


def _read_again(rounds: Sequence[Round], step_s: float, state_bytes: int) -> ReadAgain | None:
    paths = [each.scored.paths for each in rounds if each.scored.paths]
    if not paths:
        return None
    num_rounds = len(rounds)
    return ReadAgain(
        passes=sum(each.passes for each in paths) / num_rounds,
        rows=sum(each.rows for each in paths) / num_rounds,
        tokens=sum(each.again for each in paths) / num_rounds,
        steps=sum(each.again_s for each in paths) / num_rounds / step_s,
        state_bytes=state_bytes,
    )


def by_costs(diagnosis: Diagnosis, costs: Costs) -> Diagnosis:
    """Return the diagnosis with the times that this machine's costs give for what was counted: an estimate.

    A round takes its draft calls, one target call over its nodes, and what plain decoding has outside the target.
    """
    draft_s = diagnosis.counts.draft_calls / diagnosis.counts.num_rounds * (costs.draft_s or 0.0)
    verify_s = costs.chain_s[0] * max(1.0, diagnosis.verification)  # a curve that falls was not measured right
    rest_s = max(0.0, costs.step_s - costs.chain_s[0])
    parts = [seconds / costs.step_s for seconds in (draft_s, verify_s, rest_s)]
    return replace(
        diagnosis,
        draft_steps=parts[0],
        verify_steps=parts[1],
        rest_steps=parts[2],
        speed_up=diagnosis.emitted / sum(parts),
        oracle=(diagnosis.depth + 1) / sum(parts),
    )


def _no_prediction(traces: Sequence[Trace], costs: Costs, widest: int) -> str:
    """Sentence on why alpha and a draft length do not say what such a run emits; empty where they do."""
    tests = traces[0].started.tests
    if tests in NO_POSITIONS:
        return paragraph(NO_POSITIONS[tests], word("why_no_prediction"))
    if widest > 1:
        return word("why_no_prediction_siblings")
    if traces[0].started.method == "sample_and_match":
        return paragraph(word("why_coincidence"), word("why_no_prediction"))
    if traces[0].started.draft is None or costs.cost_ratio is None:
        return word("why_no_prediction_model")
    lengths = [len(each.drafted) for trace in traces for each in trace.rounds[:-1]]  # the last may be cut
    if sum(length < max(lengths) for length in lengths) > SHORTER * len(lengths):
        return word("why_no_prediction_lengths")
    return ""


def _chain(counts: Counts, costs: Costs, rest_s: float, rounds: list[Round]) -> ChainPrediction | None:
    """Return the cost model at the run's own alpha; the draft length is the longest that the run drafted."""
    alpha, cost_ratio = counts.acceptance_per_position, costs.cost_ratio
    if alpha is None or cost_ratio is None:
        return None
    length = max(len(each.drafted) for each in rounds)
    best, gain = best_draft_length(alpha, costs, rest_s, length)
    return ChainPrediction(
        acceptance_rate=alpha,
        draft_length=length,
        emitted=float(expected_emitted(alpha, length)),
        speed_up=predicted_speed_up(alpha, length, costs, rest_s),
        cost_ratio=cost_ratio,
        break_even=break_even_acceptance(length, cost_ratio),
        best_length=best,
        best_speed_up=gain,
        rest_s=rest_s,
    )


def verdict(diagnosis: Diagnosis) -> str:
    """One plain sentence: faster or slower, and what made it so. Every number in it was measured."""
    speed_up = f"{diagnosis.speed_up:.2f}"
    if not diagnosis.counts.num_drafted:
        return word("why_no_drafts", title=diagnosis.title, speed_up=speed_up)
    parts = {
        "verdict": word("why_slower") if diagnosis.speed_up < 1 else word("why_faster"),
        "speed_up": speed_up,
        "emitted": f"{diagnosis.emitted:.2f}",
        "steps": f"{diagnosis.round_steps:.2f}",
        "draft": f"{diagnosis.draft_steps:.2f}",
        "verify": f"{diagnosis.verify_steps:.2f}",
        "nodes": f"{diagnosis.num_verified:.1f}",
        "rest": f"{diagnosis.rest_steps:.2f}",
    }
    sentence = word("why_speed", **parts)
    again = diagnosis.again
    if not (again and again.tokens):
        return sentence
    numbers = {"passes": f"{again.passes:.1f}", "tokens": f"{again.tokens:.1f}", "steps": f"{again.steps:.2f}"}
    return paragraph(sentence, word("why_read_again", **numbers))


def advice(diagnosis: Diagnosis) -> str:
    """Sentences on what would help, by the numbers; a prediction says that it is one."""
    return paragraph(diagnosis.near_chance, _advice(diagnosis)) if diagnosis.near_chance else _advice(diagnosis)


def _advice(diagnosis: Diagnosis) -> str:
    oracle = f"{diagnosis.oracle:.2f}"
    if not diagnosis.counts.num_drafted:
        return word("why_drafting_may_help")
    if diagnosis.oracle <= 1:
        return word("why_oracle_loses", oracle=oracle, most=f"{diagnosis.depth + 1:.1f}")
    if diagnosis.chain is None:
        return paragraph(word("why_oracle_wins", oracle=oracle), diagnosis.no_prediction)
    return _advice_on_length(diagnosis.chain)


def _advice_on_length(chain: ChainPrediction) -> str:
    best = {"best": chain.best_length, "best_speed_up": f"{chain.best_speed_up:.2f}"}
    if chain.best_speed_up < 1:
        acceptance, cost_ratio = f"{chain.acceptance_rate:.2f}", f"{chain.cost_ratio:.2f}"
        return word("why_no_length_wins", acceptance=acceptance, cost_ratio=cost_ratio, **best)
    if chain.better_length is None:
        return word("why_best_length", length=chain.draft_length)
    return word("why_better_length", **best, length=chain.draft_length, speed_up=f"{chain.speed_up:.2f}")
