"""Bars of energy: parts of the estimate per token, and beside them what a meter read."""

from playground.views.race.energy import energy_data

MACHINE = {"title": "a toy", "flop_w": 3.0, "memory_w": 5.0}
ROWS = [{"label": "chain", "title": "Chain"}, {"label": "late", "title": "Late"}]
SECONDS = {"text": [1.0, 2.0], "rejected": [0.5, 0.0], "draft": [0.1, 0.3]}


def run(tokens, joules=None, seconds=SECONDS):
    energy = {"joules": joules, "source": joules and "a counter", "reason": None if joules else "no counter"}
    return {"label": "chain", "num_tokens": tokens, "energy": energy | {"estimated_seconds": seconds}}


def test_nothing_was_run_or_estimated():
    assert energy_data(ROWS, [], MACHINE) is None
    assert energy_data(ROWS, [run(4, seconds=None)], None) is None


def test_parts_are_sums_over_all_runs_for_each_token():
    found = energy_data(ROWS, [run(4), run(6)], MACHINE)
    assert [bar["label"] for bar in found["bars"]] == ["chain"]
    assert found["bars"][0]["parts"] == {"text": [0.2, 0.4], "rejected": [0.1, 0.0], "draft": [0.02, 0.06]}
    assert found["bars"][0]["measured"] is None and found["why"] == "no counter" and found["source"] is None


def test_a_measurement_needs_every_run():
    assert energy_data(ROWS, [run(4, 2.0), run(6, 3.0)], MACHINE)["bars"][0]["measured"] == 0.5
    found = energy_data(ROWS, [run(4, 2.0), run(6)], MACHINE)
    assert found["bars"][0]["measured"] is None and found["source"] == "a counter"


def test_an_entry_that_failed_has_no_bar_for_the_runs_before():
    rows = [ROWS[0] | {"failed": "Out of memory."}, ROWS[1]]
    found = energy_data(rows, [run(4), run(4) | {"label": "late"}], MACHINE)
    assert [bar["label"] for bar in found["bars"]] == ["late"]
