"""Tokens/s by setting, in the order of the grid, each with a 95 % interval where there are prompts enough for one."""

import pytest

from playground.views.fronts import looks
from playground.views.setting_speed import (
    fastest_in_words,
    say_setting_speed,
    setting_speed_data,
    setting_speed_figure,
    setting_speed_rows,
)

SETTINGS = [
    {"label": f"chain draft_length={length}", "name": "Chain", "title": f"Chain (draft length {length})"}
    for length in (1, 2, 3)
]


def rows(prompts, **rates):
    """Two runs of every setting on each prompt, one unit below and above its rate."""
    return [
        {"label": f"chain draft_length={name[1:]}", "prompt": f"prompt {prompt}", "tokens_per_s": rate + prompt + off}
        for name, rate in rates.items()
        for prompt in range(prompts)
        for off in (-1, 1)
    ]


def test_nothing_measured_is_an_empty_chart():
    data = setting_speed_data(SETTINGS, [])
    assert data == [] and say_setting_speed(data) == "" and not setting_speed_figure(data, {}).data


def test_settings_keep_their_order_and_one_without_runs_is_left_out():
    data = setting_speed_data(SETTINGS, rows(2, n1=100.0, n2=300.0))
    assert [(each.title, each.median) for each in data] == [
        ("Chain (draft length 1)", 100.5),
        ("Chain (draft length 2)", 300.5),
    ]
    assert [(each.low, each.high) for each in data] == [(99, 102), (299, 302)]
    assert "lines their range" in say_setting_speed(data) and not data[0].has_interval


def test_five_prompts_have_an_interval_within_their_range():
    data = setting_speed_data(SETTINGS, rows(5, n1=100.0, n2=102.0, n3=300.0))
    assert [each.label[-1] for each in data] == ["1", "2", "3"] and all(each.has_interval for each in data)
    assert all(each.low <= each.median <= each.high for each in data)
    assert data[2].low >= 299 and data[2].high <= 305 and data[2].low < data[2].high
    assert fastest_in_words(data) == "Fastest: Chain (draft length 3), 302 tokens/s."
    plain = data[0]._replace(label="autoregressive")
    assert fastest_in_words([plain, *data]).endswith("302 tokens/s. Plain decoding: 102.")
    assert say_setting_speed(data).startswith("Points")
    near = setting_speed_data(SETTINGS, rows(5, n1=100.0, n2=102.0))
    assert "Ranges of 1 of 1 others overlap" in say_setting_speed(near)


def test_a_point_carries_its_setting_and_the_ends_of_its_line():
    data = [each._replace(low=each.median - 40) for each in setting_speed_data(SETTINGS, rows(5, n1=100.0, n3=300.0))]
    [points] = setting_speed_figure(data, looks(["Chain"])).data
    assert [each[0] for each in points.customdata] == ["chain draft_length=1", "chain draft_length=3"]
    assert points.x[0] + points.error_x.array[0] == pytest.approx(data[0].high)
    assert list(points.error_x.arrayminus) == [40, 40]
    assert [row[0] for row in setting_speed_rows(data)["body"]] == [each.title for each in data]
