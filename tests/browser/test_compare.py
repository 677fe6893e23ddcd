"""The Compare tab in a real browser: racing, replaying, stopping, waiting, saving, and hostile texts."""

import csv
import json
import re
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from tests.browser import app_fixture as reader
from tests.browser.app_fixture import TRY_MS
from tests.browser.holds import assert_comes_to_rest, assert_nothing_executed
from tests.browser.hostile import MARKUP

RACED_MS = 120_000  # a race, its models' loading included, on a machine that does other things too

SET_UP = "Set up the race"
QUICK = {"methods": "speculative_sampling", "tokens": 12, "repeats": 1, "prompts": 1}
PANEL = "(document.querySelector('.race-host')?.race ?? {})"  # empty until its script is there


@pytest.fixture
def set_up(visit):
    """`set_up(methods=..., tokens=...)` gives a fresh browser's page with that race set up, by its link."""

    def set_up(context=None, **setup):
        page = visit(f"?{urlencode({'tab': 'compare'} | QUICK | setup)}", **(context or {}))
        expect(notice(page)).to_contain_text("Filled in from the link", timeout=RACED_MS)
        return page

    return set_up


def notice(page):
    return page.locator("#race-notice .notice")


def file_notice(page):
    return page.locator("#race-file-notice .notice")


def wait_for_results(page) -> dict:
    """Until the race has ended; gives the value that the panel shows."""
    expect(notice(page)).to_contain_text("Done", timeout=RACED_MS)
    page.wait_for_function(f"{PANEL}.value?.race && !{PANEL}.value.recorded")
    expect(page.locator("#race")).to_be_enabled(timeout=RACED_MS)
    page.evaluate(f"{PANEL}.pause()")
    return page.evaluate(f"{PANEL}.value")


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


def saved(page, button: str) -> Path:
    return reader.save(page, button, below="Files and link")


def test_a_race_ends_in_a_replay_a_table_files_and_runs_to_watch(set_up):
    """One race, begun and replayed from the keyboard, and all that it leaves behind."""
    moving = {"reduced_motion": "no-preference"}
    page = set_up(methods="speculative_sampling,rsd_s:width=2", repeats=4, prompts=2, tokens=12, context=moving)
    expect(page.locator("#race-plan .notice")).to_contain_text("3 methods on 2 prompts, 4 times, 24 runs")
    reader.unfold(page, "Files and link")
    page.get_by_role("button", name="Save the table (CSV)").click()
    expect(file_notice(page)).to_contain_text("Nothing was saved. Press Race.")
    note_what_is_told(page)
    page.locator("#race").focus()
    page.keyboard.press("Enter")
    value = wait_for_results(page)
    _progress_was_shown_and_the_page_stood_still(page)
    _the_replay_the_table_and_the_sentences_are_there(page, value)
    page.locator(".sr-replay").focus()
    page.keyboard.press("End")
    assert page.evaluate(f"{PANEL}.replay.state().lanes[0].tokens") == 12
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    assert page.evaluate(f"{PANEL}.replay.state().now") > 0
    _what_is_saved_is_what_is_shown(page, value)
    page.locator('[data-why="speculative_sampling"]').click()
    expect(page.locator("#race-why-notice .notice")).to_contain_text("Why not faster here? Spec", timeout=RACED_MS)
    # a number, or why there is none: beside other work a measurement comes out that cannot be
    verdict = re.compile("the speed of plain decoding")
    expect(page.locator("#race-why .sp-why-verdict")).to_contain_text(verdict)
    place = 1 - value["place"]  # The times decide which prompt is shown first.
    page.locator(".sr-prompts").select_option(str(place))
    page.wait_for_function(f"{PANEL}.value?.place === {place}")
    other = page.evaluate(f"{PANEL}.value")
    assert other["race"] == value["race"] and other["lanes"][0]["run"]["prompt"] != value["lanes"][0]["run"]["prompt"]
    page.get_by_role("button", name="Watch this run of Speculative sampling").click()
    expect(page.locator("#player .sp-title")).to_have_text("Speculative sampling", timeout=RACED_MS)
    expect(page.get_by_role("tab", name="Watch")).to_have_attribute("aria-selected", "true")
    assert reader.of_player(page, "p.trace.finished.num_tokens") == other["lanes"][1]["run"]["tokens"]
    assert reader.of_player(page, "p.trace.run.prompt") == other["prompts"][place]
    expect(page.locator("#notice")).to_contain_text("Speculative sampling: a run of Compare.")
    expect(page.get_by_label("Method", exact=True)).to_contain_text("Speculative sampling")
    address = re.compile(r"\?(?!.*tab=)(prompt=.*&)?tokens=12.*#step=")  # It says nothing of the form's own prompt.
    reader.persist(
        lambda: page.keyboard.press("End"),
        lambda: expect(page).to_have_url(address, timeout=reader.TRY_MS),
    )
    reader.open_tab(page, "Compare")
    expect(page.locator(".sr-lane[data-label]").first).to_be_visible()


def _progress_was_shown_and_the_page_stood_still(page) -> None:
    under_way = [each for each in page.evaluate("told") if "measured runs are done" in each["text"]]
    assert under_way and all(each["bar"] and not each["playing"] for each in under_way)
    assert re.search(r"(About \d+ s left|measured runs are done)\.$", under_way[-1]["text"])
    expect(page.locator(".race-bar")).to_be_hidden()


