"""Parts of the first screen: share of the drawing, words, controls, letters and layout shift, by window.

`python -m tests.browser.first_screen [ADDRESS]` prints a row for each window; each costs one page load.
"""

import sys
from contextlib import nullcontext
from typing import Any

from playwright.sync_api import sync_playwright

from tests.browser.app_fixture import PLAYER, running_app, wait_for_player, wait_until
from tests.browser.conftest import ARGUMENTS, CHROMIUM, TIMEOUT_MS

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


def open_first_screen(page, address: str) -> None:
    """Open the page, whose script SHIFTS is, as a visitor does, and wait for the first test of a draft."""
    page.goto(address)
    wait_for_player(page)
    wait_until(page, "p.step.kind === 'verified' && (p.playhead.leave(), true)")
    page.evaluate(f"{PLAYER}.tree.motion.go(0)")


def measure(page) -> dict[str, Any]:
    """Numbers of the screen that is shown, and what moved most while it came."""
    return page.evaluate(MEASURE)


def main(address: str = "") -> None:
    """Print a row for each window."""
    app = nullcontext(address) if address else running_app()
    with app as where, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        for width, height in WINDOWS:
            page = chromium.new_page(viewport={"width": width, "height": height})
            page.set_default_timeout(TIMEOUT_MS)
            page.add_init_script(SHIFTS)
            open_first_screen(page, where)
            print(
                f"{width} x {height}: drawing {{share:.0%}}, {{words}} words, {{controls}} controls, letters "
                "{letters:.0f} px, layout shift {shift:.3f}".format(**measure(page))
            )
            page.close()
        chromium.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
