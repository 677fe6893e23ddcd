"""Tokens that a target of paths as rows read: first, again and in copies add up to what its calls read."""

from playground.metrics.tokens_read import RoundReading, tokens_read
from playground.trace.events import Paths, Scored, Trace
from playground.views.charts import page_charts
from tests.trace.example import replace, speculative_trace


def trace_with(*paths):
    """The example's two rounds, each with its paths."""
    own = iter(paths)
    start, *events = speculative_trace().events
    return Trace((start, *(replace(each, paths=next(own)) if isinstance(each, Scored) else each for each in events)))


def test_what_was_read_in_a_round_is_first_again_and_in_copies():
    """Each round feeds three nodes; the second has two rows of 4, of which 2 tokens were read before."""
    trace = trace_with(Paths(1, 1, 3, 0, 0.0), Paths(2, 2, 8, 2, 0.001))
    assert [len(each.scored.fed) for each in trace.rounds] == [3, 3]
    assert tokens_read(trace) == [RoundReading(1, 3, 0, 0, 1, 1), RoundReading(2, 3, 2, 3, 2, 2)]
    chart = page_charts(trace)[-1]
    assert [kind["look"] for kind in chart["bars"]["kinds"]] == ["target", "rejected", "other"]
    assert chart["rows"]["body"] == [[1, 3, 0, 0, 1, 1], [2, 3, 2, 3, 2, 2]]
    assert "11 tokens in 3 calls: 6 first, 2 again" in chart["summary"]


def test_a_target_that_reads_trees_has_no_such_chart():
    assert tokens_read(speculative_trace()) == []
    assert "tokens_read" not in [chart["id"] for chart in page_charts(speculative_trace())]
