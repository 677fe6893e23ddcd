"""The first screen belongs to the drawing, at a projector, a small one and a phone."""

import re

from tests.browser.app_fixture import PLAYER, wait_for_player, wait_until
from tests.browser.ink import ink

WINDOWS = ((1280, 720), (1024, 768), (390, 844))
SHIFTS = """
  window.shifts = [];
  const name = ({ node, previousRect, currentRect }) => {
    const part = node?.nodeType === Node.ELEMENT_NODE ? node : node?.parentElement;
    const [before, after] = [previousRect, currentRect].map(({ x, y, width, height }) => [x, y, width, height].join());
    return `${part?.id || part?.className?.baseVal || part?.className || part?.tagName}: ${before} -> ${after}`;
  };
  new PerformanceObserver((list) => shifts.push(
    ...list.getEntries().map(({ value, sources }) => ({ value, moved: sources.map(name) }))))
    .observe({ type: 'layout-shift', buffered: true });
"""
MEASURE = """() => {
  const [wide, tall] = [innerWidth, innerHeight];
  const within = ({ left, top, right, bottom }) =>
    Math.max(0, Math.min(right, wide) - Math.max(left, 0)) * Math.max(0, Math.min(bottom, tall) - Math.max(top, 0));
  const seen = (part) => part.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
    within(part.getBoundingClientRect()) > 4;
  const scene = document.querySelector('.sp-scene');
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let words = 0;
  while (texts.nextNode()) {
    const parent = texts.currentNode.parentElement;
    if (!parent || parent.closest('.sp-svg, script, style, option') || !seen(parent)) continue;
    const range = document.createRange();
    range.selectNodeContents(texts.currentNode);
    if (within(range.getBoundingClientRect()) > 4)
      words += (texts.currentNode.textContent.match(/[\\p{L}\\p{N}][\\p{L}\\p{N}.,'’-]*/gu) ?? []).length;
  }
  for (const field of document.querySelectorAll('textarea, select'))
    if (seen(field)) words += (field.selectedOptions?.[0]?.text ?? field.value).split(/\\s+/).filter(Boolean).length;
  const CONTROLS = 'button, input, select, textarea, summary, a[href], [role=slider], [role=tab]';
  const controls = [...document.querySelectorAll(CONTROLS)].filter(seen);
  const pieces = [...document.querySelectorAll('.sp-nodes > .sp-node:not(.sp-trunk) .sp-piece')];
  const size = (text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a;
  return {
    share: within(scene.getBoundingClientRect()) / (wide * tall),
    words,
    controls: controls.length,
    letters: Math.min(...pieces.map(size)),
    shift: shifts.reduce((sum, each) => sum + each.value, 0),
    moved: shifts.filter((each) => each.value >= 0.02).flatMap((each) => each.moved),
    scrolls: document.documentElement.scrollWidth > wide,
  };
}"""

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
    """The page is measured in each window at the first test of a draft."""
    page = open_page(locale="en")  # a context of its own, as it watches for shifts
    page.add_init_script(SHIFTS)
    for width, height in WINDOWS:
        page.set_viewport_size({"width": width, "height": height})
        page.goto(address)
        wait_for_player(page)
        wait_until(page, "p.step.kind === 'verified' && (p.playhead.leave(), true)")
        page.evaluate(f"{PLAYER}.tree.motion.go(0)")
        seen = page.evaluate(MEASURE)
        assert seen["share"] >= 0.55 and not seen["scrolls"], (width, seen)
        assert seen["words"] <= 120 and seen["controls"] <= 22, (width, seen)
        assert seen["letters"] >= 14, (width, seen)
        assert seen["shift"] < 0.1, (width, seen["shift"], *seen["moved"])
        assert page.locator(".sp-prompt").is_visible() and page.locator(".sp-depth").first.is_visible()
        page.evaluate(f"(() => {{ const p = {PLAYER}; p.goto(p.trace.rounds[2].lastStep); p.tree.motion.go(0); }})()")
        assert (drawn := ink(page, ".sp-scene")) >= 0.35, (width, drawn, "most of the stage is blank")
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


def test_a_key_that_is_pressed_before_any_script_of_gradio_is_there_is_answered_once_the_stage_stands(
    open_page, address
):
    page = open_page(reduced_motion="reduce")
    held = []
    page.route(re.compile(r"/assets/.*\.js"), lambda route: route.continue_() if held is None else held.append(route))
    page.goto(address, wait_until="commit")
    page.wait_for_function("document.body && !document.querySelector('.spec-player')")
    page.keyboard.press("f")
    routes, held = held, None
    for route in routes:
        route.continue_()
    wait_for_player(page)
    wait_until(page, "p.presenting.on")
