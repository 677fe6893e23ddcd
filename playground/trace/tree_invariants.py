"""Invariants of a trace's tree: its nodes, the committed path through it, and the attention masks.

The part of invariants.py that follows the nodes from round to round; it needs events in order and columns of equal
length, which invariants.py has checked by then.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from playground.trace.events import BegunRound, Committed, Scored, Trace

_LOG_PROB_TOLERANCE = {"rel_tol": 1e-5, "abs_tol": 1e-3}  # sums of single-precision numbers


def tree_invariants(trace: Trace) -> Iterator[str]:
    """Sentences on broken invariants of the nodes: their parents, the events that may name them, the committed path."""
    prompt = trace.started.prompt_ids
    tree = _Tree({i: i - 1 if i else None for i in range(len(prompt))}, dict(enumerate(prompt)))
    frontier = trace.started.frontier
    if unknown := [node for node in frontier if node not in tree.parents]:
        yield f"run_started: the frontier names node {unknown[0]}, which is not in the prompt."
    elif len(frontier) == 1 and frontier != [len(prompt) - 1]:
        yield f"run_started: decoding starts from node {frontier[0]}, not from the prompt's last, {len(prompt) - 1}."
    for each in trace.begun_rounds:
        yield from _depths(each, frontier, tree)
        if each.scored:
            yield from _scored_nodes(each.scored, tree)
        if each.committed:
            if trace.grows_one_text:
                yield from _path(each.committed, frontier[0], tree)
            else:
                yield from _beams(each.committed, frontier, tree)
            frontier = each.committed.frontier


def mask_invariants(trace: Trace) -> Iterator[str]:
    """Sentences on broken invariants of the attention masks: a row per node that was fed, and each node sees itself."""
    for each in trace.begun_rounds:
        if each.scored is None or each.scored.mask is None:
            continue
        round_, scored, mask = f"Round {each.number}", each.scored, each.scored.mask
        if len(mask) != len(scored.fed):
            yield f"{round_}: the mask has {len(mask)} rows, but {len(scored.fed)} nodes were fed."
            continue
        column = {node: i for i, node in enumerate(scored.columns)}
        for node, row in zip(scored.fed, mask, strict=True):
            if len(row) != len(scored.columns):
                yield f"{round_}: node {node}'s row of the mask has {len(row)} letters, not {len(scored.columns)}."
            elif node not in column or row[column[node]] != "1":
                yield f"{round_}: node {node} was fed but does not see itself in the mask."


@dataclass
class _Tree:
    """The nodes known so far. A node committed among several beams has no recorded parent: None."""

    parents: dict[int, int | None]
    tokens: dict[int, int]
    # With beams, a committed node's text has it since the prompt.
    log_probs: dict[int, float] = field(default_factory=dict)

    def add(self, node: int, parent: int | None, token: int) -> None:
        self.parents[node] = parent
        self.tokens[node] = token

    def has(self, node: int, parent: int, token: int) -> bool:
        """Return whether the node is known with this parent and token."""
        return node in self.parents and self.parents[node] == parent and self.tokens[node] == token


def _depths(each: BegunRound, frontier: list[int], tree: _Tree) -> Iterator[str]:
    """Depths count 1, 2, 3; every draw hangs from the depth above; a node is new, or a repeated draw at its depth."""
    above = frontier
    for depth, event in enumerate(each.drafted, 1):
        where = f"Round {each.number}, depth {event.depth}"
        if event.depth != depth:
            yield f"{where}: depth {depth} was to come next; depths count 1, 2, 3 without gaps."
        here: set[int] = set()
        hosts = set(above)
        for parent, node, token in zip(event.parents, event.nodes, event.tokens, strict=True):
            if parent not in hosts:
                yield f"{where}: node {node} hangs from node {parent}, which is not at the depth above."
            if node <= parent:
                yield f"{where}: node {node} has no larger id than its parent, node {parent}."
            if node in tree.parents and not (node in here and tree.has(node, parent, token)):
                yield f"{where}: node {node} is already another node of the tree."
                continue
            tree.add(node, parent, token)
            here.add(node)
        above = event.nodes


def _scored_nodes(event: Scored, tree: _Tree) -> Iterator[str]:
    for name in ("nodes", "fed", "columns"):
        unknown = [node for node in getattr(event, name) if node not in tree.parents]
        if unknown:
            yield f"Round {event.round}: {name} of scored names node {unknown[0]}, which does not exist."


def _path(event: Committed, start: int, tree: _Tree) -> Iterator[str]:
    """Check that the committed nodes are a path from the old frontier to the new one; the extra token may be new."""
    round_, last = f"Round {event.round}", start
    if event.parents and event.parents != [start, *event.nodes[:-1]]:
        yield f"{round_}: the parents of the committed nodes are not those of a path down from node {start}."
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


def _beams(event: Committed, frontier: list[int], tree: _Tree) -> Iterator[str]:
    """Check that committed nodes descend from the old beams, and that the new beams and the best are among them."""
    round_ = f"Round {event.round}"
    hosts = set(frontier)
    columns = zip(event.nodes, event.parents or [None] * len(event.nodes), event.tokens, event.log_probs, strict=True)
    for node, parent, token, log_prob in columns:
        if parent is not None and parent not in hosts:
            yield f"{round_}: node {node} is committed below node {parent}, which is not a beam and was not committed."
        if parent is not None and node <= parent:
            yield f"{round_}: node {node} has no larger id than its parent, node {parent}."
        if node not in tree.parents:
            tree.add(node, parent, token)
        elif parent is not None and not tree.has(node, parent, token):
            yield f"{round_}: the committed node {node} is already another node of the tree."
        tree.log_probs[node] = (0.0 if parent is None else tree.log_probs.get(parent, 0.0)) + log_prob
        hosts.add(node)
    if unknown := [node for node in event.frontier if node not in tree.parents]:
        yield f"{round_}: the frontier names node {unknown[0]}, which does not exist."
    elif event.best is not None:
        yield from _ranked(event, hosts, tree)


def _ranked(event: Committed, hosts: set[int], tree: _Tree) -> Iterator[str]:
    """Check that new beams descend from the old ones and carry scores, and that the best text is committed."""
    round_ = f"Round {event.round}"
    if lost := [node for node in event.frontier if node != event.best and node not in hosts]:
        yield f"{round_}: the beam at node {lost[0]} does not hang from a beam of the round before."
    for node, log_prob in zip(event.frontier, event.frontier_log_probs, strict=False):
        if not math.isclose(log_prob, tree.log_probs.get(node, 0.0), **_LOG_PROB_TOLERANCE):
            yield (
                f"{round_}: the beam at node {node} has the log-probability {log_prob:g}, "
                f"but its tokens make {tree.log_probs.get(node, 0.0):g}."
            )
    if event.best not in tree.log_probs:
        yield f"{round_}: the best text ends at node {event.best}, which was never committed."
