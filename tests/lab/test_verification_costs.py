"""The price of verification: rows that were measured and published, what follows from them, and the page's choices."""

import math

import numpy as np
import pytest

from playground.lab.expected_speed import expected_speed
from playground.lab.verification_costs import FILE, THREADS, CostRow, as_markdown, cost_rows
from playground.paths import ASSETS
from playground.words import english
from tests.lab.test_expected_speed import PASSING, SLIDERS

ROW = CostRow(id="a", engine="e", model="m", machine="x", on="2026-01-01", costs={2: 1.5, 4: 2.0})


def test_between_sizes_the_cost_is_straight_and_after_the_last_no_flatter_than_on_the_whole():
    assert ROW.growth()([1, 2, 3, 4, 6]).tolist() == pytest.approx([1, 1.5, 1.75, 2.0, 8 / 3])


def test_a_draft_pays_up_to_the_length_whose_tokens_outweigh_its_call():
    """One draft brings 1 + a tokens for 1.5 calls, three bring 1 + a + a² + a³ for 2."""
    assert ROW.longest_paying([0.4, 0.52, 0.56, 1.0]) == [0, 2, 3, 3]
    assert ROW.longest_paying([1.0], cost_ratio=0.7) == [0], "drafting takes more than it saves"
    assert ROW.longest_paying([0.9], cost_ratio=0.2) == [3]
    assert ROW.longest_paying([0.5]) == [0], "1.5 tokens for 1.5 calls do not pay"


MEASURED = ("engine", "engine_float32", *THREADS)


def test_every_row_has_its_day_its_source_and_costs_of_which_one_token_is_one():
    rows = cost_rows()
    assert len(rows) == len(FILE.read_text().split('"id"')) - 1 + len(MEASURED), "no two rows have one id"
    for row in rows.values():
        assert row.costs.get(1, 1) == 1 and list(row.costs) == sorted(row.costs), row.id
        assert all(0.5 < cost <= size for size, cost in row.costs.items()), row.id
        assert len(row.on) == 10 and (row.source.startswith("https://") or row.context), row.id


def test_the_page_offers_every_row_by_its_name_and_says_who_measured_it():
    choices = (ASSETS / "lab" / "choices.js").read_text()
    for row in cost_rows().values():
        kind = "PUBLISHED" if row.source else "MEASURED"
        assert f'"{row.id}"' in choices.partition(f"export const {kind}_COSTS")[2].partition("\n")[0]
        assert english("lab/speed")[f"nodes_{row.id}"].startswith("published: " if row.source else "measured: ")


@pytest.mark.parametrize("name", cost_rows())
def test_the_lab_reckons_with_a_row(name):
    answer, row = expected_speed(PASSING, **SLIDERS | {"nodes_cost": name, "cost_ratio": 0.0}), cost_rows()[name]
    cost = answer["cost"]
    assert row.title() in cost["note"] and row.on in cost["note"]
    assert cost["sizes"] == list(row.costs.items()) and cost["y"][0] == 1
    rates = answer["by_rate"]
    most = max(row.costs) - 1
    by_lab = [min(length, most) for length in rates["longest_paying"]]
    assert by_lab == row.longest_paying(rates["x"]) or most < 15, "both count the same rounds"
    assert all(best <= longest for best, longest in zip(rates["best_length"], rates["longest_paying"], strict=True))
    assert expected_speed(PASSING, **SLIDERS)["cost"]["sizes"] == []


def test_the_table_says_where_a_row_ends():
    row, *_ = as_markdown([ROW], (0.56, 0.4), 0.0).splitlines()[2:]
    assert row == "| e, m, x | 1.50 | 2.00 | 3+ | 0 | measured, 2026-01-01 |"
    costs = np.array([cost for row in cost_rows().values() for cost in row.costs.values()])
    assert not any(map(math.isnan, costs))
