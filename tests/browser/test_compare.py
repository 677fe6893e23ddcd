"""The Compare tab in a real browser: racing, replaying, stopping, waiting, saving, and hostile texts."""

import csv
import json
import re
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from tests.browser.app_fixture import (
    ROOT,
    assert_nothing_executed,
    press,
    run_button,
    save,
    toast,
    unfold,
    wait_for_frames,
)
from tests.browser.hostile import MARKUP

RACED_MS = 120_000  # a race, its models' loading included, on a machine that does other things too
SOME_DONE = re.compile(r"^[1-9]\d* of \d+ measured runs are done")
LONG = {"repeats": 20, "tokens": 128, "prompts": 5}  # 200 runs, to be stopped
QUICK = {"methods": "speculative_sampling", "tokens": 12, "repeats": 1, "prompts": 1}
PANEL = "document.querySelector('.race-host').race"


@pytest.fixture
def set_up(visit):
    """`set_up(methods=..., tokens=...)` gives a fresh browser's page with that race set up, by its link."""

    def set_up(*, theme: str = "light", context=None, **setup):
        asked = {"tab": "compare", "__theme": theme} | QUICK | setup
        query = urlencode({name: value for name, value in asked.items() if value is not None})
        page = visit(f"?{query}", **(context or {}))
        expect(notice(page)).to_contain_text("Set up by the link", timeout=RACED_MS)
        return page

    return set_up


def notice(page):
    return page.locator("#race-notice .notice")


def file_notice(page):
    return page.locator("#race-file-notice .notice")


def press_race(page) -> None:
    press(page, "#race")
    expect(page.locator("#race-stop")).to_be_enabled(timeout=RACED_MS)


def note_what_is_told(page) -> None:
    """`window.told` is what the line below the buttons says from now on."""
    page.evaluate(
        """() => {
          window.told = [];
          const [line, bar] = ['.notice', '.race-bar'].map((name) => document.querySelector('#race-notice ' + name));
          const playing = () => document.querySelector('.player-host')?.player?.state().playing ?? false;
          const note = () => told.push({text: line.textContent, bar: !bar.hidden, playing: playing()});
          new MutationObserver(note).observe(line, {childList: true});
        }"""
    )


def wait_for_results(page, said: str = "Done") -> dict:
    """Until the race has ended; gives the value that the panel shows."""
    expect(notice(page)).to_contain_text(said, timeout=RACED_MS)
    expect(page.locator("#race")).to_be_enabled(timeout=RACED_MS)
    page.wait_for_function(f"{PANEL}.value")
    page.evaluate(f"{PANEL}.pause()")
    return page.evaluate(f"{PANEL}.value")


def race(page) -> dict:
    press_race(page)
    return wait_for_results(page)


def saved(page, button: str) -> Path:
    return save(page, button, below="Files and link")


# -- a race ----------------------------------------------------------------------------------------------------------


def test_a_race_ends_in_a_replay_a_table_and_sentences(set_up):
    page = set_up(methods="speculative_sampling,rsd_s:width=2", repeats=2, prompts=2)
    expect(page.locator("#race-plan .notice")).to_contain_text("3 methods on 2 prompts, 2 times: 12 runs")
    value = race(page)
    titles = ["Autoregressive", "Speculative sampling", "RSD-S (beam width 2)"]
    assert [lane["title"] for lane in value["lanes"]] == titles
    expect(page.locator(".sr-lane")).to_have_count(3)
    expect(page.locator(".sr-table tbody tr")).to_have_count(3)
    expect(page.locator(".sr-verdict li").first).to_contain_text("pairs of runs only")
    expect(page.locator('tr[data-label="autoregressive"] [data-column="speed_up"]')).to_contain_text("1.00×")
    shown = page.evaluate(f"{PANEL}.replay.state()")
    for lane, there in zip(value["lanes"], shown["lanes"], strict=True):
        assert there["clocks"] == pytest.approx([each["clock_s"] for each in lane["run"]["rounds"]], abs=1e-3)
    expect(page.locator(".spec-race .js-plotly-plot")).to_be_visible()
    page.locator(".sr-prompts").select_option("1")
    page.wait_for_function(f"{PANEL}.value.place === 1")
    other = page.evaluate(f"{PANEL}.value")
    assert other["race"] == value["race"] and other["lanes"][0]["run"]["prompt"] != value["lanes"][0]["run"]["prompt"]


