"""The forest one round grew: every drafted node with its probabilities, coin and verdict, as a graph for other tools.

A tree grows from each node of the frontier (one for most methods, W for beams). The correction, bonus or plain token
the round committed hangs below the path it extends; it is no draft and counts as none.
"""

import io

import networkx as nx

from playground.errors import PlaygroundError
from playground.trace.events import Trace
from playground.trace.fold import Fold, Node, TreeRound
from playground.views.tokens import escaped
from playground.views.tree_layout import tree_layout

_UNKNOWN = ("p", "q", "joint_p", "joint_q", "accept_prob", "coin", "reason", "origin", "drawn_prob", "draws")
OUTCOMES = ("accepted", "rejected", "not_tested", "correction", "bonus", "plain", "root")


def forest_graph(trace: Trace, round: int = 1) -> nx.DiGraph:
    """Return the round as a graph, edges from parent to child; empty when the round was not finished.

    Each node has text, kind (root, draft, extra), outcome (one of OUTCOMES) and layer, its depth (0: a root). None
    where it does not apply or is not known: origin (committed as accepted, correction, bonus or plain); p and q of its
    token; joint_p and joint_q, products from the root; accept_prob, coin, reason; overlap, sum_x min(p, q) after it;
    draws, for i.i.d. draws may coincide, and the verdict is that of the draw that decided; drawn_prob, an extra token's
    probability where it was drawn, say in the residual. An edge has q.
    """
    graph = nx.DiGraph(round=round)
    fold = Fold(trace)
    each = next((each for each in fold.rounds if each.number == round), None)
    if each is None or each.committed is None or each.scored is None:
        return graph
    for node in (*each.frontier, *each.nodes, *each.extras):
        if node.id not in graph:
            _add(graph, node, each)
    _multiply(graph)
    _lay_out(graph)
    texts = {node.id: fold.piece(node) for node in (*each.frontier, *each.nodes, *each.extras)}
    overlaps = dict(zip(each.scored.nodes, each.scored.overlaps, strict=True))
    for node, attributes in graph.nodes(data=True):
        attributes |= {"text": texts[node], "overlap": overlaps.get(node)}
    return graph


def existing_round(trace: Trace, round: int) -> int:
    """Return the round itself, if the trace has it.

    Raises:
        PlaygroundError: if it has not.
    """
    num_rounds = len(trace.rounds)
    if not 1 <= round <= num_rounds:
        choice = f"Choose 1 to {num_rounds}." if num_rounds else "It has none."
        raise PlaygroundError(f"The trace has no round {round}. {choice}")
    return round


def graphml_of(graph: nx.DiGraph) -> bytes:
    """Return a forest as GraphML, which any graph program reads.

    What is None or empty is left out; a character that XML cannot carry is written as its code, \\x07 or \\ud83d.
    """
    clean = nx.DiGraph(**_clean(graph.graph))
    clean.add_nodes_from((node, _clean(attributes)) for node, attributes in graph.nodes(data=True))
    clean.add_edges_from((parent, child, _clean(attributes)) for parent, child, attributes in graph.edges(data=True))
    # without inferring, a number that is whole in one node and not in another makes two attributes of one name
    file = io.BytesIO()
    nx.write_graphml_xml(clean, file, infer_numeric_types=True)
    return file.getvalue()


def _add(graph: nx.DiGraph, node: Node, each: TreeRound) -> None:
    """Add a root, a draft with the verdict that decided, or a committed token that is not a draft."""
    if node in each.frontier:
        graph.add_node(node.id, **_attributes(kind="root", outcome="root", layer=0))
        return
    parent = node.parent.id if node.parent else None
    if node.kind == "extra":
        depth = graph.nodes[parent]["layer"] + 1
        known = _attributes(kind="extra", outcome=node.origin, layer=depth)
    else:
        first, verdict = node.draws[0], node.deciding_verdict()
        known = _attributes(kind="draft", outcome="not_tested", layer=first.depth, q=first.q, draws=len(node.draws))
        if verdict:
            known |= {"outcome": verdict.outcome, "p": verdict.p, "accept_prob": verdict.accept_prob}
            known |= {"coin": verdict.uniform, "reason": verdict.reason}
    if node in each.emitted:
        known |= {"origin": node.origin, "drawn_prob": node.extra_prob}
    graph.add_node(node.id, **known)
    graph.add_edge(parent, node.id, q=known["q"])


def _multiply(graph: nx.DiGraph) -> None:
    """Joint probabilities from the root; None from the first unknown factor on."""
    for node in nx.topological_sort(graph):
        parent = next(graph.predecessors(node), None)
        for single, joint in (("p", "joint_p"), ("q", "joint_q")):
            above = 1.0 if parent is None else graph.nodes[parent][joint]
            own = 1.0 if parent is None else graph.nodes[node][single]
            graph.nodes[node][joint] = None if above is None or own is None else above * own


def _lay_out(graph: nx.DiGraph) -> None:
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
