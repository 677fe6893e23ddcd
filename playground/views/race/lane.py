"""One lane of a race's replay: a run cut into rounds, each with its clock, its words and its tree in miniature.

It is a small part of the trace, as plain JSON. The page draws it; here no clock is changed, rounded or made up.
"""

from typing import Annotated, TypedDict

from msgspec import Meta

from playground.metrics.counts import count
from playground.metrics.speed import speed
from playground.trace.events import Committed, Trace
from playground.trace.fold import Fold, Node, TreeRound

STATES = {
    "root": "r",
    "accepted": "a",
    "rejected": "x",
    "not_tested": "u",
    "correction": "c",
    "bonus": "b",
    "plain": "p",
}


class LaneRound(TypedDict):
    """A round; its tree has the roots first, each node with a letter of its state."""

    clock_s: Annotated[float, Meta(description="the decoding clock at its end, as recorded")]
    draft_s: Annotated[float, Meta(description="of the round")]
    num_kept: Annotated[int, Meta(description="words of the text so far that stay, all but with beams")]
    words: Annotated[list[tuple[str, str]], Meta(description="pieces and states that come after them")]
    parents: Annotated[list[int], Meta(description="by index; -1 at a root")]
    states: str


class LaneRun(TypedDict):
    """A run on the decoding clock."""

    prompt: str
    seconds: float
    tokens: int
    tokens_per_s: float | None
    budget: int
    reason: str | None
    seed: int
    repeat: int
    repeats: int
    rounds: list[LaneRound]


def lane_data(trace: Trace, repeat: int = 1, repeats: int = 1) -> LaneRun:
    """Return the run for a lane, which is one of several repeats."""
    started, finished = trace.started, trace.finished
    fold = Fold(trace)
    rounds = [_round(each, each.committed, fold) for each in fold.rounds if each.committed]
    return {
        "prompt": started.prompt,
        "seconds": rounds[-1]["clock_s"] if rounds else 0.0,
        "tokens": count(trace).num_emitted,
        "tokens_per_s": speed(trace).tokens_per_s,
        "budget": started.max_new_tokens,
        "reason": finished.finish_reason if finished else None,
        "seed": started.seed,
        "repeat": repeat,
        "repeats": repeats,
        "rounds": rounds,
    }


def _round(each: TreeRound, done: Committed, fold: Fold) -> LaneRound:
    parents, states = _tree(each)
    return {
        "clock_s": done.clock_s,
        "draft_s": done.draft_s,
        "num_kept": each.num_kept,
        "words": [(fold.pieces.get(node.token, ""), STATES[node.origin or "accepted"]) for node in each.words],
        "parents": parents,
        "states": states,
    }


def _tree(each: TreeRound) -> tuple[list[int], str]:
    """Parents by place, and states as letters: the frontier, the drafts, and what was emitted beyond them."""
    index: dict[Node, int] = {}
    for node in (*each.frontier, *each.nodes, *each.extras):
        if node in each.frontier or node.parent in index:
            index.setdefault(node, len(index))
    parents = [-1 if node in each.frontier or node.parent is None else index[node.parent] for node in index]
    return parents, "".join(STATES[_state(node, each)] for node in index)


def _state(node: Node, each: TreeRound) -> str:
    if node in each.emitted and node.origin not in (None, "accepted"):
        return node.origin
    if node in each.frontier:
        return "root"
    verdict = node.deciding_verdict()
    return verdict.outcome if verdict else "not_tested"
