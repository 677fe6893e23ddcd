"""How the player looks in a real browser: its size, its colours, its charts."""

import json

import pytest
from playwright.sync_api import expect

from playground.trace.storage import from_json
from playground.views.charts import page_charts
from tests.browser.player_harness import chain_trace, mount_player, open_view, tree_trace


def test_touch_targets_are_large_enough(open_page):
    """Those of the bar, and those of the menu that opens from it."""
    page = open_page(width=390, height=844, has_touch=True)
    mount_player(page, chain_trace())
    page.get_by_role("button", name="More").tap()
    expect(page.get_by_role("group", name="More")).to_be_visible()
    sizes = page.evaluate(
        """Array.from(document.querySelectorAll('.sp-controls :is(button, select)'))
          .filter((control) => control.checkVisibility())
          .map((control) => [control.offsetWidth, control.offsetHeight])"""
    )
    assert len(sizes) > 6 and all(width >= 40 and height >= 40 for width, height in sizes), sizes


@pytest.mark.parametrize(("scheme", "css_class"), [("dark", False), ("light", True)])
def test_dark_pages_get_light_ink(open_page, scheme, css_class):
    """By the system on a page of its own, by the class `dark` inside Gradio."""
    page = open_page(color_scheme=scheme)
    mount_player(page, chain_trace(), dark=css_class)
    page.evaluate("document.body.style.background = '#000'")
    lightness = page.evaluate(
        """() => { const c = document.createElement('canvas').getContext('2d');
          c.fillStyle = getComputedStyle(document.querySelector('.sp-title')).color; c.fillRect(0, 0, 1, 1);
          return c.getImageData(0, 0, 1, 1).data[0]; }"""
    )
    assert lightness > 200


def test_a_hidden_player_draws_when_it_is_shown(page):
    mount_player(page)
    page.evaluate("document.getElementById('host').style.display = 'none'")
    page.evaluate("(trace) => { p.load(trace, {}); p.goto(6); }", chain_trace())
    page.evaluate("document.getElementById('host').style.display = ''")
    page.wait_for_function(
        """() => { const width = document.querySelector('.sp-stage').clientWidth;
          return width > 0 && p.tree.width === width; }"""
    )


def test_charts_are_bars_that_follow_the_cursor_and_tables(page):
    """Drawn without plotly, once they are in sight."""
    mount_player(page, chain_trace())
    charts = page_charts(from_json(json.dumps(chain_trace())))
    page.evaluate("(charts) => { p.setFigures(charts); p.goto(8); }", charts)
    open_view(page, "rounds")
    emitted = page.locator("[data-chart=accepted_per_round]")
    expect(emitted.locator(".sp-bars-names")).to_have_text("accepted draftcorrectionbonus")
    page.wait_for_function(  # at once of all: whatever changes the chart's size has it drawn anew
        """() => { const chart = document.querySelector('[data-chart=accepted_per_round]');
          const bars = [...chart.querySelectorAll('.sp-bars-box rect')].map((bar) => bar.getBBox());
          const second = chart.querySelector('.sp-bars-box .sp-bar-bonus rect').getBBox();
          const x = chart.querySelector('.sp-bars-here').getBBox().x;
          return bars.every((box) => box.height > 0) && Math.abs(x - second.x - second.width / 2) < 1; }"""
    )
    known = page.locator("[data-chart=reliability]")
    names = known.locator(".sp-bars-box text").all_text_contents()
    assert [name for name in names if name in ("<20%", "<40%", "<60%", "<80%")] == ["<20%", "<40%", "<60%", "<80%"]
    emitted.locator("summary").click()
    expect(emitted.locator("td").first).to_be_visible()  # filled once it is open
    assert emitted.locator("td").all_inner_texts()[:3] == ["1", "2", "2"]


def test_every_word_that_leads_to_the_glossary_has_an_entry_there(page):
    mount_player(page, chain_trace())
    page.evaluate("p.goto(p.trace.steps.find((step) => step.kind === 'verified').index)")
    page.locator(".sp-details [data-term=acceptance]").click()
    expect(page.locator(".sp-entry-asked")).to_contain_text("The chance that a drafted token is accepted")
    page.keyboard.press("Escape")
    terms = page.evaluate(
        """(runs) => runs.flatMap((run) => {
          p.load(JSON.parse(run), {});
          return p.trace.steps.flatMap((step) => {
            p.goto(step.index);
            return [...document.querySelectorAll('[data-term]')].map((each) => each.dataset.term);
          });
        })""",
        [json.dumps(trace) for trace in (chain_trace(), tree_trace())],
    )
    entries = page.evaluate("[...document.querySelectorAll('[data-entry]')].map((each) => each.dataset.entry)")
    assert set(terms) <= set(entries) and len(set(terms)) > 12, set(terms)
    expect(page.locator(".sp-glossary")).to_be_hidden()
    page.keyboard.press("g")
    expect(page.locator(".sp-glossary")).to_be_visible()
    assert page.locator(".sp-entry-asked").count() == 0


def test_a_tap_on_a_token_brings_its_panel_into_sight_on_a_phone(open_page):
    page = open_page(width=390, height=844, has_touch=True, is_mobile=True)
    mount_player(page, tree_trace())
    page.evaluate("p.goto(6)")
    page.locator(".sp-nodes > .sp-node:not(.sp-trunk)").first.tap()
    expect(page.locator(".sp-side [data-view=token].sp-side-view")).to_be_in_viewport(ratio=0.9)
