"""A race's results in a real browser: the replay on its clock, the table, and what must never happen to a text."""

import pytest

from tests.browser.player_harness import PLAYER
from tests.browser.race_harness import (
    CLOCKS,
    RACE,
    goto,
    lane,
    lanes,
    mount_race,
    plain_round,
    race_value,
    round_,
    run,
    state,
    tokens_of,
)
from tests.browser.test_player import FORBIDDEN, HOSTILE

FINISHED = {"autoregressive": 6, "chain": 6, "beams": 6}


def words(page, label: str) -> str:
    return lane(page, label).locator(".sr-output").text_content()


def signs(page, label: str) -> str:
    """The letters of the signs that stand in a lane's small tree."""
    return page.evaluate(
        """(label) => Array.from(document.querySelectorAll(`.sr-lane[data-label="${label}"] .sr-sign`))
          .filter((sign) => sign.getAttribute('d')).map((sign) => sign.getAttribute('class').match(/sr-sign-(\\w)/)[1])
          .sort().join('')""",
        label,
    )


def column(page, title: str) -> list[str]:
    """What a column of the table reads, from top to bottom."""
    index = page.locator(".sr-table thead tr:last-child th").all_inner_texts()
    place = next(i for i, text in enumerate(index) if text.startswith(title))
    return [
        row.locator("th, td").nth(place).inner_text()
        for row in page.locator(".sr-table tbody tr").all()
        if row.locator("td").count() > 1
    ]


def entries(page) -> list[str]:
    return [row.get_attribute("data-label") for row in page.locator(".sr-table tbody tr").all()]


def sort_by(page, name: str) -> None:
    page.locator(f'.sr-sort[data-column="{name}"]').click()


# -- the clock -------------------------------------------------------------------------------------------------------


def test_before_the_first_race_it_says_what_is_to_come(page):
    mount_race(page)
    assert page.locator(".sr-empty").is_visible() and "No race yet" in page.locator(".sr-empty").inner_text()
    assert page.locator(".sr-full").is_hidden()


def test_each_lane_changes_at_its_recorded_clocks_to_a_millisecond(page):
    mount_race(page, race_value())
    for each in state(page)["lanes"]:
        if each["label"] in CLOCKS:
            assert each["clocks"] == pytest.approx(CLOCKS[each["label"]], abs=1e-9)
    for label, clocks in CLOCKS.items():
        for number, clock in enumerate(clocks):
            goto(page, clock - 0.001)
            rounds = next(each["rounds"] for each in state(page)["lanes"] if each["label"] == label)
            assert rounds == number, (label, clock)
            goto(page, clock + 0.001)
            rounds = next(each["rounds"] for each in state(page)["lanes"] if each["label"] == label)
            assert rounds == number + 1, (label, clock)


def test_playing_takes_as_long_as_the_race_took_times_the_pace(page):
    """Frames may be few on a busy machine; the clock follows the time that passed, not their number."""
    mount_race(page, race_value())
    page.evaluate("r.replay.pause(); r.replay.goto(0); r.replay.clock.setPace(5)")
    shown, passed = page.evaluate(
        """async () => {
          const started = performance.now();
          r.replay.clock.start();
          await new Promise((done) => {
            const look = () => r.replay.clock.now > 0.2 ? done() : requestAnimationFrame(look);
            look();
          });
          return [r.replay.clock.now, (performance.now() - started) / 1000];
        }"""
    )
    assert shown == pytest.approx(passed / 5, abs=0.06)


def test_the_text_grows_round_by_round_and_goes_back_again(page):
    mount_race(page, race_value())
    goto(page, 0)
    assert words(page, "chain") == "" and tokens_of(page, "chain") == 0
    goto(page, 0.13)
    assert words(page, "chain") == " the old oak" and words(page, "autoregressive") == " a"
    goto(page, 9)
    assert words(page, "chain") == " the old oak fell down." and words(page, "autoregressive") == " a b c d e f"
    goto(page, 0.13)
    assert words(page, "chain") == " the old oak" and tokens_of(page, "chain") == 3


def test_beams_take_words_back_also_when_seeking_backwards(page):
    mount_race(page, race_value())
    for seconds, text in (
        (0.3, " one two"),
        (0.42, " one three four"),
        (9, " one three four five six seven"),
        (0.3, " one two"),
    ):
        goto(page, seconds)
        assert words(page, "beams") == text


