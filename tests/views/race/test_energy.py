"""Bars of energy: parts of the estimate per token, and beside them what a meter read."""

from statistics import median

import pytest

from playground.views.race.energy import energy_data

MACHINE = {"title": "a toy", "flop_w": 3.0, "memory_w": 5.0}
ROWS = [{"label": "chain", "title": "Chain"}, {"label": "late", "title": "Late"}]
SECONDS = {"text": [1.0, 2.0], "rejected": [0.5, 0.0], "draft": [0.1, 0.3]}


def run(tokens, joules=None, seconds=SECONDS):
    watts = (MACHINE["flop_w"], MACHINE["memory_w"])
    estimate = seconds and sum(w * s for part in seconds.values() for w, s in zip(watts, part, strict=True))
    energy = {
        "joules": joules,
        "estimated_joules": estimate,
        "source": joules and "a counter",
        "reason": None if joules else "no counter",
    }
    return {"label": "chain", "num_tokens": tokens, "energy": energy | {"estimated_seconds": seconds}}


def test_nothing_was_run_or_estimated():
    assert energy_data(ROWS, [], MACHINE) is None
    assert energy_data(ROWS, [run(4, seconds=None)], None) is None


@pytest.mark.parametrize("tokens", [[5], [4, 6], [10, 4, 8], [20, 2, 8, 6]])
def test_the_parts_come_to_the_median_that_the_table_shows(tokens):
    """Every number of runs, so both kinds of median: the table's is of each run's joules per token."""
    runs = [run(count, 3.0) for count in tokens]
    [bar] = energy_data(ROWS, runs, MACHINE)["bars"]
    whole = sum(MACHINE["flop_w"] * flop + MACHINE["memory_w"] * memory for flop, memory in bar["parts"].values())
    assert whole == pytest.approx(median(each["energy"]["estimated_joules"] / each["num_tokens"] for each in runs))
    assert bar["measured"] == pytest.approx(median(3.0 / count for count in tokens))


def test_parts_are_of_the_middle_run_for_each_token():
    result = energy_data(ROWS, [run(10), run(5), run(2)], MACHINE)
    assert [bar["label"] for bar in result["bars"]] == ["chain"]
    assert result["bars"][0]["parts"] == {"text": [0.2, 0.4], "rejected": [0.1, 0.0], "draft": [0.02, 0.06]}
    assert result["bars"][0]["measured"] is None and result["why"] == "no counter" and result["source"] is None


def test_a_measurement_needs_every_run():
    assert energy_data(ROWS, [run(4, 2.0), run(6, 3.0)], MACHINE)["bars"][0]["measured"] == 0.5
    result = energy_data(ROWS, [run(4, 2.0), run(6)], MACHINE)
    assert result["bars"][0]["measured"] is None and result["source"] == "a counter"
