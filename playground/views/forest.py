"""The forest one round grew: every drafted node with its probabilities, coin and verdict, as a graph for other tools.

A tree grows from each node of the frontier (one for most methods, W for beams). The correction, bonus or plain token
the round committed hangs below the path it extends; it is no draft and counts as none.
"""

from __future__ import annotations

from os import PathLike
from typing import BinaryIO

import networkx as nx

from playground.errors import PlaygroundError
from playground.trace.events import Round, Trace
from playground.trace.reasons import sentence
from playground.trace.texts import parents_of
from playground.views.tokens import escaped, node_texts
from playground.views.tree_layout import tree_layout

_UNKNOWN = ("p", "q", "joint_p", "joint_q", "accept_prob", "coin", "reason", "origin", "drawn_prob", "draws")
OUTCOMES = ("accepted", "rejected", "not_tested", "correction", "bonus", "plain", "root")


def forest_graph(trace: Trace, round: int = 1) -> nx.DiGraph:
    """The round as a graph, edges from parent to child; empty when the round was not finished.

    Each node has text, kind (root, draft, extra), outcome (one of OUTCOMES) and layer (0: a root). None where it does
    not apply or is not known: origin (committed as accepted, correction, bonus or plain); p and q of its token; joint_p
    and joint_q, products from the root; accept_prob, coin, reason; overlap, sum_x min(p, q) after it; draws, for i.i.d.
    draws may coincide, and the verdict is that of the draw that decided; drawn_prob, an extra token's probability where
    it was drawn, say in the residual. An edge has q.
    """
    graph = nx.DiGraph(round=round)
    each = next((each for each in trace.rounds if each.number == round), None)
    if each is None:
        return graph
    _add_roots(graph, _roots(trace, each))
    _add_drafts(graph, each)
    _add_extras(graph, each)
    _judge(graph, each)
    _multiply(graph)
    _place(graph)
    texts = node_texts(trace, round)
    overlaps = dict(zip(each.scored.nodes, each.scored.overlaps, strict=True))
    for node, attributes in graph.nodes(data=True):
        attributes |= {"text": texts[node], "overlap": overlaps.get(node)}
    return graph


def existing_round(trace: Trace, round: int) -> int:
    """The round itself, if the trace has it.

    Raises:
        PlaygroundError: if it has not.
    """
    num_rounds = len(trace.rounds)
    if not 1 <= round <= num_rounds:
        choice = f"Choose 1 to {num_rounds}." if num_rounds else "It has none."
        raise PlaygroundError(f"The trace has no round {round}. {choice}")
    return round


def write_graphml(graph: nx.DiGraph, path_or_buffer: str | PathLike[str] | BinaryIO) -> None:
    """Write a forest as GraphML, which any graph program reads.

    What is None or empty is left out; a character that XML cannot carry is written as its code, \\x07 or \\ud83d.
    """
    clean = nx.DiGraph(**_clean(graph.graph))
    clean.add_nodes_from((node, _clean(attributes)) for node, attributes in graph.nodes(data=True))
    clean.add_edges_from((parent, child, _clean(attributes)) for parent, child, attributes in graph.edges(data=True))
    # without inferring, a number that is whole in one node and not in another makes two attributes of one name
    nx.write_graphml_xml(clean, path_or_buffer, infer_numeric_types=True)


def _roots(trace: Trace, each: Round) -> list[int]:
    """The frontier the round grew from: where the run started, or what the round before it left."""
    before = {done.round: done.frontier for done in trace.committed}
    return before.get(each.number - 1, trace.started.frontier)


def _add_roots(graph: nx.DiGraph, roots: list[int]) -> None:
    for root in roots:
        graph.add_node(root, **_attributes(kind="root", outcome="root", layer=0))


def _add_drafts(graph: nx.DiGraph, each: Round) -> None:
    for event in each.drafted:
        for node, parent, q in zip(event.nodes, event.parents, event.draft_probs, strict=True):
            if node in graph:
                graph.nodes[node]["draws"] += 1
                continue
            graph.add_node(node, **_attributes(kind="draft", outcome="not_tested", layer=event.depth, q=q, draws=1))
            graph.add_edge(parent, node, q=q)


def _add_extras(graph: nx.DiGraph, each: Round) -> None:
    """Hang each committed token that is no draft below its parent."""
    done = each.committed
    parents = parents_of(done, next(iter(graph)))  # the first root
    for node, parent, origin in zip(done.nodes, parents, done.origins, strict=True):
        if node not in graph:
            layer = graph.nodes[parent]["layer"] + 1
            graph.add_node(node, **_attributes(kind="extra", outcome=origin, layer=layer))
            graph.add_edge(parent, node, q=None)
        graph.nodes[node].update(origin=origin, drawn_prob=None if origin == "accepted" else done.extra_prob)


def _judge(graph: nx.DiGraph, each: Round) -> None:
    """Write each draw's verdict to its node: the later test outweighs the earlier, acceptance outweighs all."""
    verdict = each.verified
    reasons = map(sentence, verdict.reasons, verdict.reason_values or [{}] * len(verdict.reasons))
    columns = (verdict.outcomes, verdict.target_probs, verdict.accept_probs, verdict.uniforms, reasons)
    for node, outcome, p, accept_prob, coin, reason in zip(verdict.nodes, *columns, strict=True):
        known = graph.nodes[node]
        if known["outcome"] != "accepted" and (outcome != "not_tested" or known["outcome"] == "not_tested"):
            known.update(outcome=outcome, p=p, accept_prob=accept_prob, coin=coin, reason=reason)


def _multiply(graph: nx.DiGraph) -> None:
    """Joint probabilities from the root; None from the first unknown factor on."""
    for node in nx.topological_sort(graph):
        parent = next(graph.predecessors(node), None)
        for single, joint in (("p", "joint_p"), ("q", "joint_q")):
            above = 1.0 if parent is None else graph.nodes[parent][joint]
            own = 1.0 if parent is None else graph.nodes[node][single]
            graph.nodes[node][joint] = None if above is None or own is None else above * own


def _place(graph: nx.DiGraph) -> None:
    index = {node: at for at, node in enumerate(graph)}
    parents = [next((index[parent] for parent in graph.predecessors(node)), -1) for node in graph]
    layout = tree_layout(parents, aside={index[node] for node, kind in graph.nodes(data="kind") if kind == "extra"})
    for node, x, y in zip(graph, layout.depths, layout.rows, strict=True):
        graph.nodes[node].update(x=x, y=y)


def _attributes(**known: object) -> dict[str, object]:
    return dict.fromkeys(_UNKNOWN) | known


def _clean(attributes: dict) -> dict:
    return {
        key: escaped(value, keep="\t\n") if isinstance(value, str) else value
        for key, value in attributes.items()
        if value is not None and value != ""
    }
