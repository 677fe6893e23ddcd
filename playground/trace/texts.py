"""The text of a run, folded from what its rounds committed.

One text only ever grows. With beams the best text may be rewritten, when another beam overtakes it: then it is the path
through the committed nodes to the one that the last round calls the best.
"""

from __future__ import annotations

from typing import NamedTuple

from playground.trace.events import Committed, Origin, Trace


class Word(NamedTuple):
    """One emitted token."""

    node: int
    token: int
    log_prob: float  # natural log, under the unwarped target


def best_text(trace: Trace) -> list[Word]:
    """The emitted tokens as they stand after the last committed round."""
    words: dict[int, Word] = {}
    parents: dict[int, int] = {}
    best = start = trace.started.frontier[0] if trace.events else -1
    for event in trace.committed:
        parents.update(zip(event.nodes, parents_of(event, best), strict=True))
        columns = zip(event.nodes, event.tokens, event.log_probs, strict=True)
        words.update((node, Word(node, token, log_prob)) for node, token, log_prob in columns)
        best = event.nodes[-1] if event.best is None and event.nodes else best if event.best is None else event.best
    path = []
    while best != start and best in words:
        path.append(words[best])
        if parents[best] >= best:  # no tree has this; a damaged file may
            break
        best = parents[best]
    return path[::-1]


def written(trace: Trace) -> str:
    """What the rounds wrote, one after the other."""
    text = ""
    for event in trace.committed:
        text = text[: event.text_offset] + event.text
    return text


def grown_by(event: Committed) -> list[Origin]:
    """How the text's tokens of this round came about; with beams, those of the first beam. Its length is the step."""
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
    """The parent of each committed node; one text may leave them unsaid, for it is a path down from the frontier."""
    return event.parents or [before, *event.nodes[:-1]][: len(event.nodes)]
