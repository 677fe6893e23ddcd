"""What stands on the player's stage at a step of a run, as plain records.

An event is one step, but the verdicts of a round: each has its own, and neighbours that were not tested share one. So a
step has here the number that it has in the player (assets/player/trace/trace.js), in its links and on its timeline.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from playground.errors import PlaygroundError
from playground.trace.events import Committed, Drafted, Event, RunFinished, RunStarted, Scored, Trace, Verified


@dataclass(slots=True, eq=False)
class Node:
    """A token of the tree, as it stands at the step."""

    token: int
    parent: Node | None
    kind: str  # "prompt", "draft", or "extra": emitted without having been drafted
    depth: int  # in tokens from the first of the prompt
    qs: list[float | None] = field(default_factory=list)  # one per draw
    state: str = "pending"  # or scored, accepted, rejected, not tested, correction, bonus, plain, prompt
    p: float | None = None
    faded: bool = False  # the round is over and did not keep it


@dataclass(slots=True)
class Stage:
    """One step: the texts so far, and the tree of its round."""

    step: int
    kind: str = "start"  # the name of the event, or "not_tested"
    round: int = 0  # 0 before the first
    pieces: dict[int, str] = field(default_factory=dict)  # token id -> text
    frontier: list[Node] = field(default_factory=list)  # what the round grows from
    nodes: list[Node] = field(default_factory=list)  # that the round drafted or emitted


@dataclass(slots=True)
class _Fold:
    stage: Stage
    live: dict[int, Node] = field(default_factory=dict)  # by id; one that was pruned gives its id away
    next_frontier: list[Node] = field(default_factory=list)


def num_steps(trace: Trace) -> int:
    """How many steps the run has; the last one is this less one."""
    return sum(len(_cut(event)) for event in trace.events)


def first_rounds_end(trace: Trace) -> int:
    """The step at which the first round is whole, where there is one."""
    steps = 0
    for event in trace.events:
        steps += len(_cut(event))
        if isinstance(event, Committed):
            break
    return max(0, steps - 1)


def check_step(trace: Trace, step: int) -> None:
    """Refuse a step that the run does not have.

    Raises:
        PlaygroundError: in one sentence.
    """
    last = num_steps(trace) - 1
    if last < 0:
        raise PlaygroundError("This trace is empty, so it has no step. Record a run first.")
    if not 0 <= step <= last:
        raise PlaygroundError(f"This run has no step {step}. Choose one from 0 to {last}.")


def stage_at(trace: Trace, step: int) -> Stage:
    """What is on the stage at this step.

    Raises:
        PlaygroundError: if the run has no such step.
    """
    check_step(trace, step)
    fold = _Fold(Stage(step))
    at = -1
    for event in trace.events:
        for part in _cut(event):
            at += 1
            _take(fold, event, part)
            if at == step:
                return fold.stage
    raise AssertionError((step, at))


def _cut(event: Event) -> list[range]:
    """The steps of an event, each with the verdicts that it tells."""
    if not isinstance(event, Verified):
        return [range(0)]
    steps, begin = [], 0
    for place, outcome in enumerate(event.outcomes):
        is_last = event.outcomes[place + 1 : place + 2] != ["not_tested"]
        if outcome != "not_tested" or is_last:
            steps.append(range(begin, place + 1))
            begin = place + 1
    return steps


def _take(fold: _Fold, event: Event, part: range) -> None:
    stage = fold.stage
    for token, piece in getattr(event, "pieces", {}).items():
        stage.pieces[int(token)] = piece
    stage.kind = type(event).__name__.lower()
    if not isinstance(event, RunStarted | RunFinished) and event.round != stage.round:
        stage.round, stage.nodes = event.round, []
        stage.frontier = fold.next_frontier or stage.frontier
    match event:
        case RunStarted():
            for place, token in enumerate(event.prompt_ids):
                _add(fold, place, token, fold.live.get(place - 1), "prompt", "prompt")
            stage.nodes, stage.frontier = [], [fold.live[node] for node in event.frontier]
        case Drafted():
            for node, parent, token, q in zip(event.nodes, event.parents, event.tokens, event.draft_probs, strict=True):
                if (known := fold.live.get(node)) is None or known not in stage.nodes:
                    known = _add(fold, node, token, fold.live[parent], "draft", "pending")
                known.qs.append(q)
        case Scored():
            for node in (fold.live[asked] for asked in event.nodes):
                if node.state == "pending":
                    node.state = "scored"
        case Verified():
            for place in part:
                _judge(fold.live[event.nodes[place]], event, place)
        case Committed():
            _commit(fold, event)
        case RunFinished():
            stage.kind = "committed" if stage.nodes else "start"  # what the last round kept


def _add(fold: _Fold, name: int, token: int, parent: Node | None, kind: str, state: str) -> Node:
    node = Node(token, parent, kind, parent.depth + 1 if parent else 0, state=state)
    fold.live[name] = node
    fold.stage.nodes.append(node)
    return node


def _judge(node: Node, event: Verified, place: int) -> None:
    outcome = event.outcomes[place]
    if node.state == "accepted":
        return
    if outcome != "not_tested" or node.state != "rejected":  # another draw of a token that was rejected
        node.state = outcome
    if node.p is None:
        node.p = event.target_probs[place]


def _commit(fold: _Fold, event: Committed) -> None:
    stage = fold.stage
    kept: list[Node] = []
    for place, (name, token, origin) in enumerate(zip(event.nodes, event.tokens, event.origins, strict=True)):
        node = fold.live.get(name)
        if node is None or node.token != token:
            root = stage.frontier[min(place, len(stage.frontier) - 1)]
            parent = fold.live[event.parents[place]] if event.parents else kept[-1] if kept else root
            node = _add(fold, name, token, parent, "extra", origin)
            node.p = None if origin == "correction" else event.extra_prob
        if origin != "accepted":
            node.state = origin
        kept.append(node)
    for node in stage.nodes:
        node.faded = node not in kept
    fold.next_frontier = [fold.live[name] for name in event.frontier]


def path(node: Node) -> Iterator[Node]:
    """The node and all above it, nearest first."""
    at: Node | None = node
    while at is not None:
        yield at
        at = at.parent
