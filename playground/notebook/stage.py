"""The player's stage at a step of a run, as plain records.

An event is one step, but the verdicts of a round: each has its own, and neighbours that were not tested share one. So a
step has here the number that it has in the player (assets/player/trace/trace.js), in its links and on its timeline.
"""

from dataclasses import dataclass, field

from playground.errors import PlaygroundError
from playground.trace.events import Trace
from playground.trace.fold import Fold, Node, state_at


@dataclass(frozen=True, slots=True)
class Mark:
    """A node of the tree as it stands at the step."""

    state: str  # pending, scored, accepted, rejected, not_tested, correction, bonus, plain or prompt
    qs: tuple[float, ...] = ()  # one for each draw
    p: float | None = None  # p; None where it was not tested.
    faded: bool = False  # whether the round is over and did not keep it


@dataclass(slots=True)
class Stage:
    """One step: the texts so far, and the tree of its round."""

    step: int
    kind: str  # the name of the event, or "not_tested"
    round: int  # 0 before the first
    pieces: dict[int, str]  # token id -> text
    frontier: list[Node]  # The round grows from it.
    marks: dict[Node, Mark] = field(default_factory=dict)  # Every node that the round drafted or emitted has one.

    def mark(self, node: Node) -> Mark:
        """Return the mark of a node; one of the text before the round has the state in which it became text."""
        return self.marks.get(node) or Mark("prompt" if node.kind == "prompt" else node.origin or "accepted")


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
    if each is None:
        return Stage(step, "start", 0, fold.pieces, fold.rounds[0].frontier if fold.rounds else fold.frontier)
    drawn = {draw for draws in each.depths[:num_depths] for draw in draws}
    is_over = kind in ("committed", "finished")
    seen = [node for node in each.nodes if not drawn.isdisjoint(node.draws)] + (each.extras if is_over else [])
    marks = {}
    for node in seen:
        p = next((verdict.p for verdict in node.verdicts(num_verdicts) if verdict.p is not None), None)
        if node.kind == "extra" and node.origin != "correction":
            p = node.extra_prob
        qs = tuple(draw.q for draw in node.draws if draw in drawn)
        marks[node] = Mark(state_at(node, fold, step), qs, p, is_over and node not in each.emitted)
    return Stage(step, "committed" if is_over else kind, each.number, fold.pieces, each.frontier, marks)