def test_the_small_tree_is_pending_then_judged(page):
    mount_race(page, race_value())
    goto(page, 0.06)  # the first round is under way and drafted: nobody knows its verdicts, nor the correction
    assert signs(page, "chain") == "or"
    goto(page, 0.124)
    assert signs(page, "chain") == "acrx"
    goto(page, 9)
    assert signs(page, "chain") == "abr"


def test_a_lane_that_has_ended_shows_its_flag_and_place(page):
    mount_race(page, race_value())
    goto(page, 0.3)
    assert lane(page, "chain").locator(".sr-flag").is_visible()
    assert (
        "1st" in lane(page, "chain").locator(".sr-flag").inner_text() and "0.250 s" in lane(page, "chain").inner_text()
    )
    assert lane(page, "beams").locator(".sr-flag").is_hidden()
    goto(page, 9)
    assert {each["label"]: each["place"] for each in state(page)["lanes"]} == {
        "autoregressive": 3, "chain": 1, "beams": 2, "broken": None
    }  # fmt: skip


def test_lanes_of_unequal_length_get_no_places(page):
    value = race_value(lanes=lanes(chain=[round_(0.1, 0, [[" end", "a"]], [-1, 0], "ra")]))
    mount_race(page, value)
    assert all(each["place"] is None for each in state(page)["lanes"])
    assert "different numbers of tokens" in page.locator(".sr-replay").inner_text()


def test_a_lane_that_failed_says_why(page):
    mount_race(page, race_value())
    assert "It failed: ZeroDivisionError: on purpose" in lane(page, "broken").inner_text()


def test_a_race_without_any_run_still_stands(page):
    value = race_value(lanes=lanes(autoregressive=None, chain=None, beams=None))
    mount_race(page, value)
    assert state(page)["length"] == 0 and "No run of it was finished" in lane(page, "chain").inner_text()
    page.locator(".sr-replay").focus()
    for key in (" ", "ArrowRight", "End", "Home", "["):
        page.keyboard.press(key)


def test_with_reduced_motion_the_race_stands_at_its_end(open_page):
    page = open_page(reduced_motion="reduce")
    mount_race(page, race_value())
    page.wait_for_timeout(200)
    assert not state(page)["playing"] and state(page)["now"] == pytest.approx(0.6)
    assert {each["label"]: each["tokens"] for each in state(page)["lanes"] if each["clocks"]} == FINISHED


def test_a_new_race_plays_and_pause_stops_it(page):
    mount_race(page, race_value())
    page.wait_for_function("r.replay.clock.now > 0.005")
    page.evaluate("r.pause()")
    now = state(page)["now"]
    page.wait_for_timeout(150)
    assert state(page)["now"] == now and not state(page)["playing"]


# -- hands -----------------------------------------------------------------------------------------------------------


def test_the_replay_is_driven_from_the_keyboard(page):
    mount_race(page, race_value())
    page.locator(".sr-replay").focus()
    page.keyboard.press("Home")
    assert state(page)["now"] == 0 and not state(page)["playing"]
    for clock in (0.1, 0.12345, 0.2, 0.25):
        page.keyboard.press("ArrowRight")
        assert state(page)["now"] == pytest.approx(clock)
    page.keyboard.press("ArrowLeft")
    assert state(page)["now"] == pytest.approx(0.2)
    page.keyboard.press("Shift+ArrowRight")
    assert state(page)["now"] == pytest.approx(0.26)
    page.keyboard.press("End")
    assert state(page)["now"] == pytest.approx(0.6)
    slow = state(page)["slow"]
    page.keyboard.press("]")
    assert state(page)["slow"] < slow
    page.keyboard.press("Home")
    page.keyboard.press("Space")
    assert state(page)["playing"]
    page.keyboard.press("Space")
    page.keyboard.press("?")
    assert page.locator("dialog[open]").is_visible()
    page.keyboard.press("Escape")


def test_the_scrubber_reaches_both_ends(page):
    mount_race(page, race_value())
    slider = page.locator(".sr-controls input[type=range]")
    slider.focus()
    page.keyboard.press("End")
    assert state(page)["now"] == pytest.approx(0.6) and tokens_of(page, "autoregressive") == 6
    page.keyboard.press("Home")
    assert state(page)["now"] == 0
    assert slider.get_attribute("aria-valuetext") == "0.000 s of 0.600 s"


