import json

from playground.metrics.interval import NUM_RESAMPLES, least_prompts
from playground.views.race.standings import COLUMNS, standings_data
from tests.views.rows import baseline, failed, row


def cells(rows, label):
    return next(each for each in standings_data(rows)["rows"] if each["label"] == label)["cells"]


def test_cells_hold_the_numbers_of_the_row():
    rows = [baseline(), row("fast", 1.5)]
    assert cells(rows, "fast")["speed_up"] == {"value": 1.5, "low": 1.4, "high": 1.6, "why": ""}
    assert cells(rows, "fast")["tokens_per_s"]["value"] == 150
    json.dumps(standings_data(rows), allow_nan=False)
    energy = {name: cells(rows, "fast")[name]["value"] for name in ("joules_per_token", "estimated_joules_per_token")}
    assert energy == {"joules_per_token": None, "estimated_joules_per_token": 0.014}, "measured ones are not filled in"
    only = standings_data([failed("broken", "ZeroDivisionError: on purpose")])["rows"][0]
    assert only["failed"] == "ZeroDivisionError: on purpose" and only["cells"] == {}


def test_a_blank_says_why():
    shown = cells([baseline()], "autoregressive")
    assert shown["joules_per_token"] == {
        "value": None, "low": None, "high": None, "why": "Not measured: no energy counter for this run."
    }  # fmt: skip
    assert shown["acceptance_per_position"]["why"] == "It drafts nothing."
    late = cells([row("late", None, runs=0, perplexity=None)], "late")
    assert late["perplexity"]["why"] == "No run of it was finished."
    unknown = cells([row("x", None)], "x")
    assert all(cell["why"] for each in (shown, late, unknown) for cell in each.values() if cell["value"] is None)


def test_the_form_of_every_column():
    assert {each.id: (each.group, each.kind, each.form, each.digits, each.unit, each.better) for each in COLUMNS} == {
        "tokens_per_s": ("Speed", "measured", "number", 0, "", "high"),
        "speed_up": ("Speed", "measured", "times", 2, "", "high"),
        "block_efficiency": ("Drafts", "counted", "number", 2, "", "high"),
        "acceptance_per_position": ("Drafts", "counted", "percent", 0, "", "high"),
        "acceptance_per_draw": ("Drafts", "counted", "percent", 0, "", None),
        "draft_efficiency": ("Drafts", "counted", "percent", 0, "", "high"),
        "target_calls": ("Calls", "counted", "number", 0, "", "low"),
        "draft_calls": ("Calls", "counted", "number", 0, "", None),
        "verified_nodes": ("Calls", "counted", "number", 1, "", None),
        "mbsu": ("Calls", "estimate", "times", 2, "", "high"),
        "joules_per_token": ("Energy", "measured", "joules", 1, "J", "low"),
        "estimated_joules_per_token": ("Energy", "estimate", "joules", 1, "J", "low"),
        "estimated_rejected_joules_per_token": ("Energy", "estimate", "joules", 1, "J", "low"),
        "peak_cache_bytes": ("Memory", "counted", "bytes", 1, "", "low"),
        "perplexity": ("Quality", "computed", "number", 2, "", None),
    }
    empty = standings_data([])
    assert empty["rows"] == [] and [each["id"] for each in empty["columns"]] == [each.id for each in COLUMNS]
    assert [each["digits"] for each in empty["columns"]] == [each.digits for each in COLUMNS]
    assert all(len(column.help) > 20 for column in COLUMNS)
    of_interval = next(column.help for column in COLUMNS if column.id == "speed_up")
    assert f"({NUM_RESAMPLES:,} resamples" in of_interval and f"take {least_prompts(1)} prompts" in of_interval
    assert least_prompts(8) == least_prompts(4) + 1, "one prompt more whenever the methods double, as it says"


def test_a_blank_of_one_column_has_its_own_reason():
    lone = cells([row("dsbd", None, unrated="beam search of width 4", joules_per_token=None)], "dsbd")
    assert lone["speed_up"]["why"] == "Its rival beam search of width 4 is not in this race."
    prefixes = row("block", 1.2, tests="prefixes", acceptance_per_position=None, acceptance_per_draw=None)
    why = cells([prefixes], "block")["acceptance_per_draw"]["why"]
    assert why.startswith("Its rule accepts or drops whole prefixes")
    assert cells([row("x", None)], "x")["speed_up"]["why"] == "No run of it is paired with an autoregressive one."
    assert cells([row("x", 1.0, mbsu=None)], "x")["mbsu"]["why"] == "Its runs do not say."


def test_a_row_names_what_it_is_over_where_that_is_not_plain_decoding():
    plain = row("beam_search", 1.0, title="Beam search", against="beam_search")
    drafted = row("strict", 2.0, against="beam_search")
    rows = standings_data([baseline(), plain, drafted, row("a", 1.5)])["rows"]
    assert [each["over"] for each in rows] == ["", "", "Beam search", ""]