def test_a_lanes_run_opens_in_the_watch_tab(set_up):
    page = set_up()
    value = race(page)
    page.get_by_role("button", name="Watch this run of Speculative sampling").click()
    expect(page.locator("#player .sp-title")).to_have_text("Speculative sampling", timeout=RACED_MS)
    expect(page.get_by_role("tab", name="Watch")).to_have_attribute("aria-selected", "true")
    run = page.evaluate("document.querySelector('.player-host').player.trace.finished")
    assert run["num_tokens"] == value["lanes"][1]["run"]["tokens"]
    page.get_by_role("tab", name="Compare").click()
    expect(page.locator(".sr-lane").first).to_be_visible()


def test_a_method_that_cannot_run_gets_a_row_and_the_others_finish(set_up):
    page = set_up(methods="speculative_sampling,prompt_lookup", pair="other", target=str(ROOT / "assets/models/target"))
    value = race(page)
    failed = [row["label"] for row in value["standings"]["rows"] if row["failed"]]
    assert failed == ["speculative_sampling"]
    expect(page.locator('tr[data-label="speculative_sampling"]')).to_contain_text("draft model")
    expect(page.locator('tr[data-label="prompt_lookup"] [data-column="speed_up"]')).to_contain_text("×")


@pytest.mark.usefixtures("undisturbed")
def test_stop_keeps_what_was_measured_and_the_next_race_works(set_up):
    page = set_up(**LONG)
    press_race(page)
    expect(notice(page)).to_contain_text(SOME_DONE, timeout=RACED_MS)
    press(page, "#race-stop")
    value = wait_for_results(page, "Stopped after")
    done = int(re.search(r"after (\d+) of 200", notice(page).inner_text())[1])
    assert 0 < done < 200 and f"{done} of 200 measured runs" in value["conditions"]
    assert sum(row["runs"] for row in value["standings"]["rows"]) == done


def test_progress_is_shown_with_the_time_left_and_the_page_stands_still(set_up):
    page = set_up(repeats=10, tokens=48)
    note_what_is_told(page)
    race(page)
    under_way = [each for each in page.evaluate("told") if "measured runs are done" in each["text"]]
    assert under_way and all(each["bar"] and not each["playing"] for each in under_way)
    assert re.search(r"About \d+ s left\.$", under_way[-1]["text"]) or "a second left" in under_way[-1]["text"]
    expect(page.locator(".race-bar")).to_be_hidden()


def test_a_second_race_waits_and_is_told_its_place(set_up):
    busy, waiting = set_up(**LONG), set_up()
    press_race(busy)
    expect(notice(busy)).to_contain_text(SOME_DONE, timeout=RACED_MS)
    press_race(waiting)
    expect(notice(waiting)).to_contain_text("1 run on other pages comes first", timeout=RACED_MS)
    press(busy, "#race-stop")
    wait_for_results(busy, "Stopped after")
    assert wait_for_results(waiting)["lanes"][1]["run"]


@pytest.mark.usefixtures("undisturbed")
def test_a_race_that_waits_can_be_stopped(set_up):
    busy, waiting = set_up(**LONG), set_up()
    press_race(busy)
    expect(notice(busy)).to_contain_text(SOME_DONE, timeout=RACED_MS)
    press_race(waiting)
    note_what_is_told(waiting)
    press(waiting, "#race-stop")
    expect(notice(waiting)).to_contain_text("Stopped before it began", timeout=RACED_MS)
    expect(waiting.locator("#race")).to_be_enabled()
    press(busy, "#race-stop")
    wait_for_results(busy, "Stopped after")
    assert waiting.evaluate(f"{PANEL}.value") is None
    race(waiting)  # races come in the order they were asked for in, so the one before would have begun by now
    begun = [each for each in waiting.evaluate("told") if each["text"] == "Loading the models ..."]
    assert len(begun) < 2, "the race began although it was stopped"


def test_a_run_is_refused_while_the_same_page_races_and_says_why(set_up):
    page = set_up(**LONG)
    press_race(page)
    expect(notice(page)).to_contain_text(SOME_DONE, timeout=RACED_MS)
    page.get_by_role("tab", name="Watch").click()
    run_button(page).click()
    expect(toast(page)).to_contain_text("A race in the Compare tab is going on. Press Stop first.", timeout=RACED_MS)
    page.get_by_role("tab", name="Compare").click()
    press(page, "#race-stop")
    wait_for_results(page, "Stopped after")


# -- a paper's comparison, and why not faster ------------------------------------------------------------------------


