"""Lessons on the page: one read from the list to its answer, and what an address asks for."""

import re

import pytest
from playwright.sync_api import expect


def step(page):
    return page.evaluate("document.querySelector('.learn-stage').specPlayer.state().step")


def test_a_lesson_moves_the_stage_and_shows_the_answer_once_it_was_predicted(visit):
    page = visit("?tab=learn")
    page.locator(".learn-card").nth(2).click()
    expect(page.locator(".learn-page-title")).to_have_text("Two opinions on one token")
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


@pytest.mark.parametrize(
    ("asked", "title"),
    [
        ("lesson=trees&place=3", "Saved by a sibling"),
        ("lesson=trees&place=99", "Now try it"),
        ("lesson=trees&place=<img onerror>", "More than one guess for a place"),
    ],
)
def test_an_address_opens_its_page_or_the_nearest(visit, asked, title):
    page = visit(f"?tab=learn&{asked}")
    expect(page.locator(".learn-page-title")).to_have_text(title)


def test_a_lesson_that_is_not_there_is_said(visit):
    page = visit("?tab=learn&lesson=<img src=x onerror=alert(1)>")
    expect(page.locator(".learn-problem").first).to_contain_text("There is no lesson")
    assert not page.evaluate("window.executed === true")
