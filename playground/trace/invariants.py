"""Invariants of a trace: the events add up. One that is broken is reported as a sentence that names its round.

Four questions, each of which needs the one before: does each event keep the contract of a file, do the events come in
order, are their columns of equal length, do the numbers agree? Those about the origins of the emitted tokens hold where
decoding grows one text. Beams have their own: each hangs from a beam of the round before, its log-probability is the
sum of its tokens', and the text is the best one's. Numbers are compared with room for the rounding of a file, no more.
"""

import math
import os
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from msgspec import ValidationError, convert, to_builtins

from playground.errors import PlaygroundError
from playground.trace.events import (
    BegunRound,
    Committed,
    Drafted,
    RunFinished,
    RunStarted,
    Scored,
    Trace,
    Verified,
)
from playground.trace.faults import event_fault
from playground.trace.storage import event_name, load
from playground.trace.texts import best_text, written
from playground.trace.tree_invariants import mask_invariants, tree_invariants
from playground.words import word

_SHOWN = 5  # broken invariants named in one message
_UNIFORM_TOLERANCE = 1e-5
_TIME_TOLERANCE = {"rel_tol": 1e-4, "abs_tol": 1e-5}
_PERPLEXITY_TOLERANCE = 1e-4
_SUM_SLACK = 1e-3  # five to ten numbers of 4 digits, as files have had


def validate(trace: Trace) -> None:
    """Refuse a trace that breaks an invariant.

    Raises:
        PlaygroundError: with the first few broken invariants, one per line.
    """
    broken = broken_invariants(trace)
    if broken:
        more = [f"... and {len(broken) - _SHOWN} more."] if len(broken) > _SHOWN else []
        advice = "It was changed after it was recorded, or recorded wrongly. Record the run again."
        raise PlaygroundError("\n".join(["This trace contradicts itself.", *broken[:_SHOWN], *more, advice]))


def load_valid(path: str | os.PathLike[str]) -> Trace:
    """Read a trace from a file, checked against its schema and its invariants.

    Raises:
        PlaygroundError: if it cannot be read, is damaged, or contradicts itself.
    """
    trace = load(path)
    validate(trace)
    return trace


def broken_invariants(trace: Trace) -> list[str]:
    """Sentences on every invariant that the trace breaks; empty when it is sound."""
    for check in (_contract, _order, _equal_columns, _optional_columns):
        if broken := list(check(trace)):
            return broken
    counted = (_verdicts, _emission, _clock, _totals)
    checks = (_alternatives, tree_invariants, mask_invariants, *counted, _branch)
    return [sentence for check in checks for sentence in check(trace)]


def _contract(trace: Trace) -> Iterator[str]:
    """Types and ranges: a file is held to them when it is read, a trace that was made in memory is not."""
    for number, event in enumerate(trace.events, 1):
        data = to_builtins(event, enc_hook=str)  # a `Word` is its English
        try:
            convert(data, type(event))
        except ValidationError as error:
            yield event_fault(data, type(event), error, word("fault_event", number=number))


# Do the events come in order?

_NEXT = {  # Each event may be followed by these.
    RunStarted: (Drafted, Scored, RunFinished),
    Drafted: (Drafted, Scored),
    Scored: (Verified,),
    Verified: (Committed,),
    Committed: (Drafted, Scored, RunFinished),
    RunFinished: (),
}


def _order(trace: Trace) -> Iterator[str]:
    events = trace.events
    if not events or not isinstance(events[0], RunStarted):
        yield "The first event is not run_started."
        return
    round_number = 1
    for number, (before, event) in enumerate(pairwise(events), 2):
        if isinstance(before, Committed):
            round_number += 1
        if not isinstance(event, _NEXT[type(before)]):
            yield f"Round {round_number}: event {number} ({event_name(event)}) cannot follow {event_name(before)}."
            return
        if not isinstance(event, RunStarted | RunFinished) and event.round != round_number:
            yield (
                f"Round {round_number}: event {number} ({event_name(event)}) says round {event.round}; "
                "rounds count 1, 2, 3 without gaps."
            )
            return


# Are the columns of equal length?


def _equal_columns(trace: Trace) -> Iterator[str]:
    for event in trace.events:
        lengths = {name: len(getattr(event, name)) for group in event.COLUMNS for name in group}
        if len(set(lengths.values())) > 1:
            shown = ", ".join(f"{name} {length}" for name, length in lengths.items())
            assert not isinstance(event, RunStarted | RunFinished), f"{event_name(event)} has no columns"
            yield f"Round {event.round}: the columns of {event_name(event)} differ in length ({shown})."


