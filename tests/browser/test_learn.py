"""Lessons on the page: one read from the list to its answer, and what an address asks for."""

import re

import pytest
from playwright.sync_api import expect

from playground.paths import ASSETS
from playground.trace import load
from playground.views.standalone import standalone_html
from tests.browser.app_fixture import wait_for_frames


def step(page):
    return page.evaluate("document.querySelector('.learn-stage').specPlayer.state().step")


def test_a_lesson_moves_the_stage_and_shows_the_answer_once_it_was_predicted(visit):
    page = visit("?tab=learn")
    page.locator(".learn-card").nth(2).click()
    expect(page.locator(".learn-page-title")).to_have_text("Two opinions on one token")
    expect(page.locator(".learn-page-title")).to_be_focused()
    page.locator(".learn-next").click()
    expect(page.locator(".learn-page-title")).to_have_text("Is it kept?")
    before = step(page)
    expect(page.locator(".learn-told")).to_be_empty()
    page.locator(".learn-choice").first.click()
    expect(page.locator(".learn-told")).not_to_be_empty()
    assert step(page) == before + 1
    expect(page).to_have_url(re.compile("tab=learn&lesson=coin&place=2"))
    page.locator(".learn-all").click()
    expect(page.locator(".learn-card").nth(2)).to_contain_text("Go on")
    expect(page.locator(".learn-title")).to_be_focused()  # what was pressed is gone


def test_an_address_opens_the_nearest_page_and_a_lesson_that_is_not_there_is_said(visit, address):
    """Which page an address means is tested without a browser, and so is a lesson that is not there."""
    page = visit("?tab=learn&lesson=trees&place=99")
    expect(page.locator(".learn-page-title")).to_have_text("Now try it")
    page.goto(f"{address}/?tab=learn&lesson=<img src=x onerror=alert(1)>")
    expect(page.locator(".learn-problem").first).to_contain_text("There is no lesson")
    assert not page.evaluate("window.executed === true")


def test_a_lesson_left_before_its_run_came_stays_left(visit):
    page, held = visit("?tab=learn"), []
    page.route("**/*.json.gz", lambda route: held.append(route))
    page.locator(".learn-card").nth(2).click()
    expect(page.locator(".learn-body")).to_contain_text("Reading")
    expect(page.locator(".learn-next")).to_be_hidden()
    page.locator(".learn-all").click()
    while not held:
        page.wait_for_timeout(20)  # until the request is handed over
    with page.expect_response("**/*.json.gz"):
        held[0].continue_()
    wait_for_frames(page)
    expect(page.locator(".learn-card").nth(2)).to_be_visible()
    assert "lesson=" not in page.url
    page.unroute_all()


def test_a_language_is_chosen_kept_and_asked_for_by_an_address(visit, address):
    page = visit("?tab=learn")
    expect(page.locator(".learn-title")).to_have_text("Speculative decoding, in lessons")
    page.locator("#language").select_option("de")
    expect(page.locator(".learn-title")).to_have_text("Spekulatives Dekodieren in Lektionen")
    page.locator(".learn-card").nth(2).click()
    expect(page.locator(".learn-page-title")).to_have_text("Zwei Meinungen über ein Token")
    page.goto(f"{address}/?tab=learn&language=ja")
    expect(page.locator(".learn-card-title").first).to_have_text("デコーディングはなぜ遅いか")
    page.evaluate("localStorage.removeItem('language')")


@pytest.mark.parametrize(("saved_in", "button"), [("en", "Take away"), ("ja", "持ち帰る"), ("tlh", "Take away")])
def test_a_page_in_one_file_speaks_to_every_browser_as_it_was_saved(browser, tmp_path, saved_in, button):
    trace = load(ASSETS / "traces" / "greedy.json.gz")
    (tmp_path / "run.html").write_text(standalone_html(trace, 3, saved_in), encoding="utf-8")
    context = browser.new_context(locale="de-DE")
    page = context.new_page()
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto((tmp_path / "run.html").as_uri())
    expect(page.locator(".sp-node").first).to_be_visible()
    page.locator(".sp-more").click()
    expect(page.get_by_role("button", name=button)).to_be_visible()
    assert problems == []
    context.close()
