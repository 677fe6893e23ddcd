"""A race's table in a real browser: its columns, a paper beside it, and what goes to the Lab."""

import pytest

from playground.views.race.standings import standings_data
from tests.browser.hostile import HOSTILE
from tests.browser.race_harness import mount_race, race_value, sort_by
from tests.views import rows as made

MEASURED = "(value) => need('runs/measured.js').then(({ measuredRuns }) => measuredRuns(value))"


@pytest.fixture
def page(page):
    mount_race(page, race_value())
    return page


def column(page, title: str) -> list[str]:
    """Return the texts of a column of the table, from top to bottom."""
    index = page.locator(".sr-table thead tr:last-child th").all_inner_texts()
    place = next(i for i, text in enumerate(index) if text.startswith(title))
    return [
        row.locator("th, td").nth(place).inner_text()
        for row in page.locator(".sr-table tbody tr").all()
        if row.locator("td").count() > 1
    ]


def entries(page) -> list[str]:
    return [row.get_attribute("data-label") for row in page.locator(".sr-table tbody tr").all()]


def test_the_table_is_a_table_with_heads_that_are_explained(page):
    assert page.locator(".sr-table caption").text_content() == "Measures"
    for scope, number in (("row", 4), ("col", 16), ("colgroup", 6)):
        assert page.locator(f'.sr-table th[scope="{scope}"]').count() == number
    page.get_by_text("What the columns mean").click()
    assert "bootstrap" in page.locator(".sr-meanings").inner_text()


def test_every_column_says_measured_counted_computed_or_estimate(page):
    heads = page.locator(".sr-table thead tr:last-child th").all_inner_texts()[1:]
    assert all(any(kind in head for kind in ("measured", "counted", "computed", "estimate")) for head in heads)
    assert sum("joules/token" in head and "measured" in head for head in heads) == 1
    assert all("estimate" in head for head in heads if "memory-bound" in head or "rejected" in head)


def test_columns_sort_best_first_then_the_other_way_and_blanks_stay_last(page):
    assert entries(page) == ["chain", "autoregressive", "beams", "broken"]
    sort_by(page, "speed_up")
    assert entries(page) == ["beams", "autoregressive", "chain", "broken"]
    assert page.locator('.sr-table th[aria-sort="ascending"]').inner_text().startswith("speed")
    sort_by(page, "acceptance_per_position")  # plain decoding has none
    assert entries(page)[2:] == ["autoregressive", "broken"]
    sort_by(page, "title")
    assert entries(page) == ["autoregressive", "beams", "broken", "chain"]
    assert page.evaluate("document.activeElement.dataset.key") == "sort title", "the focus stays on the head"
    value = race_value()
    rows = value["standings"]["rows"]
    for row, title in zip(rows, ["width=10", "width=2", "width=1", "length=3"], strict=True):
        row["title"] = title
    mount_race(page, value)
    sort_by(page, "title")
    titles = {row["label"]: row["title"] for row in rows}
    assert [titles[label] for label in entries(page)] == ["length=3", "width=1", "width=2", "width=10"]


def test_numbers_stand_with_their_spread_blanks_and_failures_with_their_reason(page):
    assert column(page, "speed")[0].split("\n") == ["1.80×", "1.70–1.90"]
    assert column(page, "acceptance")[1].strip().startswith("–")
    blank = page.locator('tr[data-label="autoregressive"] .sr-blank').first
    assert "It drafts nothing." in blank.get_attribute("title")
    blanks = page.locator(".sr-blanks").inner_text()
    assert "joules/token, measured: Not measured: no energy counter for this run." in blanks
    assert "Estimated joules are for a toy." in blanks
    assert column(page, "peak")[0].startswith("800.0 KiB")
    assert "14.0 mJ" in " ".join(column(page, "joules/token\nestimate"))
    broken = page.locator('tr[data-label="broken"]')
    assert "failed: ZeroDivisionError: on purpose" in broken.inner_text()


def test_columns_can_be_hidden_and_shown_again(page):
    page.get_by_text("Columns", exact=True).click()
    page.get_by_label("memory-bound speed-up, estimate", exact=True).uncheck()
    assert not [head for head in page.locator(".sr-table thead th").all_inner_texts() if "memory-bound" in head]
    assert page.locator(".sr-table tbody tr").first.locator("td").count() == 14
    page.get_by_role("button", name="Show all").click()
    assert page.locator(".sr-table tbody tr").first.locator("td").count() == 15


def test_beams_say_what_they_are_rated_against_and_are_not_the_best_of_the_column(page):
    beams = [made.row("plain", 1.0, against="plain"), made.row("drafted", 2.0, against="plain")]
    standings = standings_data([made.baseline(), made.row("chain", 1.2), *beams])
    mount_race(page, race_value(standings=standings | {"notes": []}))
    cell = page.locator('tr[data-label="drafted"] [data-column="speed_up"]')
    assert cell.inner_text().split("\n") == ["2.00×", "1.90–2.10", "over Plain"]
    best = page.locator('.sr-best[data-column="speed_up"]')
    assert best.count() == 1 and "1.20×" in best.inner_text()


