"""The forest one round grew: every drafted node with its probabilities, coin and verdict, as a graph and as a picture.

A tree grows from each node of the frontier (one for most methods, W for beams). The correction, bonus or plain token
the round committed hangs below the path it extends; it is no draft and counts as none.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from os import PathLike
from typing import BinaryIO

import networkx as nx
import plotly.graph_objects as go

from playground.errors import PlaygroundError
from playground.trace.events import Round, Trace
from playground.trace.texts import parents_of
from playground.views.theme import COLOURS, INK, SYMBOLS, blank_figure, note
from playground.views.tokens import escaped, node_texts, plotly_safe, shortened, visible

_UNKNOWN = ("p", "q", "joint_p", "joint_q", "accept_prob", "coin", "reason", "origin", "drawn_prob", "draws")
OUTCOMES = ("accepted", "rejected", "unjudged", "correction", "bonus", "plain", "root")


@dataclass(frozen=True, slots=True)
class ForestData:
    """The graph of one round, where its nodes stand, and its shape. The counts leave out roots and the extra token."""

    round: int
    graph: nx.DiGraph
    positions: dict[int, tuple[float, float]]  # node -> (layer, row): left to right, first draw on top
    depth: int  # drafted nodes on the longest path
    widths: tuple[int, ...]  # drafted nodes per layer, layer 1 first
    num_nodes: int  # drafted nodes; draws that coincide are one node
    num_leaves: int  # drafted nodes without a drafted child
    branching: float | None  # mean drafted children of a node that has any; None when nothing was drafted


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
    texts = node_texts(trace, round)
    overlaps = dict(zip(each.scored.nodes, each.scored.overlaps, strict=True))
    for node, attributes in graph.nodes(data=True):
        attributes |= {"text": texts[node], "overlap": overlaps.get(node)}
    return graph


def forest_data(trace: Trace, round: int = 1) -> ForestData:
    """The round's forest, laid out and measured."""
    graph = forest_graph(trace, round)
    drafted = graph.subgraph([node for node, kind in graph.nodes(data="kind") if kind == "draft"])
    layers = Counter(layer for _, layer in drafted.nodes(data="layer"))
    parents = Counter(parent for parent, child in graph.edges if graph.nodes[child]["kind"] == "draft")
    return ForestData(
        round=round,
        graph=graph,
        positions=_layout(graph),
        depth=max(layers, default=0),
        widths=tuple(layers[layer] for layer in sorted(layers)),
        num_nodes=len(drafted),
        num_leaves=sum(degree == 0 for _, degree in drafted.out_degree),
        branching=len(drafted) / len(parents) if parents else None,
    )


def forest_figure(data: ForestData) -> go.Figure:
    """The forest from left to right: symbol and colour by outcome, edge width by draft probability q."""
    rows = 1 + max((y for _, y in data.positions.values()), default=0)
    figure = blank_figure(
        x="draft layer (tokens below the frontier)", y="", axis=None, height=int(max(260, 130 + 54 * rows))
    )
    if not data.positions:
        return note(figure, f"Round {data.round} was not finished.")
    _draw_edges(figure, data)
    for outcome in OUTCOMES:
        nodes = [node for node in data.positions if data.graph.nodes[node]["outcome"] == outcome]
        if nodes:
            _draw_nodes(figure, data, outcome, nodes)
    if _longest(data) <= 8:  # beyond that two numbers do not fit below a node
        _write_probabilities(figure, data)
    figure.update_xaxes(range=[-0.5, _longest(data) + 0.5], dtick=1)
    return figure.update_yaxes(range=[rows - 0.3, -0.7], visible=False)


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
    nx.write_graphml_xml(clean, path_or_buffer)


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
            graph.add_node(node, **_attributes(kind="draft", outcome="unjudged", layer=event.layer, q=q, draws=1))
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
    verdict = each.judged
    columns = (verdict.outcomes, verdict.target_probs, verdict.accept_probs, verdict.coins, verdict.reasons)
    for node, outcome, p, accept_prob, coin, reason in zip(verdict.nodes, *columns, strict=True):
        known = graph.nodes[node]
        if known["outcome"] != "accepted" and (outcome != "unjudged" or known["outcome"] == "unjudged"):
            known.update(outcome=outcome, p=p, accept_prob=accept_prob, coin=coin, reason=reason)


def _multiply(graph: nx.DiGraph) -> None:
    """Joint probabilities from the root; None from the first unknown factor on."""
    for node in nx.topological_sort(graph):
        parent = next(graph.predecessors(node), None)
        for single, joint in (("p", "joint_p"), ("q", "joint_q")):
            above = 1.0 if parent is None else graph.nodes[parent][joint]
            own = 1.0 if parent is None else graph.nodes[node][single]
            graph.nodes[node][joint] = None if above is None or own is None else above * own


def _attributes(**known: object) -> dict[str, object]:
    return dict.fromkeys(_UNKNOWN) | known