def test_finishes_are_marked_on_the_clock(page):
    mount_race(page, race_value())
    titles = page.evaluate("Array.from(document.querySelectorAll('.sr-mark title'), (title) => title.textContent)")
    assert titles == [
        "Autoregressive ends at 0.600 s",
        "Chain (draft length 2) ends at 0.250 s",
        "Beams ends at 0.450 s",
    ]


def test_finishes_are_said_in_words(page):
    mount_race(page, race_value())
    page.evaluate("r.replay.clock.setPace(1); r.replay.clock.jump(0.24); r.replay.clock.start()")
    page.wait_for_function(
        "document.querySelector('.sr-replay [aria-live]').textContent.includes('All lanes have ended')"
    )
    assert "Autoregressive is 3rd: 6 tokens in 0.600 seconds" in page.locator(".sr-replay [aria-live]").text_content()


def test_another_prompt_and_a_run_to_watch_are_asked_for(page):
    mount_race(page, race_value())
    page.get_by_label("Prompt").select_option("1")
    lane(page, "chain").get_by_role("button", name="Watch this run of Chain (draft length 2)").click()
    assert page.evaluate("wishes") == [["prompt", 1], ["watch", "chain", 0]]
    page.evaluate("(value) => r.show(value)", race_value(place=1, lanes=lanes(chain=[plain_round(0.3, " x", 0)])))
    goto(page, 9)
    assert words(page, "chain") == " x" and page.get_by_label("Prompt").input_value() == "1"
    lane(page, "chain").get_by_role("button").click()
    assert page.evaluate("wishes.at(-1)") == ["watch", "chain", 1]


def test_with_one_prompt_there_is_nothing_to_choose(page):
    mount_race(page, race_value(prompts=["Only one"]))
    assert page.get_by_label("Prompt").is_hidden()


# -- the table -------------------------------------------------------------------------------------------------------


def test_the_table_is_a_table_with_heads(page):
    mount_race(page, race_value())
    assert page.locator(".sr-table caption").text_content() == "Measures"
    assert page.locator('.sr-table tbody th[scope="row"]').count() == 4
    assert page.locator('.sr-table thead th[scope="col"]').count() == 15
    assert page.locator('.sr-table thead th[scope="colgroup"]').count() == 6


def test_every_column_says_measured_counted_computed_or_estimate(page):
    mount_race(page, race_value())
    heads = page.locator(".sr-table thead tr:last-child th").all_inner_texts()[1:]
    assert all(any(kind in head for kind in ("measured", "counted", "computed", "estimate")) for head in heads)
    assert sum("joules/token" in head and "measured" in head for head in heads) == 1
    assert all("estimate" in head for head in heads if "MBSU" in head or "rejected" in head)


def test_columns_sort_best_first_then_the_other_way_and_blanks_stay_last(page):
    mount_race(page, race_value())
    assert entries(page) == ["chain", "autoregressive", "beams", "broken"]
    sort_by(page, "speed_up")
    assert entries(page) == ["beams", "autoregressive", "chain", "broken"]
    assert page.locator('.sr-table th[aria-sort="ascending"]').inner_text().startswith("speed")
    sort_by(page, "acceptance_rate")  # plain decoding has none
    assert entries(page)[2:] == ["autoregressive", "broken"]
    sort_by(page, "title")
    assert entries(page) == ["autoregressive", "beams", "broken", "chain"]
    assert page.evaluate("document.activeElement.dataset.column") == "title", "the focus stays on the head"


def test_numbers_stand_with_their_spread_and_blanks_with_their_reason(page):
    mount_race(page, race_value())
    assert column(page, "speed")[0].split("\n") == ["1.80×", "1.70–1.90"]
    assert column(page, "acceptance")[1].strip().startswith("–")
    assert "It drafts nothing." in page.locator('tr[data-label="autoregressive"] .sr-blank').first.get_attribute(
        "title"
    )
    assert "joules/token, measured: No energy counter for this run." in page.locator(".sr-blanks").inner_text()
    assert "constants of a toy" in page.locator(".sr-blanks").inner_text()
    assert column(page, "peak")[0].startswith("800.0 KiB") and "14.0 mJ" in " ".join(
        column(page, "joules/token\nestimate")
    )


