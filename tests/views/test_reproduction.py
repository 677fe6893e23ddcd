"""A paper's figure with the numbers measured here."""

from playground.views.reproduction import LOOKS, reproduction_charts, reproduction_figure

COLUMN = {"id": "tokens_per_s", "title": "tokens/s", "unit": "", "kind": "measured"}


def cell(value):
    return {"value": value, "low": None, "high": None}


def panel(**changes):
    points = [
        {"label": f"rsd {x}", "x": x, "value": y, "low": 1.0, "high": 9.0} for x, y in ((2, 3.0), (4, 5.0), (4, 4.0))
    ]
    level = {"method": "autoregressive", "name": "Autoregressive", "cells": [None, None], "points": []}
    return {
        "form": "curves",
        "column": COLUMN,
        "axis": "draft length",
        "keys": [2, 4],
        "heads": ["2", "4"],
        "measured": [
            level | {"everywhere": cell(1.0)},
            {"method": "rsd_s", "name": "RSD-S", "cells": [cell(3.0), cell(5.0)], "everywhere": None, "points": points},
        ],
        "reported": [],
    } | changes  # fmt: skip


def test_nothing_measured_is_said():
    assert "Nothing" in reproduction_figure(panel(measured=[])).layout.annotations[0].text


def test_every_entry_is_a_point_and_the_line_goes_through_the_best():
    level, line, points = reproduction_figure(panel()).data
    assert level.name == "Autoregressive" and list(level.y) == [1.0, 1.0] and list(level.x) == [2, 4]
    assert list(line.y) == [3.0, 5.0] and list(points.y) == [3.0, 5.0, 4.0] and points.name == "RSD-S"


def test_points_of_two_measures_have_no_line():
    assert [trace.mode for trace in reproduction_figure(panel(form="points")).data] == ["lines", "markers"]


def test_tables_are_not_drawn_and_numbers_stand_below_the_chart():
    assert reproduction_charts([panel(form="table")]) == []
    [chart] = reproduction_charts([panel()])
    assert chart["rows"]["body"][1] == ["rsd 2", "2", "3", "1–9"] and len(chart["rows"]["body"]) == 4


def test_the_range_of_a_speed_up_is_called_an_interval():
    heads = [
        reproduction_charts([panel(column=COLUMN | {"id": id})])[0]["rows"]["header"][-1]
        for id in ("tokens_per_s", "speed_up")
    ]
    assert heads == ["middle half", "95 % interval"]


def test_every_method_is_drawn_however_many_there_are():
    one = panel()["measured"][1]
    many = [one | {"method": f"m{number}", "name": f"M{number}"} for number in range(3 * len(LOOKS))]
    figure = reproduction_figure(panel(measured=many, form="points", column=COLUMN | {"unit": "J"}))
    assert [trace.name for trace in figure.data] == [row["name"] for row in many]
    assert figure.layout.yaxis.title.text == "tokens/s (J)"
    assert reproduction_figure(panel()).layout.yaxis.title.text == "tokens/s"
    assert (
        reproduction_figure(panel(measured=[one | {"points": [one["points"][0] | {"value": 1.234567}]}])).data[-1].y[0]
        == 1.2346
    )