def _the_replay_the_table_and_the_sentences_are_there(page, value) -> None:
    titles = ["Autoregressive", "Speculative sampling", "RSD-S (beam width 2)"]
    assert [lane["title"] for lane in value["lanes"]] == titles
    expect(page.locator(".sr-lane[data-label]")).to_have_count(3)
    expect(page.locator(".sr-table tbody tr")).to_have_count(3)
    expect(page.locator(".sr-verdict li").first).to_contain_text("pairs of runs: too few prompts for an interval")
    expect(page.locator('tr[data-label="autoregressive"] [data-column="speed_up"]')).to_contain_text("1.00×")
    shown = page.evaluate(f"{PANEL}.replay.state()")
    for lane, there in zip(value["lanes"], shown["lanes"], strict=True):
        assert there["clocks"] == pytest.approx([each["clock_s"] for each in lane["run"]["rounds"]], abs=1e-3)
    expect(page.locator(".spec-race .js-plotly-plot")).to_be_visible()


def _what_is_saved_is_what_is_shown(page, value) -> None:
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


def test_a_race_is_set_up_by_groups_papers_variants_and_files_and_its_link_sets_it_up_again(set_up):
    page = set_up()
    plan = page.locator("#race-plan .notice")
    reader.answer_slowly(page)
    reader.unfold(page, SET_UP)
    page.get_by_role("button", name="Beam family").click()
    expect(plan).to_contain_text("5 methods")
    expect(page.locator("#race-methods")).to_contain_text("Beam search")
    reader.close_drawer(page)
    reader.open_tab(page, "From the papers")
    page.locator("#preset-mtad-table7").click()
    expect(page.locator("#race-paper .notice")).to_contain_text("MTAD, Table 7")  # the race is shown
    expect(plan).to_contain_text("5 methods on 10 prompts, 2 times, 100 runs")
    assert_comes_to_rest(page)
    expect(page.locator(".toast-body")).to_have_count(0)  # A request under way holds entries of the line-up before.
    page.locator("#race-paper-leave").click()
    expect(page.locator("#race-paper .notice")).to_be_empty()
    reader.unfold(page, SET_UP)
    reader.unfold(page, "Add a method with other options")
    reader.choose_in(page, page.locator("#race-variant-method input"), "RSD-S")
    reader.write(page, page.locator("#race-variant").get_by_label("number input for Beam width"), "2")
    page.locator("#race-add").click()
    expect(page.locator("#race-added .notice")).to_contain_text("RSD-S (beam width 2) was added")
    page.locator("#race-add").click()
    expect(page.locator("#race-added .notice")).to_contain_text("is in already")
    _nothing_is_wider_than_a_phone_or_a_desk(page)
    reader.close_drawer(page)
    reader.unfold(page, "Files and link")
    page.locator("#race-make-link").click()
    expect(file_notice(page)).to_contain_text("ready to copy")
    link = page.locator("#race-link textarea, #race-link input").first
    expect(link).to_have_value(re.compile("^http.*tab=compare"))  # whole: the page puts its own address before it
    made, planned = link.input_value(), plan.inner_text()
    reader.unfold(page, SET_UP)
    _a_file_brings_prompts_or_its_broken_lines_are_named(page)
    page.goto(made)
    expect(page.locator("#race-methods")).to_contain_text("RSD-S (beam width 2)", timeout=RACED_MS)
    expect(plan).to_have_text(planned, timeout=RACED_MS)
    assert_nothing_executed(page)


def _nothing_is_wider_than_a_phone_or_a_desk(page) -> None:
    """Each dark and light: a theme is a class of the page."""
    reader.unfold(page, "Sampling and repeats")
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 844})
        for theme in ("dark", "light"):
            page.evaluate("(dark) => document.body.classList.toggle('dark', dark)", theme == "dark")
            reader.wait_for_frames(page)
            assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), (width, theme)


def _a_file_brings_prompts_or_its_broken_lines_are_named(page) -> None:
    page.get_by_label("A file").check()
    upload = page.locator("#race-file input[type=file]")
    upload.set_input_files({"name": "mine.txt", "mimeType": "text/plain", "buffer": b"One day\n\xff\xfe\n\nThe king"})
    expect(page.locator("#race-file")).to_contain_text(re.compile(r"mine\s*\.txt"))  # in two parts
    reader.press(page, "#race")
    expect(notice(page)).to_contain_text("mine.txt has lines that are not UTF-8: 2. Mend them.")
    expect(notice(page)).to_have_attribute("data-kind", "error")
    expect(page.locator("#race")).to_be_enabled()
    expect(page.locator("#race-stop")).to_be_disabled()
    clear = page.locator("#race-file").get_by_role("button", name=re.compile("clear|remove", re.I)).first
    reader.persist(lambda: clear.click(timeout=TRY_MS), lambda: upload.wait_for(state="attached", timeout=TRY_MS))
    hostile = f"{' '.join(MARKUP)} \U0001f642\n\nThe king had\n"
    upload.set_input_files({"name": "good.txt", "mimeType": "text/plain", "buffer": hostile.encode()})
    expect(page.locator("#race-plan .notice")).to_contain_text("on 2 prompts")
