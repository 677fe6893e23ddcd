"""The first screen belongs to the drawing, at a projector, a small one and a phone."""

import pytest

from tests.browser.first_screen import WINDOWS, measure, open_first_screen


@pytest.mark.parametrize("window", WINDOWS, ids=lambda window: str(window[0]))
def test_the_drawing_has_the_window_and_words_and_controls_are_few(open_page, address, window):
    width, height = window
    page = open_page(width=width, height=height, locale="en")  # a context of its own, as it watches for shifts
    open_first_screen(page, address)
    seen = measure(page)
    assert seen["share"] >= 0.55 and not seen["scrolls"], seen
    assert seen["words"] <= 120 and seen["controls"] <= 22, seen
    assert seen["letters"] >= 14, seen
    assert seen["shift"] < 0.1, (seen["shift"], *seen["moved"])


STYLES = """(selector) => [...document.querySelectorAll(selector)].map((each) => {
  const { borderBottomWidth, borderBottomColor, backgroundColor } = getComputedStyle(each);
  return [borderBottomWidth, borderBottomColor, backgroundColor].join();
})"""


def test_a_contrast_theme_leaves_the_open_tab_the_model_at_work_and_p_and_q(open_page, address):
    """Such a theme takes away every background that is not said to matter."""
    page = open_page(width=1280, height=720, locale="en", forced_colors="active")
    open_first_screen(page, address)
    tabs = [f'[role="tab"][aria-selected="{is_open}"]' for is_open in ("true", "false")]
    opened, others = (page.evaluate(STYLES, each) for each in tabs)
    assert opened and others and set(opened).isdisjoint(others)
    page.locator(".sp-sign-draft").evaluate("(sign) => { sign.parentElement.dataset.lit = 'draft'; }")
    for parts in (".sp-sign-draft, .sp-sign-target", ".sp-sign-draft .sp-sign-lamp, .sp-sign-target .sp-sign-lamp"):
        draft, target = page.evaluate(STYLES, parts)
        assert draft != target, parts
