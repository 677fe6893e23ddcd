"""What the events of a trace must add up to. A law that breaks is a plain sentence that names its round.

Three questions, each of which needs the one before: do the events come in order, are their columns of equal length, do
the numbers agree? The laws about the committed path and the emitted text hold where decoding grows one text (a frontier
of one node); methods that carry several beams are held to all the others. Numbers are compared with room for the
rounding of a file, no more.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from playground.errors import PlaygroundError
from playground.trace.events import Committed, Drafted, Event, Judged, RunFinished, RunStarted, Scored, Trace
from playground.trace.storage import event_name

_SHOWN = 5  # broken laws named in one message
_COIN_TOLERANCE = 1e-5
_TIME_TOLERANCE = {"rel_tol": 1e-4, "abs_tol": 1e-5}
_PERPLEXITY_TOLERANCE = 1e-4

_COLUMNS = {
    Drafted: ("parents", "nodes", "tokens", "draft_probs"),
    Scored: ("nodes", "overlaps", "alternatives"),
    Judged: ("nodes", "outcomes", "target_probs", "draft_probs", "accept_probs", "coins", "reasons"),
    Committed: ("nodes", "tokens", "origins", "log_probs"),
}


def validate(trace: Trace) -> None:
    """Refuse a trace that breaks a law.

    Raises:
        PlaygroundError: with the first few broken laws, one per line.
    """
    broken = broken_laws(trace)
    if broken:
        more = [f"... and {len(broken) - _SHOWN} more."] if len(broken) > _SHOWN else []
        advice = "Record the run again; if it happens again, the method or the loop miscounts."
        raise PlaygroundError("\n".join(["This trace contradicts itself.", *broken[:_SHOWN], *more, advice]))


def is_complete(trace: Trace) -> bool:
    """Whether the run came to its end; an interrupted run has no totals, and may stop in the middle of a round."""
    return bool(trace.events) and isinstance(trace.events[-1], RunFinished)


def broken_laws(trace: Trace) -> list[str]:
    """Every law the trace breaks, as sentences; empty when it is sound."""
    if broken := list(_order(trace.events)):
        return broken
    if broken := list(_equal_columns(trace.events)):
        return broken
    run = _run(trace)
    return [*_tree(run), *_masks(run), *_verdicts(run), *_emission(run), *_clock(run), *_totals(run)]


# One round, and the run as its rounds


@dataclass
class _Round:
    number: int
    drafted: list[Drafted] = field(default_factory=list)
    scored: Scored | None = None
    judged: Judged | None = None
    committed: Committed | None = None

    @property
    def draws(self) -> list[int]:
        """The node of every draw of the round, in draw order."""
        return [node for layer in self.drafted for node in layer.nodes]

    @property
    def path(self) -> list[int]:
        """The emitted nodes that were drafted."""
        event = self.committed
        return [node for node, origin in zip(event.nodes, event.origins, strict=True) if origin == "accepted"]

    def judged_as(self, verdict: str) -> list[int]:
        """The nodes of the draws with this verdict."""
        event = self.judged
        return [node for node, outcome in zip(event.nodes, event.outcomes, strict=True) if outcome == verdict]


@dataclass
class _Run:
    started: RunStarted
    rounds: list[_Round]
    finished: RunFinished | None

    @cached_property
    def committed(self) -> list[Committed]:
        return [each.committed for each in self.rounds if each.committed]

    @cached_property
    def grows_one_text(self) -> bool:
        return all(len(event.frontier) == 1 for event in [self.started, *self.committed])


def _run(trace: Trace) -> _Run:
    started, *rest = trace.events
    finished = rest.pop() if is_complete(trace) and rest else None
    rounds: list[_Round] = []
    for event in rest:
        if not rounds or rounds[-1].committed:
            rounds.append(_Round(len(rounds) + 1))
        if isinstance(event, Drafted):
            rounds[-1].drafted.append(event)
        else:
            setattr(rounds[-1], event_name(event), event)
    return _Run(started, rounds, finished)


# Do the events come in order?

_NEXT = {  # what may follow what
    RunStarted: (Drafted, Scored, RunFinished),
    Drafted: (Drafted, Scored),
    Scored: (Judged,),
    Judged: (Committed,),
    Committed: (Drafted, Scored, RunFinished),
    RunFinished: (),
}


def _order(events: tuple[Event, ...]) -> Iterator[str]:
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
        if not isinstance(event, RunFinished) and event.round != round_number:
            yield (
                f"Round {round_number}: event {number} ({event_name(event)}) says round {event.round}; "
                "rounds count 1, 2, 3 without gaps."
            )
            return


# Are the columns of equal length?


def _equal_columns(events: tuple[Event, ...]) -> Iterator[str]:
    for event in events:
        lengths = {name: len(getattr(event, name)) for name in _COLUMNS.get(type(event), ())}
        if len(set(lengths.values())) > 1:
            shown = ", ".join(f"{name} {length}" for name, length in lengths.items())
            yield f"Round {event.round}: the columns of {event_name(event)} differ in length ({shown})."


# Do the numbers agree? First the tree.


@dataclass
class _Tree:
    """The nodes known so far. A node committed among several beams has no recorded parent: None."""

    parents: dict[int, int | None]
    tokens: dict[int, int]

    def add(self, node: int, parent: int | None, token: int) -> None:
        self.parents[node] = parent
        self.tokens[node] = token

    def has(self, node: int, parent: int, token: int) -> bool:
        """Whether this very node is known."""
        return node in self.parents and self.parents[node] == parent and self.tokens[node] == token


def _tree(run: _Run) -> Iterator[str]:
    prompt = run.started.prompt_ids
    tree = _Tree({i: i - 1 if i else None for i in range(len(prompt))}, dict(enumerate(prompt)))
    frontier = run.started.frontier
    if unknown := [node for node in frontier if node not in tree.parents]:
        yield f"run_started: the frontier names node {unknown[0]}, which is not in the prompt."
    elif len(frontier) == 1 and frontier != [len(prompt) - 1]:
        yield f"run_started: decoding starts from node {frontier[0]}, not from the prompt's last, {len(prompt) - 1}."
    for each in run.rounds:
        yield from _layers(each, frontier, tree)
        if each.scored:
            yield from _scored_nodes(each, tree)
        if each.committed:
            if run.grows_one_text:
                yield from _path(each, frontier[0], tree)
            else:
                yield from _beams(each, tree)
            frontier = each.committed.frontier


def _layers(each: _Round, frontier: list[int], tree: _Tree) -> Iterator[str]:
    """Layers count 1, 2, 3; every draw hangs from the layer above; a node is new, or a repeated draw in its layer."""
    above = frontier
    for depth, layer in enumerate(each.drafted, 1):
        where = f"Round {each.number}, layer {layer.layer}"
        if layer.layer != depth:
            yield f"{where}: layer {depth} was to come next; layers count 1, 2, 3 without gaps."
        here: set[int] = set()
        hosts = set(above)
        for parent, node, token in zip(layer.parents, layer.nodes, layer.tokens, strict=True):
            if parent not in hosts:
                yield f"{where}: node {node} hangs from node {parent}, which is not in the layer above."
            if node <= parent:
                yield f"{where}: node {node} has no larger id than its parent, node {parent}."
            if node in tree.parents and not (node in here and tree.has(node, parent, token)):
                yield f"{where}: node {node} is already another node of the tree."
                continue
            tree.add(node, parent, token)
            here.add(node)
        above = layer.nodes


def _scored_nodes(each: _Round, tree: _Tree) -> Iterator[str]:
    for name in ("nodes", "fed", "columns"):
        unknown = [node for node in getattr(each.scored, name) if node not in tree.parents]
        if unknown:
            yield f"Round {each.number}: {name} of scored names node {unknown[0]}, which does not exist."


def _path(each: _Round, start: int, tree: _Tree) -> Iterator[str]:
    """The committed nodes are a path from the old frontier to the new one; the extra token may be a new node."""
    round_ = f"Round {each.number}"
    event, last = each.committed, start
    for node, token, origin in zip(event.nodes, event.tokens, event.origins, strict=True):
        if origin == "accepted":
            if not tree.has(node, last, token):
                yield f"{round_}: accepted node {node} (token {token}) was not drafted below node {last}."
        elif node not in tree.parents:
            if node <= last:
                yield f"{round_}: the {origin} node {node} has no larger id than its parent, node {last}."
            tree.add(node, last, token)
        elif not tree.has(node, last, token):  # a lossy method may draw a token that it had drafted
            yield f"{round_}: the {origin} node {node} is already another node of the tree."
        last = node
    if event.frontier != [last]:
        yield f"{round_}: the frontier is node {event.frontier[0]}, but the last committed node is {last}."


def _beams(each: _Round, tree: _Tree) -> Iterator[str]:
    for node, token in zip(each.committed.nodes, each.committed.tokens, strict=True):
        if node not in tree.parents:
            tree.add(node, None, token)
    unknown = [node for node in each.committed.frontier if node not in tree.parents]
    if unknown:
        yield f"Round {each.number}: the frontier names node {unknown[0]}, which does not exist."


def _masks(run: _Run) -> Iterator[str]:
    for each in run.rounds:
        if each.scored is None or each.scored.mask is None:
            continue
        round_, scored = f"Round {each.number}", each.scored
        if len(scored.mask) != len(scored.fed):
            yield f"{round_}: the mask has {len(scored.mask)} rows, but {len(scored.fed)} nodes were fed."
            continue
        column = {node: i for i, node in enumerate(scored.columns)}
        for node, row in zip(scored.fed, scored.mask, strict=True):
            if len(row) != len(scored.columns):
                yield f"{round_}: node {node}'s row of the mask has {len(row)} letters, not {len(scored.columns)}."
            elif not set(row) <= set("01"):
                yield f"{round_}: node {node}'s row of the mask has letters other than 0 and 1."
            elif node not in column or row[column[node]] != "1":
                yield f"{round_}: node {node} was fed but does not see itself in the mask."


# Then the verdicts.


def _verdicts(run: _Run) -> Iterator[str]:
    for each in run.rounds:
        if each.judged is None:
            continue
        drafted, judged = Counter(each.draws), Counter(each.judged.nodes)
        if drafted != judged:
            odd = min((drafted - judged) + (judged - drafted))
            yield (
                f"Round {each.number}: node {odd} was drafted {drafted[odd]} times but has {judged[odd]} verdicts; "
                "every draw has one, be it unjudged."
            )
        verdict = each.judged
        columns = (verdict.nodes, verdict.outcomes, verdict.accept_probs, verdict.coins)
        for node, outcome, accept_prob, coin in zip(*columns, strict=True):
            problem = _verdict_problem(outcome, accept_prob, coin)
            if problem:
                yield f"Round {each.number}: node {node} is {outcome}, but {problem}."


def _verdict_problem(outcome: str, accept_prob: float | None, coin: float | None) -> str | None:
    """Accepted means: the coin is below the acceptance probability. A certain verdict may do without a coin."""
    if outcome == "unjudged":
        return None if coin is None else "has a coin; a coin is the test that was not made"
    if accept_prob is None:
        return "has no acceptance probability"
    if coin is None:
        if min(abs(accept_prob), abs(1 - accept_prob)) > _COIN_TOLERANCE:
            return f"has no coin, and its acceptance probability {accept_prob:g} does not decide alone"
        coin = 0.5
    if abs(coin - accept_prob) > _COIN_TOLERANCE and (coin < accept_prob) != (outcome == "accepted"):
        return f"its coin {coin:g} and acceptance probability {accept_prob:g} say otherwise"
    return None


# Then what was emitted.


def _emission(run: _Run) -> Iterator[str]:
    committed = run.committed
    if not run.grows_one_text or not committed:
        return
    emitted = 0
    frontier = run.started.frontier[0]
    for each in run.rounds:
        if each.committed is None:
            return
        ends_run = each.committed is committed[-1]
        yield from _origins(each, frontier)
        yield from _counts(each, ends_run=ends_run)
        emitted += len(each.committed.tokens)
        if emitted > run.started.max_new_tokens:
            yield (
                f"Round {each.number}: {emitted} tokens are emitted by now, "
                f"more than the {run.started.max_new_tokens} allowed."
            )
        frontier = each.committed.frontier[0]


def _origins(each: _Round, frontier: int) -> Iterator[str]:
    """Accepted tokens first, then at most one extra token, whose name says how the judging ended."""
    round_, event = f"Round {each.number}", each.committed
    path = each.path
    extras = event.origins[len(path) :]
    if event.origins[: len(path)] != ["accepted"] * len(path) or len(extras) > 1:
        yield f"{round_}: the origins are {', '.join(event.origins)}; accepted ones come first, then at most one extra."
        return
    rejected = each.judged_as("rejected")
    end = path[-1] if path else frontier
    below_end = {n for layer in each.drafted for p, n in zip(layer.parents, layer.nodes, strict=True) if p == end}
    if extras == ["correction"] and not rejected:
        yield f"{round_}: a correction token was emitted, but nothing was rejected."
    if extras == ["bonus"] and not below_end.isdisjoint(rejected):
        yield f"{round_}: a bonus token was emitted, but a draw below node {end}, where the path ends, was rejected."
    if extras == ["plain"] and each.draws:
        yield f"{round_}: a plain token was emitted, but {len(each.draws)} tokens were drafted."
    if event.extra_prob is not None and not extras:
        yield f"{round_}: extra_prob is given, but no extra token was emitted."


def _counts(each: _Round, *, ends_run: bool) -> Iterator[str]:
    """Emitted = accepted + exactly one. Only the round that ends the run may be cut short."""
    event = each.committed
    accepted, path = set(each.judged_as("accepted")), set(each.path)
    num_extra = len(event.nodes) - len(path)
    if path - accepted:
        yield f"Round {each.number}: node {min(path - accepted)} is emitted as accepted, but was not judged so."
    if accepted - path and (num_extra or not ends_run):
        yield f"Round {each.number}: node {min(accepted - path)} was accepted, but is not emitted."
    if num_extra != 1 and not ends_run:
        yield (
            f"Round {each.number}: {len(event.nodes)} tokens are emitted, {len(path)} of them accepted; "
            "a round that does not end the run emits its accepted tokens and exactly one more."
        )


# Then the clock.


def _clock(run: _Run) -> Iterator[str]:
    if run.started.prefill_s < 0:
        yield f"run_started: prefill_s is negative ({run.started.prefill_s:g})."
    clock = before = 0.0
    for each in run.rounds:
        events = [event for event in (*each.drafted, each.scored, each.committed) if event]
        for event in events:
            for name in ("seconds", "draft_s", "verify_s", "other_s"):
                if getattr(event, name, 0.0) < 0:
                    yield f"Round {each.number}: {name} of {event_name(event)} is negative ({getattr(event, name):g})."
        if each.committed is None:
            return
        event = each.committed
        clock += event.draft_s + event.verify_s + event.other_s
        if event.clock_s < before:
            yield f"Round {each.number}: the clock runs backwards, from {before:g} s to {event.clock_s:g} s."
        if not math.isclose(event.clock_s, clock, **_TIME_TOLERANCE):
            yield f"Round {each.number}: the clock says {event.clock_s:g} s, but the phases so far sum to {clock:g} s."
        before = event.clock_s


# And last the totals.


def _totals(run: _Run) -> Iterator[str]:
    finished, rounds = run.finished, run.rounds
    if finished is None:
        return
    outcomes = Counter(outcome for each in rounds for outcome in each.judged.outcomes)
    counts = {
        "rounds": len(rounds),
        "target_calls": len(rounds),  # one scored event each
        "num_drafted": sum(len(each.draws) for each in rounds),
        "num_judged": outcomes["accepted"] + outcomes["rejected"],
        "num_accepted": outcomes["accepted"],
    }
    if run.grows_one_text:
        counts["num_tokens"] = sum(len(event.tokens) for event in run.committed)
    for name, folded in counts.items():
        if getattr(finished, name) != folded:
            yield f"run_finished: {name} is {getattr(finished, name)}, but the rounds make {folded}."
    for name in ("draft_s", "verify_s", "other_s"):
        told, folded = getattr(finished, name), sum(getattr(event, name) for event in run.committed)
        if not math.isclose(told, folded, **_TIME_TOLERANCE):
            yield f"run_finished: {name} is {told:g}, but the rounds sum to {folded:g}."
    if run.grows_one_text:
        yield from _text_totals(finished, run.committed)


def _text_totals(finished: RunFinished, committed: list[Committed]) -> Iterator[str]:
    if finished.text != "".join(event.text for event in committed):
        yield "run_finished: the text is not what the rounds wrote, one after the other."
    log_probs = [log_prob for event in committed for log_prob in event.log_probs]
    if (finished.perplexity is None) != (not log_probs):
        yield f"run_finished: perplexity is {finished.perplexity} after {len(log_probs)} tokens; None means no tokens."
    elif finished.perplexity is not None:
        mean = sum(log_probs) / len(log_probs)  # compared as logarithms: exp of a large mean is not a float
        if finished.perplexity <= 0 or abs(math.log(finished.perplexity) + mean) > _PERPLEXITY_TOLERANCE:
            yield (
                f"run_finished: perplexity is {finished.perplexity:g}, "
                f"but the log-probabilities have the mean {mean:g}; it is exp(-mean)."
            )