def test_a_failed_entry_keeps_its_row_and_its_reason(page):
    mount_race(page, race_value())
    assert "failed: ZeroDivisionError: on purpose" in page.locator('tr[data-label="broken"]').inner_text()
    assert page.locator('tr[data-label="broken"] .sr-pin').count() == 0


def test_columns_can_be_hidden_and_shown_again(page):
    mount_race(page, race_value())
    page.get_by_text("Columns", exact=True).click()
    page.get_by_label("MBSU, estimate", exact=True).uncheck()
    assert not [head for head in page.locator(".sr-table thead th").all_inner_texts() if "MBSU" in head]
    assert page.locator(".sr-table tbody tr").first.locator("td").count() == 13
    page.get_by_role("button", name="Show all").click()
    assert page.locator(".sr-table tbody tr").first.locator("td").count() == 14


def test_two_pinned_entries_are_compared_and_a_third_takes_the_place_of_the_first(page):
    mount_race(page, race_value())
    pinned = page.locator(".sr-pinned")
    page.locator('[data-pin="beams"]').click()
    assert "Pin a second method" in pinned.inner_text()
    page.locator('[data-pin="chain"]').click()
    assert "Chain (draft length 2) is faster here" in pinned.inner_text()
    cells = pinned.locator("tbody tr").nth(1).locator("th, td").all_inner_texts()
    assert cells == ["speed-up, measured", "0.70×", "1.80×", "+1.10", "2.57×"]
    page.locator('[data-pin="autoregressive"]').click()
    assert "Chain (draft length 2) against Autoregressive" in pinned.inner_text()
    assert "acceptance rate, counted\t75 %\t–\t–\t–" in pinned.inner_text()
    pinned.get_by_role("button", name="Unpin both").click()
    assert pinned.is_hidden()


def test_the_columns_are_explained(page):
    mount_race(page, race_value())
    page.get_by_text("What the columns mean").click()
    assert "bootstrap, seeded" in page.locator(".sr-meanings").inner_text()


# -- texts, sizes, colours -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hostile", HOSTILE)
def test_texts_never_become_markup(page, hostile):
    value = race_value(
        verdict=[hostile],
        conditions=hostile,
        prompts=[hostile, hostile],
        lanes=[
            entry
            | {"title": hostile, "name": hostile, "note": hostile, "label": hostile + str(place)}
            | {"run": run([round_(0.1, 0, [[hostile, "a"]], [-1, 0], "ra")], prompt=hostile)}
            for place, entry in enumerate(lanes())
        ],
    )
    for row in value["standings"]["rows"]:
        row |= {"label": hostile + row["label"], "title": hostile, "name": hostile, "note": hostile}
        row["failed"] = hostile if row["failed"] else None
    value["standings"]["notes"] = [hostile]
    mount_race(page, value)
    goto(page, 9)
    for pin in page.locator(".sr-pin").all()[:2]:
        pin.click()
    sort_by(page, "title")
    page.wait_for_timeout(100)
    assert not page.evaluate("document.querySelector('.spec-race img, .spec-race script')")
    if hostile.isprintable() and "\ud800" not in hostile:
        assert hostile in page.locator(".sr-lane").first.locator(".sr-text").inner_text()


def test_the_scripts_have_no_way_to_run_a_text():
    for path in RACE.glob("*.js"):
        source = path.read_text()
        assert not [word for word in FORBIDDEN if word in source], path.name


def test_every_file_is_in_the_manifest():
    import json

    manifest = json.loads((RACE / "manifest.json").read_text())
    assert set(manifest["scripts"]) == {path.name for path in RACE.glob("*.js")}
    assert set(manifest["styles"]) == {path.name for path in RACE.glob("*.css")}
    assert all((PLAYER / name).exists() for name in manifest["of_the_player"])


@pytest.mark.parametrize("width", [320, 390, 760, 1280])
@pytest.mark.parametrize("dark", [False, True])
def test_nothing_is_wider_than_the_page(open_page, width, dark):
    page = open_page(width=width)
    mount_race(page, race_value(), dark=dark)
    goto(page, 0.3)
    for pin in page.locator(".sr-pin").all()[:2]:
        pin.click()
    page.get_by_text("What the columns mean").click()
    page.get_by_text("Columns", exact=True).click()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    first = page.locator(".sr-table tbody th").first
    page.locator(".sr-table-box").evaluate("(box) => { box.scrollLeft = 400; }")
    box, cell = page.locator(".sr-table-box").bounding_box(), first.bounding_box()
    assert cell["x"] == pytest.approx(box["x"], abs=1), "the first column stays in sight"


