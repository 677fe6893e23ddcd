"""The charts of a sweep show every setting that has both numbers, and mark those that no other beats."""

import pytest

from playground.decoding.method import methods
from playground.views.fronts import (
    FRONTS,
    MOST_LABELS,
    front_rows,
    fronts_data,
    fronts_figure,
    has_something_to_show,
    looks,
    say_front,
)

OF = {front.id: front for front in FRONTS}


def setting(label, speed, perplexity, *, name="RSD-S", length=3, **numbers):
    return {
        "label": label, "name": name, "title": f"{name} ({label})", "short": label, "runs": [1, 2],
        "options": {"draft_length": length}, "tokens_per_s": speed, "perplexity": perplexity, "law": label,
    } | numbers  # fmt: skip


SETTINGS = [
    setting("slow but good", 10.0, 2.0),
    setting("fast but bad", 30.0, 5.0, length=4),
    setting("beaten", 9.0, 3.0, name="RSD-C"),
    setting("without", None, 1.0),
]


@pytest.mark.parametrize("front", FRONTS, ids=lambda front: front.id)
def test_nothing_draws_an_empty_labelled_figure(front):
    data = fronts_data([], front)
    figure = fronts_figure(data, front, [])
    assert data == [] and figure.layout.xaxis.title.text.startswith(front.x.title)
    assert [each.name for each in figure.layout.annotations] == ["empty"] and say_front(data, front) == ""


def test_the_front_is_marked_and_a_missing_number_is_no_point():
    data = fronts_data(SETTINGS, OF["speed"])
    assert [(point.label, point.on_front) for point in data] == [
        ("slow but good", True), ("fast but bad", True), ("beaten", False),
    ]  # fmt: skip
    for lacking in ("tokens_per_s", "perplexity"):
        data = fronts_data([SETTINGS[0], SETTINGS[2] | {lacking: None}], OF["speed"])
        assert [point.label for point in data] == ["slow but good"]


def test_a_point_stands_at_its_numbers_full_on_the_front_or_hollow_and_says_where_they_are_from():
    front, full, hollow = fronts_figure(fronts_data(SETTINGS, OF["speed"]), OF["speed"], ["RSD-S", "RSD-C"]).data
    assert list(front.x) == [10.0, 30.0] and front.line.shape == "vh"
    assert set(full.marker.symbol) == {"circle"} and set(hollow.marker.symbol) == {"square-open"}
    assert full.marker.color != hollow.marker.color and [row[0] for row in hollow.customdata] == ["beaten"]
    assert [(list(each.x), list(each.y)) for each in (full, hollow)] == [([10.0, 30.0], [2.0, 5.0]), ([9.0], [3.0])]
    assert [list(row[2:]) for row in full.customdata] == [["median of 2 runs", "<br>on the front"]] * 2
    assert [list(row[2:]) for row in hollow.customdata] == [["median of 2 runs", ""]]


def test_the_steps_of_a_front_stay_within_what_its_points_beat():
    """Less energy is better: between two points the worse perplexity of the left one holds, so it goes right first."""
    settings = [setting(str(worse), 1, worse, estimated_joules_per_token=joules) for worse, joules in ((5, 1), (2, 2))]
    assert fronts_figure(fronts_data(settings, OF["energy"]), OF["energy"], ["RSD-S"]).data[0].line.shape == "hv"


def test_no_two_methods_look_alike():
    result = looks(list(methods()))
    assert len(set(result.values())) == len(methods())


def test_an_option_can_be_an_axis_and_needs_two_values_of_one_method():
    settings = [each | {"block_efficiency": 2.0} for each in SETTINGS]
    data = fronts_data(settings, OF["length"])
    assert [point.x for point in data] == [3, 4, 3, 3] and has_something_to_show(data, OF["length"])
    assert not has_something_to_show(data[2:], OF["length"]) and not has_something_to_show([], OF["measured_energy"])
    settings = [setting("a", 1, 2.0), setting("b", 1, 2.0, name="RSD-C", length=4), setting("c", 1, 2.0, length=4)]
    data = fronts_data([each | {"block_efficiency": 2.0} for each in settings], OF["length"])
    assert not has_something_to_show(data[:2], OF["length"]) and has_something_to_show(data, OF["length"])


