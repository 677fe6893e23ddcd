"""A link to a moment, and presenting: in a real browser, as both are of the page."""

import gzip
import json
import re

import pytest
from playwright.sync_api import expect

from playground.paths import ASSETS
from playground.ui.page.links import MOMENT
from tests.browser.app_fixture import notice, of_player, wait_until
from tests.browser.empty_page import empty_page
from tests.browser.holds import assert_one_sentence
from tests.browser.player_harness import load, mount_player, open_view, settle, state

# -- the words of a link -----------------------------------------------------------------------------------------------

UNCHANGED = [
    "", "#run=rsd_s", "#run=rsd_s&step=0", "#run=rsd_s&step=37", "#run=rsd_s&step=37&kept=112", "#step=3",
    *(f"#run=dsbd&step=4&panel={panel}" for panel in ("rule", "mask", "cache", "rounds", "about")),
    *(f"#run=dsbd&view={view}" for view in ("wide", "stage", "present")),
    *(f"#run=dsbd&theme={theme}" for theme in ("light", "dark")),
    *(f"#run=dsbd&hide={hide}" for hide in ("text", "panel", "controls", "text,panel", "text,panel,controls")),
    "#run=dsbd&step=4&made=1c9d03aa",
    "#run=rsd_s&step=37&kept=112&panel=rule&view=wide&theme=dark&hide=text,controls&made=1c9d03aa",
    "#run=rsd_s&if=2.30.rejected&step=20", "#run=rsd_s&if=2.30.305", "?method=rsd_s&seed=7#if=3.width.2&step=9",
    "?method=rsd_s&seed=7", "?method=rsd_s&seed=7&rsd_s.width=2#step=5&made=1c9d03aa",
    "?prompt=a+%26+b%3D%23+%E6%9C%A8#step=1", "?tokens=5#view=stage",
]  # fmt: skip
SIMPLER = {  # what the words of an address come to
    "?run=rsd_s&step=3&panel=rule": "#run=rsd_s&step=3&panel=rule",
    "?method=dsbd#run=rsd_s&step=1": "#run=rsd_s&step=1",
    "?tab=watch&method=dsbd#step=2": "?method=dsbd#step=2",
    "?tab=compare&methods=rsd_s,dsbd": "",
    "?tab=lab&section=speed": "",
    "?__theme=dark#theme=light": "",
    "?view=settings": "",
    "#run=rsd_s&panel=token": "#run=rsd_s&panel=token",
    "#run=rsd_s&step=4&panel=time": "#run=rsd_s&step=4&panel=about",
    "#hide=panel,text,panel": "#hide=text,panel",
    "#step=5&step=6": "#step=5",
}
WRONG = {  # what is left of a link, and what is said of the rest
    "#run=rsd_s&step=NaN": ("#run=rsd_s&step=0", "“NaN” is not a step"),
    "#step=-3": ("#step=0", "“-3” is not a step"),
    "#step=1e3&panel=rule": ("#step=0&panel=rule", "“1e3” is not a step"),
    "#step=99999999999999999999": ("#step=0", "is not a step"),
    "#kept=<script>alert(1)</script>": ("", "“<script>alert(1)</script>” is not a token"),
    "#panel=constructor": ("", "no panel “constructor”"),
    "#view=__proto__": ("", "no view"),
    "#theme=url(//x)": ("", "no theme"),
    "#hide=everything,text": ("#hide=text", "no part “everything”"),
    "#hide=": ("", "names nothing to hide"),
    "#made=nothing": ("", "is not a digest"),
    "#if=2.30.maybe&step=4": ("#step=4", "“2.30.maybe” is not a change of a run"),
    "#if=0.30.rejected": ("", "is not a change of a run"),
    "#version=2&step=4": ("#step=4", "newer version"),
    "#version=none": ("", "is not a version"),
    "#colour=red": ("", "“colour” means nothing here"),
    "#run=": ("", "no recorded run"),
    "#%E0%A4%A=1&step=2": ("#step=2", "means nothing here"),
    "#a=1&b=2&c=3&d=4&e=5&f=6": ("", "and 2 more"),
    "#panel=" + 5000 * "x": ("", "xxx…"),
}


def test_links_say_what_was_meant_and_what_was_not_is_said_in_one_sentence(page):
    empty_page(page, "player/moment/link.js", "link", [], dark=False)
    page.wait_for_function("window.link")
    links = [*UNCHANGED, *SIMPLER, *WRONG]
    assert len(links) >= 40
    found, names = page.evaluate(
        """(links) => [links.map((text) => {
          const read = (text) => link.read(new URL(text, 'http://here/'));
          const written = (moment) => Object.values(link.write(moment)).join('');
          const { moment, wrong } = read(text);
          const once = written(moment);
          return [once, written(read(once).moment), link.sentence(wrong), read(once).wrong.length];
        }), link.NAMES]""",
        links,
    )
    assert set(names) == MOMENT, "the server leaves to the browser what is the browser's"
    expected = {each: (each, "") for each in UNCHANGED} | {each: (to, "") for each, to in SIMPLER.items()} | WRONG
    for text, (once, twice, said, still_wrong) in zip(links, found, strict=True):
        left, part = expected[text]
        assert once == left and twice == once and not still_wrong, text
        assert bool(said) == bool(part) and part in said, (text, said)
        if said:
            assert_one_sentence(said)


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
    expect(notice(page)).to_contain_text("the tokens differ from those that it was made with")
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile(r"\?method=spectr&tokens=6&seed=5#step=5&panel=mask&made="))


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
    page.evaluate("p.presenting.toggle(); p.reset(); p.presenting.toggle()")  # as a link presents: before its run comes
    load(page, recording())
    assert page.evaluate(signs) == key
