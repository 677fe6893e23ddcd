import json

from playground.views.race.standings import COLUMNS, standings_data
from tests.views.rows import baseline, failed, row


def cells(rows, label):
    return next(each for each in standings_data(rows)["rows"] if each["label"] == label)["cells"]


def test_no_rows_still_have_their_columns():
    data = standings_data([])
    assert data["rows"] == [] and [column["id"] for column in data["columns"]] == [column.id for column in COLUMNS]


def test_every_column_says_how_its_numbers_came_about():
    assert {column.kind for column in COLUMNS} == {"measured", "counted", "computed", "estimate"}
    kinds = {column.id: column.kind for column in COLUMNS}
    assert kinds["joules_per_token"] == kinds["tokens_per_s"] == kinds["speed_up"] == "measured"
    assert all(kind == "estimate" for name, kind in kinds.items() if name.startswith("estimated") or name == "mbsu")
    assert all(len(column.help) > 20 for column in COLUMNS)


def test_the_help_of_the_speed_up_says_what_its_interval_is():
    said = next(column.help for column in COLUMNS if column.id == "speed_up")
    for word in ("paired", "median", "95 %", "bootstrap", "seeded", "5 prompts"):
        assert word in said


def test_cells_hold_the_numbers_of_the_row():
    rows = [baseline(), row("fast", 1.5)]
    assert cells(rows, "fast")["speed_up"] == {"value": 1.5, "low": 1.4, "high": 1.6, "why": ""}
    assert cells(rows, "fast")["tokens_per_s"]["value"] == 150
    json.dumps(standings_data(rows), allow_nan=False)


def test_a_blank_says_why():
    found = cells([baseline()], "autoregressive")
    assert found["joules_per_token"] == {
        "value": None, "low": None, "high": None, "why": "No energy counter for this run."
    }  # fmt: skip
    assert found["acceptance_per_position"]["why"] == "It drafts nothing."
    late = cells([row("late", None, runs=0, perplexity=None)], "late")
    assert late["perplexity"]["why"] == "No run of it was finished."
    unknown = cells([row("x", None)], "x")
    assert all(cell["why"] for each in (found, late, unknown) for cell in each.values() if cell["value"] is None)


def test_measured_joules_are_never_filled_in_by_an_estimate():
    found = cells([row("fast", 1.5)], "fast")
    assert found["joules_per_token"]["value"] is None and found["estimated_joules_per_token"]["value"] == 0.014


def test_a_failed_entry_keeps_its_sentence_and_has_no_cells():
    only = standings_data([failed("broken", "ZeroDivisionError: on purpose")])["rows"][0]
    assert only["failed"] == "ZeroDivisionError: on purpose" and only["cells"] == {}
