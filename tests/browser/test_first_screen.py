"""The first screen belongs to the drawing, at a projector, a small one and a phone."""

from tests.browser.first_screen import SHIFTS, WINDOWS, measure, open_first_screen

STYLES = """(selector) => [...document.querySelectorAll(selector)].map((each) => {
  const { borderBottomWidth, borderBottomColor, backgroundColor } = getComputedStyle(each);
  return [borderBottomWidth, borderBottomColor, backgroundColor].join();
})"""

# The draft is at work from this moment on, whatever the player that goes on shows next.
LIGHT = """() => {
  document.querySelector(".sp-sign-draft").parentElement.dataset.lit = "draft";
  for (const each of document.getAnimations()) if (each instanceof CSSTransition) each.finish();
}"""


def test_the_drawing_has_the_window_words_and_controls_are_few_and_a_contrast_theme_leaves_what_matters(
    open_page, address
):
    """Opened in each window."""
    page = open_page(locale="en")  # a context of its own, as it watches for shifts
    page.add_init_script(SHIFTS)
    for width, height in WINDOWS:
        page.set_viewport_size({"width": width, "height": height})
        open_first_screen(page, address)
        seen = measure(page)
        assert seen["share"] >= 0.55 and not seen["scrolls"], (width, seen)
        assert seen["words"] <= 120 and seen["controls"] <= 22, (width, seen)
        assert seen["letters"] >= 14, (width, seen)
        assert seen["shift"] < 0.1, (width, seen["shift"], *seen["moved"])
    page.set_viewport_size({"width": 1280, "height": 720})
    page.emulate_media(forced_colors="active")
    _the_open_tab_the_model_at_work_and_p_and_q_are_told_apart(page)


def _the_open_tab_the_model_at_work_and_p_and_q_are_told_apart(page) -> None:
    """A contrast theme takes away every background that is not said to matter."""
    tabs = [f'[role="tab"][aria-selected="{is_open}"]' for is_open in ("true", "false")]
    opened, others = (page.evaluate(STYLES, each) for each in tabs)
    assert opened and others and set(opened).isdisjoint(others)
    signs, lamps = page.evaluate(f"() => {{ ({LIGHT})(); return ['.sp-sign', '.sp-sign-lamp'].map({STYLES}); }}")
    assert len(signs) == len(set(signs)) == 2 and len(lamps) == len(set(lamps)) == 2
