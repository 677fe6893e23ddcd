import dataclasses
import io

import networkx as nx
import pytest

from playground.trace.events import Trace
from playground.views.forest import forest_data, forest_figure, forest_graph, write_graphml
from tests.metrics.traces import coinciding_trace, empty_trace
from tests.trace.example import autoregressive_trace, speculative_trace


def test_the_empty_trace_draws_an_empty_labelled_figure():
    data = forest_data(empty_trace())
    assert (data.num_nodes, data.depth, data.widths, data.branching) == (0, 0, (), None)
    figure = forest_figure(data)
    assert not figure.data
    assert figure.layout.annotations[0].text == "Round 1 was not finished."


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


def test_ids_used_again_in_a_later_round_are_that_rounds_tokens():
    graph = forest_graph(speculative_trace(), round=2)
    assert dict(graph.nodes(data="text")) == {4: " up", 5: " and", 6: " looked", 7: "."}
    assert graph.nodes[7]["outcome"] == "bonus"


def test_shape_counts_leave_out_the_frontier_and_the_extra_token():
    data = forest_data(speculative_trace())
    assert (data.num_nodes, data.depth, data.widths, data.num_leaves, data.branching) == (2, 2, (1, 1), 1, 1.0)


def test_a_plain_round_is_one_token_below_the_frontier():
    data = forest_data(autoregressive_trace())
    assert (data.num_nodes, data.branching) == (0, None)
    assert [outcome for _, outcome in data.graph.nodes(data="outcome")] == ["root", "plain"]


def test_a_node_drawn_twice_keeps_its_number_of_draws_and_the_verdict_that_decided():
    data = forest_data(coinciding_trace())
    assert data.num_nodes == 2
    node = data.graph.nodes[2]
    assert (node["draws"], node["outcome"], node["coin"]) == (2, "rejected", 0.9)


def test_layout_grows_to_the_right_and_no_two_nodes_share_a_place():
    for trace in (speculative_trace(), coinciding_trace(), autoregressive_trace()):
        data = forest_data(trace)
        assert len(set(data.positions.values())) == len(data.positions) == len(data.graph)
        assert all(data.positions[child][0] == data.positions[parent][0] + 1 for parent, child in data.graph.edges)


def test_the_figure_has_a_trace_per_outcome():
    figure = forest_figure(forest_data(speculative_trace()))
    assert {trace.name for trace in figure.data if trace.showlegend is None} == {
        "frontier",
        "accepted",
        "rejected",
        "correction",
    }


def test_graphml_reads_back_as_the_same_graph():
    graph = forest_graph(speculative_trace())
    again = _written_and_read(graph)
    assert set(again.edges) == set(graph.edges)
    for node, attributes in graph.nodes(data=True):
        assert again.nodes[node] == {key: value for key, value in attributes.items() if value is not None}


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


def test_model_text_is_never_markup_in_a_figure():
    trace = _with_piece(speculative_trace(), "5", "<b>$x$")
    texts = [text for part in forest_figure(forest_data(trace)).data for text in part.text or ()]
    assert "&lt;b&gt;&#36;x&#36;" in texts


def _written_and_read(graph: nx.DiGraph) -> nx.DiGraph:
    buffer = io.BytesIO()
    write_graphml(graph, buffer)
    buffer.seek(0)
    return nx.read_graphml(buffer, node_type=int)


def _with_piece(trace: Trace, token: str, text: str) -> Trace:
    """The trace with another text for a token."""
    return Trace(
        tuple(
            dataclasses.replace(event, pieces={**event.pieces, token: text})
            if token in getattr(event, "pieces", {})
            else event
            for event in trace.events
        )
    )
