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