def test_the_front_is_said_in_a_sentence():
    data = fronts_data(SETTINGS, OF["speed"])
    assert say_front(data, OF["speed"]) == "On the front: RSD-S (slow but good) and RSD-S (fast but bad)."
    assert say_front(data[:2], OF["speed"]) == "All 2 settings are on the front."
    assert say_front(data[:1], OF["speed"]) == "One setting so far."


def test_no_front_is_drawn_through_the_chance_of_one_law():
    """Lossless settings write equally good texts: only the fastest is on the front, whatever their perplexities."""
    numbers = ((9, 2), (10, 4), (8, 1))
    same = [setting(str(speed), speed, perplexity, law="target sampling") for speed, perplexity in numbers]
    data = fronts_data(same, OF["speed"])
    assert [point.on_front for point in data] == [False, True, False] and [point.y for point in data] == [2, 4, 1]
    assert not has_something_to_show(data, OF["speed"]) and has_something_to_show(data, OF["budget"])
    assert not [trace for trace in fronts_figure(data, OF["speed"], ["RSD-S"]).data if trace.name == "front"]
    lossy = [*same, setting("lossy", 20, 3.0, law="lossy")]
    data = fronts_data(lossy, OF["speed"])
    assert [point.on_front for point in data] == [False, True, False, True]
    assert has_something_to_show(data, OF["speed"])
    line = fronts_figure(data, OF["speed"], ["RSD-S"]).data[0]
    assert list(line.x) == [10, 20] and list(line.y) == [2, 3.0], "through the median of the law, not through its point"


def test_the_table_has_every_point():
    rows = front_rows(fronts_data(SETTINGS, OF["speed"]), OF["speed"])
    assert rows["body"][2] == ["RSD-C (beaten)", "9", "3", "no", 2]


def test_labels_share_a_place_and_give_way_to_many_points():
    same = [setting("1", 1.0, 2.0), setting("2", 1.0, 2.0)]
    assert list(fronts_figure(fronts_data(same, OF["speed"]), OF["speed"], ["RSD-S"]).data[-1].text) == ["1, 2", ""]
    many = [setting(str(number), number, 2.0) for number in range(MOST_LABELS + 1)]
    assert fronts_figure(fronts_data(many, OF["speed"]), OF["speed"], ["RSD-S"]).data[0].text is None


@pytest.mark.parametrize(
    ("speeds", "ends"), [((10.0, 30.0), (8, 32.4)), ((5.0,), (4.5, 5.6)), ((-5.0,), (-5.5, -4.4)), ((0.0,), (-1, 1.2))]
)
def test_no_point_stands_at_the_edge_of_the_chart(speeds, ends):
    """A tenth of the range, or of the number where all are alike, is left on either side, and more above."""
    data = fronts_data([setting(str(speed), speed, 2.0 + speed) for speed in speeds], OF["speed"])
    assert list(fronts_figure(data, OF["speed"], ["RSD-S"]).layout.xaxis.range) == pytest.approx(ends)


def test_the_axes_of_every_front():
    assert [(f.id, f.title, f.x.field, f.x.title, f.x.better, f.x.suffix, f.y.field, f.y.better) for f in FRONTS] == [
        ("speed", "Speed against perplexity", "tokens_per_s", "tokens/s, measured", "larger", "", "perplexity",
         "smaller"),
        ("energy", "Energy against perplexity: an estimate", "estimated_joules_per_token", "joules/token, estimate",
         "smaller", "J", "perplexity", "smaller"),
        ("measured_energy", "Energy against perplexity, measured", "joules_per_token", "joules/token, measured",
         "smaller", "J", "perplexity", "smaller"),
        ("budget", "Block efficiency against the target's budget", "verified_nodes", "nodes per target call",
         "smaller", "", "block_efficiency", "larger"),
        ("length", "Block efficiency against draft length", "draft_length", "draft length", "smaller", "",
         "block_efficiency", "larger"),
    ]  # fmt: skip


def test_one_law_makes_texts_equally_good_and_nothing_else_equal():
    settings = [
        setting(str(nodes), 1, 2.0, law="target sampling", verified_nodes=nodes, block_efficiency=efficiency)
        for nodes, efficiency in ((4, 2.0), (8, 1.5))
    ]
    message = say_front(fronts_data(settings, OF["budget"]), OF["budget"])
    assert message == "On the front: RSD-S (4)."
