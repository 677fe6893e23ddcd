import io

import networkx as nx
import pytest

from playground.errors import PlaygroundError
from playground.trace.events import Trace
from playground.views.forest import existing_round, forest_graph, graphml_of
from tests.metrics.traces import coinciding_trace, empty_trace
from tests.trace.example import autoregressive_trace, replace, speculative_trace


def test_a_round_that_was_not_finished_has_no_graph():
    assert len(forest_graph(empty_trace())) == len(forest_graph(speculative_trace(), round=9)) == 0


def test_the_first_round_of_the_example_as_a_graph():
    graph = forest_graph(speculative_trace(), round=1)
    assert set(graph.edges) == {(1, 2), (2, 3), (2, 4)}
    assert dict(graph.nodes(data="outcome")) == {1: "root", 2: "accepted", 3: "rejected", 4: "correction"}
    assert dict(graph.nodes(data="text")) == {1: " cat", 2: " sat", 3: " on", 4: " up"}
    assert dict(graph.nodes(data="layer")) == {1: 0, 2: 1, 3: 2, 4: 2}
    rejected = graph.nodes[3]
    assert (rejected["p"], rejected["q"], rejected["accept_prob"], rejected["coin"]) == (0.1, 0.4, 0.25, 0.81)
    assert (rejected["joint_p"], rejected["joint_q"]) == pytest.approx((0.06, 0.2))
    assert graph.nodes[4]["drawn_prob"] == pytest.approx(0.25 / 0.3)
    assert graph.nodes[1]["overlap"] == 0.9
    assert dict(graph.nodes(data="x")) == {1: 0, 2: 1, 3: 2, 4: 2}
    assert dict(graph.nodes(data="y")) == {1: 0, 2: 0, 3: 0, 4: 1}  # the correction below what was drafted


def test_ids_used_again_in_a_later_round_are_that_rounds_tokens():
    graph = forest_graph(speculative_trace(), round=2)
    assert dict(graph.nodes(data="text")) == {4: " up", 5: " and", 6: " looked", 7: "."}
    assert graph.nodes[7]["outcome"] == "bonus"


def test_a_plain_round_is_one_token_below_the_frontier():
    graph = forest_graph(autoregressive_trace())
    assert [outcome for _, outcome in graph.nodes(data="outcome")] == ["root", "plain"]


def test_a_node_drawn_twice_keeps_its_number_of_draws_and_the_verdict_that_decided():
    graph = forest_graph(coinciding_trace())
    assert [node for node, kind in graph.nodes(data="kind") if kind == "draft"] == [2, 3]
    node = graph.nodes[2]
    assert (node["draws"], node["outcome"], node["coin"]) == (2, "rejected", 0.9)


def test_graphml_reads_back_as_the_same_graph():
    graph = forest_graph(speculative_trace())
    again = _written_and_read(graph)
    assert set(again.edges) == set(graph.edges)
    for node, attributes in graph.nodes(data=True):
        assert again.nodes[node] == {key: value for key, value in attributes.items() if value is not None}
    mixed = nx.DiGraph()
    mixed.add_node(0, p=1)
    mixed.add_node(1, p=0.5)
    assert graphml_of(mixed).count(b'attr.name="p"') == 1, "also where it is whole in one node"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("\x00\x1b[31m", "\\x00\\x1b[31m"),
        ("\ud83d", "\\ud83d"),
        ("\uffff", "\\uffff"),
        ("<&'\">\n\t", "<&'\">\n\t"),
        ("\r", "\\x0d"),
    ],
)
def test_graphml_carries_any_text_a_model_can_write(text, written):
    again = _written_and_read(forest_graph(_with_piece(speculative_trace(), "5", text)))
    assert again.nodes[2]["text"] == written


def _written_and_read(graph: nx.DiGraph) -> nx.DiGraph:
    return nx.read_graphml(io.BytesIO(graphml_of(graph)), node_type=int)


def _with_piece(trace: Trace, token: str, text: str) -> Trace:
    """Return the trace with another text for a token."""
    events = list(trace.events)
    for index, event in enumerate(events):
        if token in getattr(event, "pieces", {}):
            events[index] = replace(event, pieces={**event.pieces, token: text})
    return Trace(tuple(events))


def test_of_two_tests_of_one_token_the_later_is_shown_and_of_none_why_there_was_none():
    start, drafted, scored, judged, committed = coinciding_trace().events
    for outcome, uniform, reason in [("rejected", 0.8, "later"), ("not_tested", 0.9, "first")]:
        message = replace(judged, outcomes=[outcome] * 3, uniforms=[0.9, 0.4, 0.8], reasons=["first", "other", reason])
        node = forest_graph(Trace((start, drafted, scored, message, committed))).nodes[2]
        assert (node["outcome"], node["reason"]) == (outcome, reason)
        assert outcome == "not_tested" or node["coin"] == uniform
    message = replace(judged, outcomes=["accepted", "rejected", "rejected"])
    assert forest_graph(Trace((start, drafted, scored, message, committed))).nodes[2]["outcome"] == "accepted"


def test_only_a_round_of_the_trace_is_one():
    assert [existing_round(speculative_trace(), number) for number in (1, 2)] == [1, 2]
    for number in (0, 3):
        with pytest.raises(PlaygroundError, match="Choose 1 to 2"):
            existing_round(speculative_trace(), number)
    with pytest.raises(PlaygroundError, match="It has none"):
        existing_round(empty_trace(), 1)
