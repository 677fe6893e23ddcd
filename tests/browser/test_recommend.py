"""Drawings of the Recommend tab, without the app: its list beside the stage, and the history."""

import copy
import re

import pytest
from playwright.sync_api import expect

from playground.ui.recommend.recorded import read_recommendation
from playground.views.modules import styles_of
from tests.browser.empty_page import empty_page
from tests.browser.hostile import ALL
from tests.browser.race_harness import show

STYLES = styles_of("shared", "player", "recommend")


def test_each_of_the_three_lists_has_its_run_on_the_stage(page):
    value = copy.deepcopy(read_recommendation()["panel"])
    value["lists"][0]["items"][0]["name"] = ALL  # nobody should be able to run it
    empty_page(page, "recommend/recommend.js", "rec", STYLES, dark=False)
    page.evaluate("window.r = rec.mount(document.getElementById('host'))")
    show(page, value)
    lines = page.locator(".rec-list li .rec-name")
    expect(lines).to_have_count(10)
    assert page.evaluate("window.executed") is None and "<img" in lines.first.inner_text()
    expect(page.locator(".rec-verdict")).to_contain_text("Same list as beam search")
    ms, *parts = map(float, re.findall(r"\d+\.\d", page.locator(".rec-verdict").inner_text())[:4])
    assert ms == pytest.approx(sum(parts), abs=0.2), "its times add up"
    assert page.evaluate("r.player.trace.run.method") == "atspeed_strict"
    named = page.evaluate("[...r.player.trace.live.values()].filter((node) => node.named).map((node) => node.piece)")
    assert len(named) > 10 and set(named) <= set(value["names"].values())
    page.get_by_role("button", name="Relaxed").click()
    expect(page.locator(".rec-verdict")).to_contain_text("Drawn, not searched")
    assert page.evaluate("r.player.trace.run.method") == "atspeed_relaxed"


def test_on_a_phone_the_tree_hangs_from_the_last_thing_bought(page):
    """Its name may be wider than the part of the stage that is for what came before."""
    page.set_viewport_size({"width": 390, "height": 844})
    page.emulate_media(reduced_motion="reduce")
    empty_page(page, "recommend/recommend.js", "rec", STYLES, dark=False)
    page.evaluate("window.r = rec.mount(document.getElementById('host'))")
    show(page, read_recommendation()["panel"])
    page.wait_for_function("new Set([...r.player.tree.layout.places.values()].map((place) => place.y)).size > 5")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_history_is_built_by_names_and_by_taking_away(page):
    empty_page(page, "recommend/history.js", "part", STYLES, dark=False)
    page.evaluate(
        """window.h = new part.History(document.getElementById('host'), {
          read: 2, catalogue: async () => [[7, 'blue teapot'], [8, 'red mug']],
          changed: (value) => { window.now = value.items; h.show(value); },
        }); h.show({items: [1, 2, 3], names: {1: 'one', 2: 'two', 3: 'three'}})"""
    )
    expect(page.locator(".rec-history summary")).to_contain_text("one · two · three")
    page.locator(".rec-history summary").click()
    expect(page.locator(".rec-unread")).to_have_text(["one✕"])
    page.get_by_label("Name of an item").fill("blue teapot")
    expect(page.locator(".rec-chip")).to_have_count(4)
    page.get_by_label("Take two away").click()
    assert page.evaluate("now") == [1, 3, 7]
    expect(page.get_by_label("Take three away")).to_be_focused()
    page.get_by_role("button", name="Clear").click()
    assert page.evaluate("now") == [] and page.get_by_text("Nothing yet").is_visible()
    expect(page.get_by_label("Name of an item")).to_be_focused()
