"""One lane of a race's replay: a run cut into rounds, each with its clock, its words and its tree in miniature.

It is a small part of the trace, as plain JSON. The page draws it; here no clock is changed, rounded or made up.
"""

from typing import Any

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


def lane_data(trace: Trace) -> dict[str, Any]:
    """Return the run for a lane.

    Returns:
        `seconds` on the decoding clock, `tokens` emitted, the `budget`, and `rounds`, each of
        clock_s: the decoding clock at its end, as recorded.
        draft_s: how much of the round was drafting.
        kept: how many words of the text so far stay; with beams another text may take over, else all.
        words: [[piece, state]] that come after them, the state a letter of `STATES`.
        parents, states: the tree, roots first: each node's parent by place, -1 at a root, and a letter per node.
    """
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
        "rounds": rounds,
    }


def _round(each: TreeRound, done: Committed, fold: Fold) -> dict[str, Any]:
    parents, states = _tree(each)
    return {
        "clock_s": done.clock_s,
        "draft_s": done.draft_s,
        "kept": each.num_kept,
        "words": [[fold.pieces.get(node.token, ""), STATES[node.origin or "accepted"]] for node in each.words],
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
