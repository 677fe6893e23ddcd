from playground.views.attention_mask import AttentionMask, attention_mask_data, attention_mask_figure
from tests.metrics.traces import coinciding_trace, empty_trace
from tests.trace.example import speculative_trace


def test_the_empty_trace_draws_an_empty_labelled_figure():
    figure = attention_mask_figure(attention_mask_data(empty_trace()))
    assert not figure.data
    assert figure.layout.annotations[0].text == "Round 1 was not finished."


def test_the_mask_of_the_examples_second_round():
    assert attention_mask_data(speculative_trace(), round=2) == AttentionMask(
        round=2,
        rows=("·up", "·and", "·looked"),
        columns=("·up", "·and", "·looked"),
        visible=((True, False, False), (True, True, False), (True, True, True)),
        num_earlier=3,
        missing="",
    )


def test_a_mask_that_was_not_recorded_says_so():
    figure = attention_mask_figure(attention_mask_data(coinciding_trace()))
    assert figure.layout.annotations[0].text == "The mask of this round was too large to record."


def test_the_figure_is_one_heatmap():
    figure = attention_mask_figure(attention_mask_data(speculative_trace()))
    assert [(trace.type, trace.name) for trace in figure.data] == [("heatmap", "mask")]
    assert list(figure.layout.yaxis.ticktext) == ["·cat", "·sat", "·on"]
