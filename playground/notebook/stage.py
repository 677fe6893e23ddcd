"""The player's stage at a step of a run, as plain records.

An event is one step, but the verdicts of a round: each has its own, and neighbours that were not tested share one. So a
step has here the number that it has in the player (assets/player/trace/trace.js), in its links and on its timeline.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from playground.errors import PlaygroundError
from playground.trace import fold as tree
from playground.trace.events import Trace
from playground.trace.fold import Fold, state_at


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


def num_steps(trace: Trace) -> int:
    """Count the steps of a run; the last one has this number less one."""
    return len(Fold(trace).steps)


def first_rounds_end(trace: Trace) -> int:
    """Return the step at which the first round is whole; the last step of a run that never came there."""
    steps = Fold(trace).steps
    return next((i for i, step in enumerate(steps) if step.kind == "committed"), max(0, len(steps) - 1))


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
    """Return the stage at this step.

    Raises:
        PlaygroundError: if the run has no such step.
    """
    check_step(trace, step)
    fold = Fold(trace)
    kind, each, num_depths, num_verdicts = fold.steps[step]
    shown = _Shown()
    if each is None:
        start = fold.rounds[0].frontier if fold.rounds else fold.frontier
        return Stage(step, "start", 0, fold.pieces, [shown.of(node) for node in start], [])
    drawn = {draw for draws in each.depths[:num_depths] for draw in draws}
    is_over = kind in ("committed", "finished")
    seen = [node for node in each.nodes if not drawn.isdisjoint(node.draws)] + (each.extras if is_over else [])
    frontier = [shown.of(node) for node in each.frontier]
    nodes = [shown.of(node) for node in seen]
    for one, node in zip(nodes, seen, strict=True):
        verdicts = node.verdicts(num_verdicts)
        one.state = state_at(node, fold, step)
        one.qs = [draw.q for draw in node.draws if draw in drawn]
        one.p = next((verdict.p for verdict in verdicts if verdict.p is not None), None)
        if node.kind == "extra" and node.origin != "correction":
            one.p = node.extra_prob
        one.faded = is_over and node not in each.emitted
    return Stage(step, "committed" if is_over else kind, each.number, fold.pieces, frontier, nodes)


class _Shown:
    """The nodes of a fold as the stage has them, each once; first as a part of the text."""

    def __init__(self) -> None:
        self._nodes: dict[tree.Node, Node] = {}

    def of(self, node: tree.Node) -> Node:
        """Return the node and all its ancestors, as they are on the stage."""
        for above in reversed([each for each in node.path() if each not in self._nodes]):
            parent = self._nodes[above.parent] if above.parent else None
            state = "prompt" if above.kind == "prompt" else above.origin or "accepted"
            self._nodes[above] = Node(above.token, parent, above.kind, above.depth, state=state)
        return self._nodes[node]


def path(node: Node) -> Iterator[Node]:
    """Return the node and all its ancestors, nearest first."""
    at: Node | None = node
    while at is not None:
        yield at
        at = at.parent
