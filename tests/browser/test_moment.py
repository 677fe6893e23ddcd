"""A link to a moment, and presenting: in a real browser, as both are of the page."""

import gzip
import json
import re

import pytest
from playwright.sync_api import expect

from playground.paths import ASSETS
from tests.browser.app_fixture import notice, of_player, wait_until
from tests.browser.holds import assert_one_sentence
from tests.browser.player_harness import load, mount_player, open_view, settle, state


def test_a_link_opens_on_its_moment_and_the_address_goes_on_from_there(visit_watch):
    page = visit_watch("#run=dsbd&step=30&panel=rule&hide=text")
    wait_until(page, "p.trace.run.method === 'dsbd' && p.state().step === 30 && !p.state().playing")
    expect(page.locator(".sp-side-view[data-view=rule]")).to_be_visible()
    expect(page.locator(".sp-text")).to_be_hidden()
    expect(page.get_by_label("Method", exact=True)).to_contain_text("DSBD")
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile(r"#run=dsbd&step=31&panel=rule&hide=text&made=[0-9a-f]{8}$"))
    page.evaluate("location.hash = 'run=gone&step=99999'")
    wait_until(page, "p.trace.run.method === 'speculative_sampling' && p.state().step === p.trace.steps.length - 1")
    expect(notice(page)).to_contain_text("no recorded run “gone” here; this run has no step 99999")
    assert_one_sentence(notice(page).inner_text())


def test_a_link_makes_its_run_again_and_says_where_the_tokens_differ(visit_watch):
    page = visit_watch("?method=spectr&tokens=6&seed=5#step=4&panel=mask&made=00000000")
    wait_until(page, "p.trace.finished && p.trace.run.seed === 5 && p.state().step === 4")
    assert of_player(page, "p.side.shown") == "mask"
    expect(page.locator("#run")).to_be_enabled()  # the server has said all of the run, its last word twice
    expect(notice(page)).to_contain_text("its run had other tokens")
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile(r"\?method=spectr&tokens=6&seed=5#step=5&panel=mask&made="))


def test_a_run_that_was_under_way_is_made_again_by_its_address(visit_watch):
    page = visit_watch("?method=spectr&tokens=6&seed=5#run=now")
    wait_until(page, "p.trace.finished && p.trace.run.seed === 5")
    assert of_player(page, "p.trace.run.method") == "spectr"


def test_an_embedded_stage_fits_the_frame_of_its_line(visit_watch):
    page = visit_watch("#run=rsd_s&view=stage")
    wait_until(page, "p.trace.run.method === 'rsd_s'")
    page.set_viewport_size({"width": 960, "height": 480})
    assert 'width="960" height="480"' in (ASSETS / "player" / "moment" / "link.js").read_text()
    wait_until(page, "Math.round(p.root.getBoundingClientRect().bottom) === 480")
    assert page.evaluate("document.documentElement.scrollHeight") == 480
    expect(page.locator(".sp-home")).to_be_in_viewport(ratio=1)


SMALLEST = """(() => {
  const walker = document.createTreeWalker(p.root, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    const of = walker.currentNode.parentElement;
    const box = of.getBoundingClientRect();
    if (!walker.currentNode.data.trim() || box.width < 3 || !of.checkVisibility({ visibilityProperty: true })) continue;
    const scale = of instanceof SVGElement ? of.getScreenCTM().a : of.currentCSSZoom;
    found.push([Math.round(10 * scale * parseFloat(getComputedStyle(of).fontSize)) / 10, of.textContent]);
  }
  return found.sort((one, other) => one[0] - other[0])[0];
})()"""


def recording():
    return json.loads(gzip.decompress((ASSETS / "traces" / "rsd_s.json.gz").read_bytes()))


@pytest.fixture
def presented(page):
    """A tree with a token kept and the mask beside it, presented by a browser that gives no whole screen."""
    page.set_viewport_size({"width": 1280, "height": 720})
    mount_player(page, recording())
    open_view(page, "mask")
    page.evaluate("p.goto(p.trace.rounds[1].firstStep); p.keep(p.trace.rounds[0].nodes[0]); p.root.focus()")
    page.evaluate("p.root.requestFullscreen = undefined")
    page.keyboard.press("f")
    settle(page)
    return page


def test_presenting_is_driven_by_clicker_keys_and_brings_back_what_was_there(presented):
    page, step = presented, state(presented)["step"]
    assert page.evaluate("Object.values(p.root.getBoundingClientRect().toJSON()).slice(0, 4)") == [0, 0, 1280, 720]
    assert page.evaluate("p.side.shown") == "rule"
    expect(page.locator(".sp-present-keys")).to_be_hidden()  # they are told for three seconds
    page.evaluate("p.keep(null)")
    for key, moved in {"PageDown": 1, "ArrowRight": 2, "PageUp": 1, "ArrowLeft": 0}.items():
        page.keyboard.press(key)
        assert state(page)["step"] == step + moved, key
    cover = page.locator(".sp-cover")
    for key in ("b", "."):
        page.keyboard.press(key)
        expect(cover).to_be_visible()
        page.keyboard.press("PageDown")
        expect(cover).to_be_hidden()
    page.keyboard.press("Space")
    assert state(page)["playing"]
    page.keyboard.press("Space")
    page.keyboard.press("Escape")
    assert page.evaluate("[p.side.shown, p.pinned === p.trace.rounds[0].nodes[0], p.tree.least]") == ["mask", True, 1]
    assert page.evaluate("document.activeElement === p.root && !p.root.classList.contains('sp-presenting')")
    assert state(page)["step"] >= step + 2, "one goes on from where one was led"


def test_presented_letters_are_large_and_the_light_is_on_what_is_judged(presented):
    page = presented
    for kind in ("drafted", "verified", "committed"):
        page.evaluate(
            "(kind) => p.goto(p.trace.steps.find((step) => step.kind === kind && step.round.number === 2).index)", kind
        )
        settle(page)
        size, text = page.evaluate(SMALLEST)
        assert size >= 24, (kind, size, text)
    page.evaluate("p.keep(null); p.goto(p.trace.steps.find((step) => step.kind === 'verified').index)")
    page.wait_for_function(
        """() => {
          const isLit = (node) => getComputedStyle(node.querySelector('.sp-piece')).opacity > 0.9;
          const lit = Array.from(document.querySelectorAll('.sp-nodes > .sp-node')).filter(isLit);
          return lit.length === 1 && Number(lit[0].dataset.key) === p.step.verdict.node.key;
        }"""
    )
    signs = "Array.from(document.querySelectorAll('.sp-colour-key li'), (item) => item.dataset.sign)"
    key = page.evaluate(signs)
    assert {"scored", "accepted", "rejected", "p", "q"} <= set(key)
    page.evaluate("p.presenting.toggle(); p.reset(); p.presenting.toggle()")  # A link presents before its run comes.
    load(page, recording())
    assert page.evaluate(signs) == key
