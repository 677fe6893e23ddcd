"""A trace folded into trees: nodes with their draws and verdicts, the text with its origins, and the steps of a reader.

The twin of assets/player/trace/trace.js: tests/golden/fold.json holds both to the same numbers. An interrupted run
folds as far as it came.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from playground.errors import PlaygroundError
from playground.trace.events import (
    Committed,
    Drafted,
    Event,
    Origin,
    Outcome,
    RunFinished,
    RunStarted,
    Scored,
    Trace,
    Verified,
)
from playground.trace.reasons import sentence
from playground.trace.texts import BestPath, parents_of
from playground.words import word

Moment = Literal["start", "drafted", "scored", "verified", "not_tested", "committed", "finished"]
State = Literal["prompt", "pending", "scored", "accepted", "rejected", "not_tested", "correction", "bonus", "plain"]


@dataclass(slots=True, eq=False)
class Verdict:
    """The test of one draw, or that there was none."""

    index: int  # in the round
    outcome: Outcome
    p: float | None
    q: float | None
    accept_prob: float | None
    uniform: float | None
    reason: str  # in a sentence


@dataclass(slots=True, eq=False)
class Draw:
    """One draw; several may coincide in a node."""

    q: float
    depth: int  # below the frontier, from 1
    verdict: Verdict | None = None


@dataclass(slots=True, eq=False)
class Node:
    """A token of the tree. The id of a pruned node is used again, so nodes are compared as objects."""

    id: int
    token: int
    parent: Node | None
    kind: Literal["prompt", "draft", "extra"]  # extra: emitted without having been drafted
    depth: int  # in tokens from the first of the prompt
    draws: list[Draw] = field(default_factory=list)
    origin: Origin | None = None  # once it is text
    extra_prob: float | None = None  # An emitted token that is no draft has it where it was drawn.
    since: int = 0  # the step at which it became text

    def path(self) -> Iterator[Node]:
        """Return the node and all its ancestors, nearest first."""
        node: Node | None = self
        while node is not None:
            yield node
            node = node.parent

    def verdicts(self, before: int | None = None) -> list[Verdict]:
        """Return the verdicts on its draws in draw order, those with an index below `before`."""
        known = [draw.verdict for draw in self.draws if draw.verdict]
        return known if before is None else [verdict for verdict in known if verdict.index < before]

    def deciding_verdict(self) -> Verdict | None:
        """Return the accepted verdict of several draws, else the last that was tested, else the last."""
        known = self.verdicts()
        tested = [verdict for verdict in known if verdict.outcome != "not_tested"]
        accepted = [verdict for verdict in tested if verdict.outcome == "accepted"]
        return next(iter(accepted[:1] or tested[-1:] or known[-1:]), None)


@dataclass(slots=True, eq=False)
class TreeRound:
    """One round as a tree, as far as it came."""

    number: int
    frontier: list[Node]  # The round grows from it; with beams in order of rank.
    depths: list[list[Draw]] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)  # drafted
    extras: list[Node] = field(default_factory=list)  # emitted without having been drafted
    verdicts: list[Verdict] = field(default_factory=list)
    scored: Scored | None = None
    row_of: dict[Node, int] = field(default_factory=dict)  # node -> its row in the target call
    committed: Committed | None = None
    emitted: list[Node] = field(default_factory=list)
    num_kept: int = 0  # words of the text so far that stay; with beams another text may take over
    words: list[Node] = field(default_factory=list)  # They continue the text after the nodes.


class Step(NamedTuple):
    """A position of the reader's cursor. An event is one; of the verdicts each, neighbours without a test together."""

    kind: Moment
    round: TreeRound | None
    num_depths: int  # drafted of the round, up to it
    num_verdicts: int