def test_a_papers_comparison_is_one_click_and_stands_beside_the_paper(set_up):
    page = set_up()
    unfold(page, "From the papers")
    page.locator("#preset-mtad-table7").click()
    expect(page.locator("#race-paper .notice")).to_contain_text("MTAD, Table 7")
    expect(page.locator("#race-plan .notice")).to_contain_text("5 methods on 10 prompts, 2 times: 100 runs")
    page.locator("#race-paper-leave").click()
    expect(page.locator("#race-paper .notice")).to_be_empty()
    page = set_up(methods=None, paper="mtad-table7", prompts=1, tokens=8, repeats=1)
    found = race(page)["beside"]
    assert found["preset"] == "mtad-table7" and "prompts 1 in place of 10" in found["missing"][0]
    table = page.locator(".sr-paper-table").first
    expect(table.locator(".sr-here")).to_contain_text("Here, measured")
    expect(table.locator(".sr-printed").first).to_contain_text("55.9")
    expect(table.locator(".sr-printed").first).to_contain_text("Llama-2-13B")
    page.locator('[data-why="mtad beam_width=2"]').click()
    expect(page.locator("#race-why-notice .notice")).to_contain_text("Why not faster here? MTAD (", timeout=RACED_MS)
    expect(page.locator("#race-why .sp-why-verdict")).to_contain_text("the speed of plain decoding")
    expect(page.locator("#race-why .sp-why-facts")).to_contain_text("oracle")
    expect(page.locator('#race-why [data-chart="acceptance_by_layer"]')).to_be_visible()


@pytest.mark.usefixtures("undisturbed")
def test_a_papers_comparison_that_was_stopped_says_what_is_missing(set_up):
    page = set_up(methods=None, paper="mtad-table7", prompts=None, tokens=None, repeats=None)
    press_race(page)
    expect(notice(page)).to_contain_text(re.compile(r"^[1-9]\d* of 100 measured runs"), timeout=RACED_MS)
    press(page, "#race-stop")
    found = wait_for_results(page, "Stopped after")["beside"]
    assert re.fullmatch(r"Only \d+ of 100 runs were finished, so .*", found["missing"][-1])
    expect(page.locator(".sr-missing")).to_contain_text("of 100 runs were finished")


# -- the line-up and the prompts -------------------------------------------------------------------------------------


def test_one_method_can_be_added_again_with_other_options(set_up):
    page = set_up(methods="rsd_s")
    unfold(page, "Add a method with other options")
    page.locator("#race-variant-method input").click()
    page.get_by_role("option", name="RSD-S").click()
    field = page.locator("#race-variant").get_by_label("number input for Beam width")
    field.fill("2")
    field.press("Tab")
    page.locator("#race-add").click()
    expect(page.locator("#race-added .notice")).to_contain_text("RSD-S (beam width 2) was added")
    page.locator("#race-add").click()
    expect(page.locator("#race-added .notice")).to_contain_text("is in the race already")
    value = race(page)
    assert [lane["label"] for lane in value["lanes"]] == ["autoregressive", "rsd_s width=3", "rsd_s width=2"]


def test_a_group_is_one_click(set_up):
    page = set_up()
    page.get_by_role("button", name="Beam family").click()
    expect(page.locator("#race-plan .notice")).to_contain_text("5 methods")
    expect(page.locator("#race-methods")).to_contain_text("Beam search")


def test_what_cannot_be_raced_is_refused_in_a_sentence_at_once(set_up):
    page = set_up(source="one", prompt=" ")
    press(page, "#race")
    expect(notice(page)).to_have_attribute("data-kind", "error")
    expect(notice(page)).to_contain_text("There is no prompt")
    expect(page.locator("#race")).to_be_enabled()
    expect(page.locator("#race-stop")).to_be_disabled()


def test_a_file_brings_prompts_and_its_broken_lines_are_named(set_up):
    page = set_up(prompts=5, tokens=6)
    page.get_by_label("A file").check()
    upload = page.locator("#race-file input[type=file]")
    upload.set_input_files({"name": "mine.txt", "mimeType": "text/plain", "buffer": b"One day\n\xff\xfe\n\nThe king"})
    expect(page.locator("#race-file")).to_contain_text(re.compile(r"mine\s*\.txt"))  # in two parts
    press(page, "#race")
    expect(notice(page)).to_contain_text("mine.txt has lines that are not text (UTF-8): 2. Mend them.")
    page.locator("#race-file").get_by_role("button", name=re.compile("clear|remove", re.I)).first.click()
    page.locator("#race-file input[type=file]").set_input_files(
        {"name": "good.txt", "mimeType": "text/plain", "buffer": b"One day\n\nThe king had\n"}
    )
    expect(page.locator("#race-plan .notice")).to_contain_text("on 2 prompts")
    assert race(page)["prompts"] == ["One day", "The king had"]


def test_hostile_prompts_stay_texts(set_up):
    prompt = " ".join(MARKUP) + " \U0001f642"
    page = set_up(source="one", prompt=prompt, tokens=4)
    assert race(page)["prompts"] == [prompt]
    page.evaluate(f"{PANEL}.replay.goto(9)")
    assert MARKUP[0] in page.locator(".sr-prompt").first.inner_text()
    assert_nothing_executed(page)
    content = json.loads(saved(page, "Save everything (JSON)").read_text())
    assert content["setup"]["prompts"] == [prompt]


