import pytest

from playground.views.race.speed_up import speed_up_data, speed_up_figure
from tests.views.rows import baseline, failed, row


def test_no_rows_draw_an_empty_labelled_figure():
    figure = speed_up_figure(speed_up_data([]))
    assert not figure.data
    assert figure.layout.annotations[0].text == "No entry has a speed-up."
    assert "measured" in figure.layout.xaxis.title.text


def test_entries_stand_by_speed_and_failed_ones_are_left_out():
    data = speed_up_data([row("slow", 0.8), failed("broken", "why"), baseline(), row("fast", 1.5), row("new", None)])
    assert [each.title for each in data] == ["Fast", "Autoregressive", "Slow"]


@pytest.mark.parametrize(
    ("median", "interval", "standing"),
    [
        (1.5, (1.2, 1.8), "faster"),
        (0.7, (0.6, 0.9), "slower"),
        (1.1, (0.9, 1.3), "open"),
        (1.1, (1.0, 1.3), "open"),  # the edge counts as inside
        (1.5, (None, None), "open"),  # too few pairs
    ],
)
def test_the_interval_decides_who_is_faster(median, interval, standing):
    each = row("x", median)
    each["speed_up"] |= {"low": interval[0], "high": interval[1]}
    assert speed_up_data([each])[0].standing == standing


def test_every_standing_has_a_name_a_colour_and_a_symbol_of_its_own():
    rows = [row("fast", 1.5), row("even", 1.0), row("slow", 0.7), baseline()]
    figure = speed_up_figure(speed_up_data(rows))
    assert len(figure.data) == 4
    assert len({trace.marker.symbol for trace in figure.data}) == 4
    fast = next(trace for trace in figure.data if "faster" in trace.name)
    assert list(fast.x) == [1.5] and list(fast.y) == ["Fast"]
    assert fast.error_x.array[0] == pytest.approx(0.1) and fast.error_x.arrayminus[0] == pytest.approx(0.1)
    slowest, *equals, fastest = figure.layout.yaxis.categoryarray
    assert (slowest, sorted(equals), fastest) == ("Slow", ["Autoregressive", "Even"], "Fast")
    assert figure.layout.shapes[0].x0 == 1


def test_each_whisker_ends_at_its_own_bound():
    """An interval that is wider above than below; one that is missing has no whisker."""
    figure = speed_up_figure(speed_up_data([row("fast", 1.5, (1.25, 2.5)), row("new", 1.1, (None, None))]))
    (fast,) = [trace for trace in figure.data if "faster" in trace.name]
    assert (fast.x[0] - fast.error_x.arrayminus[0], fast.x[0] + fast.error_x.array[0]) == (1.25, 2.5)
    assert list(fast.customdata[0]) == ["95 % interval 1.25 to 2.50", 6, "Autoregressive"]
    (new,) = [trace for trace in figure.data if "not significantly different" in trace.name]
    assert (new.error_x.array[0], new.error_x.arrayminus[0], new.customdata[0][0]) == (0, 0, "no interval")