class Fold:
    """The state after the events of a trace, and every step on the way."""

    def __init__(self, trace: Trace) -> None:
        self.pieces: dict[int, str] = {}  # token id -> text
        self.rounds: list[TreeRound] = []
        self.steps: list[Step] = []
        self.words: list[Node] = []  # the text; with beams that of the best one
        self.frontier: list[Node] = []
        self._live: dict[int, Node] = {}  # by id, the newest that bears it
        self._text = BestPath(trace.started.frontier[0]) if trace.events else BestPath(-1)
        for event in trace.events:
            self._take(event)

    def piece(self, node: Node) -> str:
        """Return the text of a node's token, or its number where the trace does not say."""
        return self.pieces.get(node.token, f"⟨{node.token}⟩")

    def _take(self, event: Event) -> None:
        self.pieces |= {int(token): piece for token, piece in getattr(event, "pieces", {}).items()}
        match event:
            case RunStarted():
                for index, token in enumerate(event.prompt_ids):
                    self._add(index, token, self._live.get(index - 1), "prompt")
                self.frontier = [self._node(node) for node in event.frontier]
                self._step("start", None)
            case Drafted():
                self._draft(self._open(event.round), event)
            case Scored():
                self._score(self._open(event.round), event)
            case Verified():
                self._verify(self._open(event.round), event)
            case Committed():
                self._commit(self._open(event.round), event)
            case RunFinished():
                self._step("finished", self.rounds[-1] if self.rounds else None)

    def _open(self, number: int) -> TreeRound:
        if not self.rounds or self.rounds[-1].committed:
            self.rounds.append(TreeRound(number, self.frontier))
        return self.rounds[-1]

    def _draft(self, each: TreeRound, event: Drafted) -> None:
        drawn = []
        for id, parent, token, q in zip(event.nodes, event.parents, event.tokens, event.draft_probs, strict=True):
            node = self._live.get(id)
            if node is None or node not in each.nodes:
                node = self._add(id, token, self._node(parent), "draft")
                each.nodes.append(node)
            node.draws.append(Draw(q, event.depth))
            drawn.append(node.draws[-1])
        each.depths.append(drawn)
        self._step("drafted", each)

    def _score(self, each: TreeRound, event: Scored) -> None:
        each.scored = event
        each.row_of = {self._node(id): row for row, id in enumerate(event.nodes)}
        self._step("scored", each)

    def _verify(self, each: TreeRound, event: Verified) -> None:
        reasons = map(sentence, event.reasons, event.reason_values or [{}] * len(event.reasons))
        columns = (event.target_probs, event.draft_probs, event.accept_probs, event.uniforms, reasons)
        untold = {}  # node -> its draws without a verdict, which are tested in draw order
        for index, (id, outcome, *numbers) in enumerate(zip(event.nodes, event.outcomes, *columns, strict=True)):
            node = self._node(id)
            verdict = Verdict(index, outcome, *numbers)
            if draw := next(untold.setdefault(node, iter(node.draws)), None):
                draw.verdict = verdict
            each.verdicts.append(verdict)
            if outcome != "not_tested" or event.outcomes[index + 1 : index + 2] != ["not_tested"]:
                self._step("not_tested" if outcome == "not_tested" else "verified", each)

    def _commit(self, each: TreeRound, event: Committed) -> None:
        each.committed = event
        parents = parents_of(event, each.frontier[0].id)
        for id, token, origin, parent in zip(event.nodes, event.tokens, event.origins, parents, strict=True):
            node = self._live.get(id)
            if node is None or node.token != token:
                node = self._add(id, token, self._node(parent), "extra")
                each.extras.append(node)
            node.origin, node.since = origin, len(self.steps)
            node.extra_prob = None if origin == "accepted" else event.extra_prob
            each.emitted.append(node)
        self.frontier = [self._node(id) for id in event.frontier]
        each.num_kept = self._text.push(event)
        each.words = [self._live[id] for id in self._text.nodes[each.num_kept :]]
        self.words[each.num_kept :] = each.words
        self._step("committed", each)

    def _add(self, id: int, token: int, parent: Node | None, kind: Literal["prompt", "draft", "extra"]) -> Node:
        self._live[id] = node = Node(id, token, parent, kind, parent.depth + 1 if parent else 0)
        return node

    def _node(self, id: int) -> Node:
        if id not in self._live:
            raise PlaygroundError(word("refused_node", node=id))
        return self._live[id]

    def _step(self, kind: Moment, each: TreeRound | None) -> None:
        sizes = (len(each.depths), len(each.verdicts)) if each else (0, 0)
        self.steps.append(Step(kind, each, *sizes))


def state_at(node: Node, fold: Fold, step: int) -> State:
    """State of a node of a step's round at that step."""
    at = fold.steps[step]
    if node.kind == "prompt":
        return "prompt"
    if node.origin is not None and node.origin != "accepted" and node.since <= step:
        return node.origin
    outcomes: list[Outcome] = [verdict.outcome for verdict in node.verdicts(at.num_verdicts)]
    if "accepted" in outcomes:
        return "accepted"
    if "rejected" in outcomes:
        return "rejected"
    if outcomes:
        return outcomes[-1]
    is_scored = at.kind != "drafted" and at.round is not None and node in at.round.row_of
    return "scored" if is_scored else "pending"