def test_every_row_with_runs_can_be_asked_why(page):
    asked = [button.get_attribute("data-why") for button in page.locator(".sr-why").all()]
    assert sorted(asked) == ["autoregressive", "beams", "chain"], "what failed has nothing to explain"
    page.get_by_role("button", name="Why not faster? Chain (draft length 2)").click()
    assert page.evaluate("wishes") == [["explain", "chain"]]


def test_a_papers_numbers_stay_in_rows_of_their_own(page):
    """Measured and printed are in one table, never in one row group; texts from files stay texts."""
    column = {"id": "tokens_per_s", "title": "tokens/s", "kind": "measured", "form": "number", "digits": 0, "unit": ""}
    cell = {"value": 212.4, "low": 200.0, "high": 220.0}
    panel = {
        "form": "table", "column": column, "axis": "number of beams", "keys": [2, 4], "heads": ["2", "4"],
        "measured": [{"method": "mtad", "name": "MTAD", "cells": [cell, None], "everywhere": None, "points": []}],
        "reported": [{"head": HOSTILE[0], "rows": [{"method": "mtad", "name": "MTAD", "cells": ["55.9", None]}]}],
    }  # fmt: skip
    says = [{"text": "Tokens/s: it falls here.", "kind": "differs"}]
    beside = {
        "title": "A table", "paper": "Somebody 2024, A paper", "arxiv": "2407.09722",
        "link": "https://arxiv.org/abs/2407.09722", "reduced": "Much.", "says": says,
        "missing": ["Only 3 of 9 runs were finished."], "panels": [panel], "left_out": [], "charts": [],
    }  # fmt: skip
    assert page.locator(".sr-beside").is_hidden(), "a race of no paper stands beside none"
    mount_race(page, race_value(beside=beside))
    here, paper = (page.locator(name).inner_text() for name in (".sr-here", ".sr-printed"))
    assert "212" in here and "55.9" not in here and "measured" in here
    assert "55.9" in paper and "212" not in paper
    assert "Differs:" in page.locator(".sr-says").inner_text() and "3 of 9" in page.locator(".sr-missing").inner_text()
    assert page.evaluate("window.executed") is None


def test_energy_is_an_estimate_with_the_readers_own_watts_or_measured(page):
    parts = {"text": [0.001, 0.002], "rejected": [0.0005, 0], "draft": [0, 0.001]}
    bars = [{"label": "chain", "title": "Chain", "parts": parts, "measured": 0.05}]
    watts = {"flop_w": 4, "memory_w": 10}
    mount_race(
        page, race_value(energy={"machine": "a toy", "watts": watts, "source": "RAPL", "why": None, "bars": bars})
    )
    shown = page.locator(".sr-energy")
    assert "36.0 mJ, estimate" in shown.inner_text() and "50.0 mJ, measured" in shown.inner_text()
    assert "watts of a toy" in shown.inner_text() and "measured by RAPL" in shown.inner_text()
    titles = [each.get_attribute("title") for each in shown.locator(".sr-bar i").all()]
    assert titles[1:3] == ["target model, for rejected drafts: 2.0 mJ, estimate", "draft model: 10.0 mJ, estimate"]
    page.get_by_label("Watts while reading memory").fill("20")
    assert "66.0 mJ, estimate" in shown.inner_text() and "your watts" in shown.inner_text()
    page.get_by_label("Watts while calculating").fill("-1")
    assert "Watts must be numbers from 0." in shown.inner_text() and "66.0 mJ" in shown.inner_text()
    page.get_by_role("button", name="The machine's").click()
    assert "36.0 mJ, estimate" in shown.inner_text()


def test_what_a_race_measured_is_a_line_per_method(page):
    value = race_value()
    mount_race(page, value)
    measured = page.evaluate(MEASURED, value)
    lines = {line["id"].split("/")[1]: line for line in measured}
    rows = [row for row in value["standings"]["rows"] if not row["failed"]]
    assert set(lines) == {row["label"] for row in rows} and "broken" not in lines
    for row in rows:
        line = lines[row["label"]]
        assert line["speed_up"] == row["cells"]["speed_up"]["value"]
        assert line["alpha"] == row["cells"]["acceptance_per_position"]["value"]
    assert (lines["chain"]["chain"], lines["beams"]["chain"], lines["beams"]["beams"]) == (True, False, True)
    assert not lines["autoregressive"]["chain"]


def test_a_lossy_entry_carries_its_distance_in_its_lane_and_in_the_table(page):
    for place in (".sr-lane", "tr"):
        marks = {
            label: page.locator(f'{place}[data-label="{label}"] .spec-badge').first for label in ("chain", "beams")
        }
        assert marks["beams"].text_content() == "LOSSY · TV 0.41" and marks["chain"].text_content() == "lossless"
        assert marks["beams"].get_attribute("title") == "All about LOSSY · TV 0.41."