def _optional_columns(trace: Trace) -> Iterator[str]:
    """Columns that may be left out have the right length where they are given."""
    for event in (drafted for each in trace.begun_rounds for drafted in each.drafted):
        if event.draft_models and len(event.draft_models) != len(event.nodes):
            yield f"Round {event.round}: {len(event.nodes)} draws have {len(event.draft_models)} draft models."
        if any(model > len(trace.started.other_drafts) for model in event.draft_models):
            yield f"Round {event.round}: draws are from a draft model that the run has not."
    for event in (each.scored for each in trace.begun_rounds if each.scored):
        if event.raw_probs and len(event.raw_probs) != len(event.nodes):
            yield f"Round {event.round}: {len(event.nodes)} nodes have {len(event.raw_probs)} rows of raw_probs."
    for event in trace.committed:
        if event.parents and len(event.parents) != len(event.nodes):
            yield f"Round {event.round}: {len(event.nodes)} nodes are committed with {len(event.parents)} parents."
        beams = len(event.frontier)
        if event.frontier_log_probs and len(event.frontier_log_probs) != beams:
            yield f"Round {event.round}: {beams} beams have {len(event.frontier_log_probs)} log-probabilities."
        if event.best is not None and event.nodes and not event.parents:
            yield f"Round {event.round}: with beams, the parents of the committed nodes must be said."


# Do the numbers agree? The tree's invariants have their own file; here the probabilities and the verdicts.


def _alternatives(trace: Trace) -> Iterator[str]:
    """Check that the probabilities behind a node, [token, p, q] each and perhaps the correction's, are at most 1."""
    for each in trace.begun_rounds:
        for node, rows in zip(each.scored.nodes, each.scored.alternatives, strict=True) if each.scored else ():
            for column, name in ((1, "p"), (3, "correction")):  # A draw that no chance was in has q = 1.
                total = math.fsum(row[column] or 0 for row in rows if len(row) > column)
                if total > 1 + _SUM_SLACK:
                    over = f"{name} behind node {node} comes to {total:g} over different tokens"
                    yield f"Round {each.number}: {over}, more than 1."


def _verdicts(trace: Trace) -> Iterator[str]:
    for each in trace.begun_rounds:
        if each.verified is None:
            continue
        drafted, verified = Counter(each.draws), Counter(each.verified.nodes)
        if drafted != verified:
            odd = min((drafted - verified) + (verified - drafted))
            yield (
                f"Round {each.number}: node {odd} was drafted {drafted[odd]} times but has {verified[odd]} verdicts; "
                "every draw has one, be it not tested."
            )
        verdict = each.verified
        columns = (verdict.nodes, verdict.outcomes, verdict.accept_probs, verdict.uniforms)
        for node, outcome, accept_prob, uniform in zip(*columns, strict=True):
            problem = _verdict_problem(outcome, accept_prob, uniform)
            if problem:
                yield f"Round {each.number}: node {node} is {outcome}, but {problem}."


def _verdict_problem(outcome: str, accept_prob: float | None, uniform: float | None) -> str | None:
    """Check that accepted means u < acceptance probability, u being the random number; a certain verdict needs none."""
    if outcome == "not_tested":
        return None if uniform is None else "has a random number, though its test was not made"
    if accept_prob is None:
        return "has no acceptance probability"
    if uniform is None:
        if min(abs(accept_prob), abs(1 - accept_prob)) > _UNIFORM_TOLERANCE:
            return f"has no random number, and its acceptance probability {accept_prob:g} does not decide alone"
        uniform = 0.5
    if abs(uniform - accept_prob) > _UNIFORM_TOLERANCE and (uniform < accept_prob) != (outcome == "accepted"):
        return f"its random number {uniform:g} and acceptance probability {accept_prob:g} say otherwise"
    return None


# Then what was emitted.


def _emission(trace: Trace) -> Iterator[str]:
    committed = trace.committed
    if not trace.grows_one_text or not committed:
        return
    emitted = 0
    frontier = trace.started.frontier[0]
    for each in trace.begun_rounds:
        if each.committed is None:
            return
        ends_run = each.committed is committed[-1]
        yield from _origins(each, each.committed, frontier)
        yield from _counts(each, each.committed, ends_run=ends_run)
        emitted += len(each.committed.tokens)
        if emitted > trace.started.max_new_tokens:
            yield (
                f"Round {each.number}: {emitted} tokens are emitted by now, "
                f"more than the {trace.started.max_new_tokens} allowed."
            )
        frontier = each.committed.frontier[0]


def _origins(each: BegunRound, event: Committed, frontier: int) -> Iterator[str]:
    """Check that accepted tokens come first, then at most one extra token, whose name says how verification ended."""
    round_ = f"Round {each.number}"
    path = accepted_nodes(event)
    extras = event.origins[len(path) :]
    if event.origins[: len(path)] != ["accepted"] * len(path) or len(extras) > 1:
        yield f"{round_}: the origins are {', '.join(event.origins)}; accepted ones come first, then at most one extra."
        return
    rejected = each.verified_as("rejected")
    end = path[-1] if path else frontier
    below_end = {n for drafted in each.drafted for p, n in zip(drafted.parents, drafted.nodes, strict=True) if p == end}
    if extras == ["correction"] and not rejected:
        yield f"{round_}: a correction token was emitted, but nothing was rejected."
    if extras == ["bonus"] and not below_end.isdisjoint(rejected):
        yield f"{round_}: a bonus token was emitted, but a draw below node {end}, where the path ends, was rejected."
    if extras == ["plain"] and each.draws:
        yield f"{round_}: a plain token was emitted, but {len(each.draws)} tokens were drafted."
    if event.extra_prob is not None and not extras:
        yield f"{round_}: extra_prob is given, but no extra token was emitted."