def test_on_a_phone_lanes_stack_and_their_text_has_the_width(open_page):
    page = open_page(width=390, height=844)
    mount_race(page, race_value())
    text = lane(page, "chain").locator(".sr-text").bounding_box()
    who = lane(page, "chain").locator(".sr-who").bounding_box()
    assert text["width"] > 330 and text["y"] > who["y"] + who["height"] - 1


def test_signs_differ_in_shape_and_colours_in_both_themes_can_be_told_from_the_ground(open_page):
    for dark in (False, True):
        page = open_page()
        mount_race(page, race_value(), dark=dark)
        goto(page, 0.124)
        shapes = page.evaluate(
            """() => ['a', 'x', 'c']
              .map((letter) => document.querySelector('.sr-lane[data-label="chain"] .sr-sign-' + letter))
              .map((sign) => sign.getAttribute('d').replace(/[\\d.-]+/g, ''))"""
        )
        assert len(set(shapes)) == 3
        inks = page.evaluate(
            """() => ['.sr-name', '.sr-note', '.sr-faster .sr-number', '.sr-slower .sr-number']
              .map((name) => getComputedStyle(document.querySelector('.spec-race ' + name)).color)"""
        )
        assert len(set(inks)) == 4


def test_without_plotly_the_chart_is_a_table(page):
    """The library is large, and a page that cannot have it still has the numbers."""
    mount_race(page, race_value())
    assert page.locator(".spec-race .sp-chart-table td").all_inner_texts() == ["Chain", "1.80×"]


# -- beside a paper, and why not faster ------------------------------------------------------------------------------


def test_every_row_with_runs_can_be_asked_why(page):
    mount_race(page, race_value())
    asked = [button.get_attribute("data-why") for button in page.locator(".sr-why").all()]
    assert sorted(asked) == ["autoregressive", "beams", "chain"], "what failed has nothing to explain"
    page.get_by_role("button", name="Why is Chain (draft length 2) not faster here?").click()
    assert page.evaluate("wishes") == [["explain", "chain"]]


def test_a_race_of_no_paper_stands_beside_none(page):
    mount_race(page, race_value())
    assert page.locator(".sr-beside").is_hidden()


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
    mount_race(page, race_value(beside=beside))
    here, paper = (page.locator(name).inner_text() for name in (".sr-here", ".sr-printed"))
    assert "212" in here and "55.9" not in here and "measured" in here
    assert "55.9" in paper and "212" not in paper
    assert "Differs:" in page.locator(".sr-says").inner_text() and "3 of 9" in page.locator(".sr-missing").inner_text()
    assert page.evaluate("window.executed") is None


# -- for the Lab -----------------------------------------------------------------------------------------------------


def test_what_a_race_measured_is_a_line_per_method(page):
    value = race_value()
    mount_race(page, value)
    lines = {line["id"].split("/")[1]: line for line in page.evaluate("(value) => specRace.measured(value)", value)}
    rows = [row for row in value["standings"]["rows"] if not row["failed"]]
    assert set(lines) == {row["label"] for row in rows} and "broken" not in lines
    for row in rows:
        line = lines[row["label"]]
        assert line["speed_up"] == row["cells"]["speed_up"]["value"]
        assert line["alpha"] == row["cells"]["acceptance_rate"]["value"]
    assert (lines["chain"]["chain"], lines["beams"]["chain"], lines["beams"]["beams"]) == (True, False, True)
    assert not lines["autoregressive"]["chain"]


def test_a_lossy_entry_carries_its_distance_in_its_lane_and_in_the_table(page):
    mount_race(page, race_value())
    for place in (".sr-lane", "tr"):
        marks = {
            label: page.locator(f'{place}[data-label="{label}"] .spec-badge').first for label in ("chain", "beams")
        }
        assert marks["beams"].text_content() == "LOSSY 0.41" and marks["chain"].text_content() == "lossless"
        assert marks["beams"].get_attribute("title") == "All about LOSSY 0.41."