# -- files and links -------------------------------------------------------------------------------------------------


def test_what_is_saved_is_what_is_shown(set_up):
    page = set_up()
    unfold(page, "Files and link")
    page.get_by_role("button", name="Save the table (CSV)").click()
    expect(file_notice(page)).to_contain_text("press Race first")
    value = race(page)
    with saved(page, "Save the table (CSV)").open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row, written in zip(value["standings"]["rows"], rows, strict=True):
        assert written["entry"] == row["label"]
        assert float(written["tokens_per_s (measured)"]) == row["cells"]["tokens_per_s"]["value"]
    content = json.loads(saved(page, "Save everything (JSON)").read_text())
    assert [row["label"] for row in content["rows"]] == [row["entry"] for row in rows]
    svg = saved(page, "Save the chart (SVG)")
    assert svg.name == "speed-up.svg" and "<svg" in svg.read_text() and "Speculative sampling" in svg.read_text()
    png = saved(page, "Save the chart (PNG)")
    assert png.name == "speed-up.png" and png.read_bytes().startswith(b"\x89PNG") and png.stat().st_size > 5000


def test_a_link_sets_the_same_race_up(set_up, open_page):
    page = set_up(methods="rsd_s:width=2,typical_acceptance", tokens=20, temperature=0.5)
    unfold(page, "Files and link")
    page.locator("#race-make-link").click()
    expect(file_notice(page)).to_contain_text("ready to copy")
    link = page.locator("#race-link textarea, #race-link input").first
    expect(link).to_have_value(re.compile("tab=compare"))
    other = open_page()
    other.goto(link.input_value())
    expect(other.locator("#race-methods")).to_contain_text("RSD-S (beam width 2)", timeout=RACED_MS)
    expect(other.locator("#race-plan .notice")).to_contain_text("runs of up to 20 tokens")
    unfold(other, "Models, sampling and repeats")
    expect(other.locator("#race-settings").get_by_label("number input for Temperature")).to_have_value("0.5")


def test_a_link_of_the_watch_tab_opens_there_and_nonsense_is_said(open_page, address):
    page = open_page()
    page.goto(f"{address}/?seed=7")
    expect(page.locator("#notice .notice")).to_contain_text("Set up by the link")
    expect(page.locator("#race")).to_have_count(0)  # a tab that was never opened is not in the page
    page.goto(f"{address}/?tab=compare&methods=%3Cimg+src%3Dx+onerror%3Dalert(1)%3E")
    expect(notice(page)).to_contain_text("Unknown method", timeout=RACED_MS)
    assert_nothing_executed(page)


# -- sizes and keys --------------------------------------------------------------------------------------------------


def test_nothing_is_wider_than_the_page(set_up):
    """On a phone and on a desk, each dark and light: a theme is a class of the page."""
    page = set_up(theme="dark", context={"width": 390, "height": 844}, methods="speculative_sampling,rsd_s")
    race(page)
    for title in ("Add a method with other options", "Models, sampling and repeats", "Files and link"):
        unfold(page, title)
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 844})
        for theme in ("dark", "light"):
            page.evaluate("(dark) => document.body.classList.toggle('dark', dark)", theme == "dark")
            wait_for_frames(page)
            assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), (width, theme)
            ground = page.evaluate("getComputedStyle(document.querySelector('.sr-first')).backgroundColor")
            body = page.evaluate("getComputedStyle(document.querySelector('.gradio-container')).backgroundColor")
            assert ground == body or ground.startswith("rgb"), "the sticky column must cover what scrolls under it"


def test_a_race_can_be_run_and_replayed_from_the_keyboard(set_up):
    page = set_up()
    page.locator("#race").focus()
    page.keyboard.press("Enter")
    wait_for_results(page)
    page.locator(".sr-replay").focus()
    page.keyboard.press("End")
    assert page.evaluate(f"{PANEL}.replay.state().lanes[0].tokens") == 12
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    assert page.evaluate(f"{PANEL}.replay.state().now") > 0


def test_with_reduced_motion_the_race_stands_at_its_end(set_up):
    page = set_up(context={"reduced_motion": "reduce"})
    press_race(page)
    expect(notice(page)).to_contain_text("Done", timeout=RACED_MS)
    page.wait_for_function(f"{PANEL}.value")
    state = page.evaluate(f"{PANEL}.replay.state()")
    assert not state["playing"] and state["now"] == state["length"] > 0