def _counts(each: BegunRound, event: Committed, *, ends_run: bool) -> Iterator[str]:
    """Check that emitted = accepted + exactly one; only the round that ends the run may be cut short."""
    accepted, path = set(each.verified_as("accepted")), set(accepted_nodes(event))
    num_extra = len(event.nodes) - len(path)
    if path - accepted:
        yield f"Round {each.number}: node {min(path - accepted)} is emitted as accepted, but was not verified so."
    if accepted - path and (num_extra or not ends_run):
        yield f"Round {each.number}: node {min(accepted - path)} was accepted, but is not emitted."
    if num_extra != 1 and not ends_run:
        yield (
            f"Round {each.number}: {len(event.nodes)} tokens are emitted, {len(path)} of them accepted; "
            "a round that does not end the run emits its accepted tokens and exactly one more."
        )


# Then the clock.


def _clock(trace: Trace) -> Iterator[str]:
    clock = before = 0.0
    for each in trace.begun_rounds:
        if each.committed is None:
            return
        event = each.committed
        clock += event.seconds
        if event.clock_s < before:
            yield f"Round {each.number}: the clock runs backwards, from {before:g} s to {event.clock_s:g} s."
        if not math.isclose(event.clock_s, clock, **_TIME_TOLERANCE):
            yield f"Round {each.number}: the clock says {event.clock_s:g} s, but the phases so far sum to {clock:g} s."
        before = event.clock_s


# The totals come last.


def _totals(trace: Trace) -> Iterator[str]:
    finished, rounds = trace.finished, trace.begun_rounds
    if finished is None:
        return
    outcomes = Counter(outcome for each in rounds if each.verified for outcome in each.verified.outcomes)
    counts = {
        "rounds": len(rounds),
        "target_calls": len(rounds),  # one scored event each
        "num_drafted": sum(len(each.draws) for each in rounds),
        "num_tested": outcomes["accepted"] + outcomes["rejected"],
        "num_accepted": outcomes["accepted"],
    }
    text = Trace((trace.started, *trace.committed))
    has_text = trace.grows_one_text or bool(trace.committed and trace.committed[-1].best is not None)
    if trace.grows_one_text:
        counts["num_tokens"] = sum(len(event.tokens) for event in trace.committed)
    elif has_text:
        counts["num_tokens"] = num_tokens = len(best_text(text))
        if num_tokens > trace.started.max_new_tokens:
            most = trace.started.max_new_tokens
            yield f"run_finished: the text has {num_tokens} tokens, more than the {most} allowed."
    for name, folded in counts.items():
        if getattr(finished, name) != folded:
            yield f"run_finished: {name} is {getattr(finished, name)}, but the rounds make {folded}."
    for name in ("draft_s", "verify_s", "other_s"):
        total, folded = getattr(finished, name), sum(getattr(event, name) for event in trace.committed)
        if not math.isclose(total, folded, **_TIME_TOLERANCE):
            yield f"run_finished: {name} is {total:g}, but the rounds sum to {folded:g}."
    if has_text:
        yield from _text_totals(finished, text)


def _text_totals(finished: RunFinished, text: Trace) -> Iterator[str]:
    if finished.text != written(text):
        yield "run_finished: the text is not what the rounds wrote, one after the other."
    log_probs = [word.log_prob for word in best_text(text)]
    if (finished.perplexity is None) != (not log_probs):
        yield f"run_finished: perplexity is {finished.perplexity} after {len(log_probs)} tokens; None means no tokens."
    elif finished.perplexity is not None:
        mean = sum(log_probs) / len(log_probs)  # compared as logarithms: exp of a large mean is not a float
        if finished.perplexity <= 0 or abs(math.log(finished.perplexity) + mean) > _PERPLEXITY_TOLERANCE:
            yield (
                f"run_finished: perplexity is {finished.perplexity:g}, "
                f"but the log-probabilities have the mean {mean:g}; it is exp(-mean)."
            )


def _branch(trace: Trace) -> Iterator[str]:
    """Sentences on every invariant that a branch breaks; none for a run that is not a branch."""
    change = trace.started.branch
    if not change:
        return
    if trace.started.lossless:
        yield "run_started: a branch claims no distribution, for its change follows none; lossless is true."
    number, node, outcome, token = change.round, change.node, change.outcome, change.token
    rounds = trace.begun_rounds
    each = next((each for each in rounds if each.number == number), None)
    if each is None:
        yield f"run_started: the branch is said to begin in round {number}, but there are {len(rounds)}."
    elif outcome is not None and node not in each.verified_as(outcome):
        yield f"Round {number}: node {node} was forced to be {outcome}, but was not verified so."
    elif token is not None and each.committed and token not in each.committed.tokens:
        yield f"Round {number}: token {token} was put in, but is not emitted."


def accepted_nodes(event: Committed) -> list[int]:
    """Return the emitted nodes that were drafted."""
    return [node for node, origin in zip(event.nodes, event.origins, strict=True) if origin == "accepted"]
