"""The text of a run, folded from what its rounds committed.

One text only ever grows. With beams the best text may be rewritten, when another beam overtakes it: then it is the path
through the committed nodes to the one that the last round calls the best.
"""

from typing import NamedTuple

from playground.trace.events import Committed, Origin, Trace


class Word(NamedTuple):
    """One emitted token."""

    node: int
    token: int
    log_prob: float  # natural log, under the unwarped target


class BestPath:
    """The committed nodes that are the text, from round to round; with beams those of the best one."""

    def __init__(self, start: int) -> None:
        self.nodes: list[int] = []
        self._start = self._best = start
        self._parents: dict[int, int] = {}
        self._index: dict[int, int] = {}  # node -> its position in the text

    def push(self, event: Committed) -> int:
        """Add what a round emitted; return how many nodes of the text so far remain."""
        self._parents.update(zip(event.nodes, parents_of(event, self._best), strict=True))
        if event.best is not None or event.nodes:
            self._best = event.nodes[-1] if event.best is None else event.best
        new, tail, node = set(event.nodes), [], self._best
        while node in self._parents and (node in new or node not in self._index):
            tail.append(node)
            if self._parents[node] >= node:  # no tree has this; a damaged file may
                break
            node = self._parents[node]
        num_kept = 0 if node in new else self._index.get(node, -1) + 1
        for removed in self.nodes[num_kept:]:
            self._index.pop(removed, None)
        self.nodes[num_kept:] = reversed(tail)
        self._index.update((node, num_kept + i) for i, node in enumerate(self.nodes[num_kept:]))
        return num_kept


def best_text(trace: Trace) -> list[Word]:
    """Return the emitted tokens as they are after the last committed round."""
    if not trace.events:
        return []
    words: dict[int, Word] = {}
    path = BestPath(trace.started.frontier[0])
    for event in trace.committed:
        columns = zip(event.nodes, event.tokens, event.log_probs, strict=True)
        words.update((node, Word(node, token, log_prob)) for node, token, log_prob in columns)
        path.push(event)
    return [words[node] for node in path.nodes]


def written(trace: Trace) -> str:
    """Text that the rounds wrote, one after the other."""
    text = ""
    for event in trace.committed:
        text = text[: event.text_offset] + event.text
    return text


def grown_by(event: Committed) -> list[Origin]:
    """Origins of the text's tokens of this round; with beams, of the first beam. Its length is the step."""
    if event.best is None:
        return list(event.origins)
    parents = dict(zip(event.nodes, event.parents, strict=True))
    origins = dict(zip(event.nodes, event.origins, strict=True))
    node = event.frontier[0] if event.frontier[0] in origins else event.nodes[-1]
    path: list[Origin] = [origins[node]]
    while parents[node] in origins and parents[node] < node:
        node = parents[node]
        path.append(origins[node])
    return path[::-1]


def parents_of(event: Committed, before: int) -> list[int]:
    """Return the parent of each committed node; a single text may omit them, as it is a path from the frontier."""
    return event.parents or [before, *event.nodes[:-1]][: len(event.nodes)]