def _layout(graph: nx.DiGraph) -> dict[int, tuple[float, float]]:
    """Leaves on rows of their own, in draw order; every other node midway between its first and last child."""
    positions: dict[int, tuple[float, float]] = {}
    next_row = 0
    roots = [node for node in graph if graph.in_degree(node) == 0]
    for root in roots:
        for node in nx.dfs_postorder_nodes(graph, root):  # children before their parent, in draw order
            rows = [positions[child][1] for child in graph.successors(node)]
            row = (rows[0] + rows[-1]) / 2 if rows else float(next_row)
            next_row += not rows
            positions[node] = (float(graph.nodes[node]["layer"]), row)
    return positions


def _draw_edges(figure: go.Figure, data: ForestData) -> None:
    """One trace per tenth of q, for a plotly line has one width; dotted to a token that is no draft."""
    gap = 0.011 * (_longest(data) + 1)  # of an edge, at each end: the radius of a symbol on a page of usual width
    edges: dict[float | None, list[tuple[int, int]]] = {}
    for parent, child, q in data.graph.edges(data="q"):
        edges.setdefault(None if q is None else math.ceil(q * 10) / 10, []).append((parent, child))
    for tenth in sorted(edges, key=lambda tenth: -1.0 if tenth is None else tenth):
        xs: list[float | None] = []
        ys: list[float | None] = []
        for parent, child in edges[tenth]:
            (left, above), (right, below) = data.positions[parent], data.positions[child]
            xs += [left + gap, right - gap, None]
            ys += [above + gap * (below - above), below - gap * (below - above), None]
        line = {"color": INK, "width": 1.5, "dash": "dot"} if tenth is None else {"color": INK, "width": 1 + 5 * tenth}
        name = "not drafted" if tenth is None else f"q up to {tenth:.1f}"
        figure.add_scatter(
            name=name, x=xs, y=ys, mode="lines", line=line, opacity=0.55, hoverinfo="skip", showlegend=False
        )


def _draw_nodes(figure: go.Figure, data: ForestData, outcome: str, nodes: list[int]) -> None:
    colour, symbol = COLOURS[outcome], SYMBOLS[outcome]
    figure.add_scatter(
        name="frontier" if outcome == "root" else outcome,
        mode="markers+text",
        x=[data.positions[node][0] for node in nodes],
        y=[data.positions[node][1] for node in nodes],
        marker={"symbol": symbol, "size": 13, "color": colour, "line": {"color": colour, "width": 2}},
        text=[_label(data.graph.nodes[node]) for node in nodes],
        textposition="top center",
        cliponaxis=False,
        hovertext=[_sentence(data.graph.nodes[node]) for node in nodes],
        hoverinfo="text",
    )


def _write_probabilities(figure: go.Figure, data: ForestData) -> None:
    """p and q below every draft that has them."""
    known = [(node, data.graph.nodes[node]) for node in data.positions if data.graph.nodes[node]["q"] is not None]
    figure.add_scatter(
        name="probabilities",
        mode="text",
        x=[data.positions[node][0] for node, _ in known],
        y=[data.positions[node][1] for node, _ in known],
        text=[_probabilities(attributes) for _, attributes in known],
        textposition="bottom center",
        textfont={"size": 10},
        cliponaxis=False,
        hoverinfo="skip",
        showlegend=False,
    )


def _probabilities(node: dict) -> str:
    p = f"p {node['p']:.2g}  " if node["p"] is not None else ""  # unknown where no test was made
    return f"<br>{p}q {node['q']:.2g}"  # an empty line first: clear of the symbol


def _longest(data: ForestData) -> int:
    """Layers to draw, the extra token's included."""
    return int(max((x for x, _ in data.positions.values()), default=0))


def _label(node: dict) -> str:
    return plotly_safe(shortened(visible(node["text"])))


_FACTS = {
    "p": "target probability p",
    "q": "draft probability q",
    "accept_prob": "acceptance probability",
    "coin": "coin",
    "drawn_prob": "probability where it was drawn",
    "joint_p": "joint p from the frontier",
    "overlap": "exact acceptance probability of a draft below it",
}


def _sentence(node: dict) -> str:
    """Everything known of a node, a line each."""
    lines = [f"“{visible(node['text'])}”, {'frontier' if node['kind'] == 'root' else node['outcome']}"]
    known = _FACTS if node["kind"] != "root" else {"overlap": _FACTS["overlap"]}  # a root's joint p is 1 by definition
    lines += [f"{name} {node[key]:.3g}" for key, name in known.items() if node[key] is not None]
    if node["draws"] and node["draws"] > 1:
        lines.append(f"drawn {node['draws']} times")
    if node["reason"]:
        lines.append(node["reason"])
    return "<br>".join(plotly_safe(line) for line in lines)


def _clean(attributes: dict) -> dict:
    return {
        key: escaped(value, keep="\t\n") if isinstance(value, str) else value
        for key, value in attributes.items()
        if value is not None and value != ""
    }
