"""One lane of a race's replay: a run cut into rounds, each with its clock, its words and its tree in miniature.

It is a small part of the trace, as plain JSON. The page draws it; here no clock is changed, rounded or made up.
"""

from __future__ import annotations

from typing import Any

from playground.metrics.counts import count
from playground.metrics.speed import speed
from playground.trace.events import Round, RunStarted, Trace
from playground.trace.texts import parents_of

STATES = {
    "root": "r",
    "accepted": "a",
    "rejected": "x",
    "not_tested": "u",
    "correction": "c",
    "bonus": "b",
    "plain": "p",
}
_WINS = ("accepted", "rejected", "not_tested")  # of several draws at one node, the one that says most


def lane_data(trace: Trace) -> dict[str, Any]:
    """The run for a lane.

    Returns:
        `seconds` on the decoding clock, `tokens` emitted, the `budget`, and `rounds`, each of
        clock_s: the decoding clock at its end, as recorded.
        draft_s: how much of the round was drafting.
        kept: how many words of the text so far stay; with beams another text may take over, else all.
        words: [[piece, state]] that come after them, the state a letter of `STATES`.
        parents, states: the tree, roots first: each node's parent by place, -1 at a root, and a letter per node.
    """
    started = trace.started
    finished = trace.finished
    text, frontier = _Text(started), list(started.frontier)
    rounds = []
    for each in trace.rounds:
        done = each.committed
        kept, words = text.grow(each)
        parents, states = _tree(each, frontier, text.best_before)
        rounds.append(
            {
                "clock_s": done.clock_s,
                "draft_s": done.draft_s,
                "kept": kept,
                "words": words,
                "parents": parents,
                "states": states,
            }
        )
        frontier = list(done.frontier)
    return {
        "prompt": started.prompt,
        "seconds": rounds[-1]["clock_s"] if rounds else 0.0,
        "tokens": count(trace).num_emitted,
        "tokens_per_s": speed(trace).tokens_per_s,
        "budget": started.max_new_tokens,
        "reason": finished.finish_reason if finished else None,
        "seed": started.seed,
        "rounds": rounds,
    }


class _Text:
    """The words of the best text, from round to round."""

    def __init__(self, started: RunStarted) -> None:
        self.pieces = dict(started.pieces)
        self.start = self.best = self.best_before = started.frontier[0]
        self.parents: dict[int, int] = {}
        self.words: dict[int, list[str]] = {}
        self.path: list[int] = []

    def grow(self, each: Round) -> tuple[int, list[list[str]]]:
        """How many words stay, and those that come after."""
        done = each.committed
        for event in (*each.drafted, each.scored, done):
            self.pieces |= event.pieces
        self.best_before = self.best
        self.parents.update(zip(done.nodes, parents_of(done, self.best), strict=True))
        for node, token, origin in zip(done.nodes, done.tokens, done.origins, strict=True):
            self.words[node] = [self.pieces.get(str(token), ""), STATES[origin]]
        if done.best is not None:
            self.best = done.best
        elif done.nodes:
            self.best = done.nodes[-1]
        path, node = [], self.best
        while node != self.start and node in self.words:
            path.append(node)
            node = self.parents[node]
        path.reverse()
        same = 0
        while same < min(len(path), len(self.path)) and path[same] == self.path[same]:
            same += 1
        self.path = path
        return same, [self.words[node] for node in path[same:]]


def _tree(each: Round, frontier: list[int], best: int) -> tuple[list[int], str]:
    """Parents by place, and states as letters: the frontier, the drafts, and what was emitted beyond them."""
    done = each.committed
    roots = list(dict.fromkeys(frontier))
    above: dict[int, int | None] = dict.fromkeys(roots)
    for event in each.drafted:
        above |= {node: parent for node, parent in zip(event.nodes, event.parents, strict=True) if node not in above}
    above |= {
        node: parent
        for node, parent in zip(done.nodes, parents_of(done, best), strict=True)
        if node not in above and parent in above
    }
    verdicts: dict[int, str] = {}
    for node, outcome in zip(each.verified.nodes, each.verified.outcomes, strict=True):
        if node not in verdicts or _WINS.index(outcome) < _WINS.index(verdicts[node]):
            verdicts[node] = outcome
    extras = {node: origin for node, origin in zip(done.nodes, done.origins, strict=True) if origin != "accepted"}
    place = {node: index for index, node in enumerate(above)}
    states = dict.fromkeys(roots, "root")
    named = [extras.get(node) or states.get(node) or verdicts.get(node, "not_tested") for node in above]
    parents = [-1 if parent is None else place[parent] for parent in above.values()]
    return parents, "".join(STATES[state] for state in named)
