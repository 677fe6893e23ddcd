"""The static twin in a browser, from a plain file server and below a path of its own; its lessons, and a saved page."""

import functools
import http.server
import re
import threading
from pathlib import Path

import pytest
from playwright.sync_api import expect

from playground.trace import load
from playground.ui.runs.race.recorded import recorded_races
from playground.views.site import build_site
from playground.views.standalone import standalone_html
from tests.browser.app_fixture import wait_for_frames
from tests.browser.conftest import TIMEOUT_MS
from tests.browser.holds import assert_one_sentence

TRACES = Path(__file__).parents[2] / "assets" / "traces"
# Its policy forbids code in texts, and so `wait_for_function`; a promise that is evaluated from outside may look.
LOOK = """() => new Promise((found, lost) => {
  const until = performance.now() + %d;
  const look = () => {
    const p = document.querySelector('#player').specPlayer, s = p?.state();
    if (s && (%s)) found(s.step);
    else if (performance.now() > until) lost(new Error(JSON.stringify(s)));
    else requestAnimationFrame(look);
  };
  look();
})"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def twin(tmp_path_factory):
    """Its address."""
    root = tmp_path_factory.mktemp("server")
    build_site(root / "a" / "twin", races=recorded_races())
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=root))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/a/twin/"
    server.shutdown()


def wait_until(page, condition):
    """Until this is so of the player `p` and its state `s`; gives its step."""
    return page.evaluate(LOOK % (TIMEOUT_MS, condition))


def test_it_opens_on_a_run_that_plays_and_the_address_tells_the_moment(twin, open_page):
    page = open_page(width=1280, height=720)
    page.goto(twin)
    wait_until(page, "s.playing && s.step >= 2")
    page.locator("#runs").select_option("sequoia")
    wait_until(page, "location.hash.startsWith('#run=sequoia')")
    expect(page.locator("#notice")).to_contain_text("Recorded on")
    page.keyboard.press("End")
    last = wait_until(page, "s.kind === 'finished'")
    wait_until(page, f"location.hash.startsWith('#run=sequoia&step={last}&made=')")
    end = page.locator(".sp-end-text")
    assert end.evaluate("(text) => text.scrollHeight <= text.clientHeight + 1 && text.scrollWidth <= text.clientWidth")
    expect(page.locator(".sp-text")).to_be_hidden()  # the text stands once
    end.locator(".sp-end-word").last.focus()
    page.keyboard.press("Home")
    page.keyboard.press("Enter")  # the first word, to the step at which it was decided
    wait_until(page, "s.round === 1 && s.kind !== 'finished'")


def test_a_link_opens_at_its_step_and_a_wrong_one_at_the_nearest(twin, open_page):
    page = open_page()
    page.goto(f"{twin}#run=rsd_s&step=7")
    wait_until(page, "s.step === 7 && !s.playing")
    node = load(TRACES / "rsd_s.json.gz").rounds[1].verified.nodes[0]
    change = f"p.trace.steps.find((each) => each.verdict?.node.id === {node}).index"
    for words, step, said in (
        ("run=rsd_s&step=99999", "s.steps - 1", "no step"),
        ("run=rsd_s&step=-3", "0", "means nothing here"),
        ("step=0&panel=rule&view=stage&made=00000000", "0", "its run had other tokens"),
        (f"run=rsd_s&if=2.{node}.rejected&step=99", change, "this page makes no runs"),
        ("run=%3Cimg%20onerror%3Dalert(1)%3E&step=2", "2", "no recorded run"),
    ):
        page.evaluate("(words) => { location.hash = words; }", words)
        expect(page.locator("#notice")).to_have_attribute("data-kind", "error")
        expect(page.locator("#notice")).to_contain_text(said)
        wait_until(page, f"s.step === {step}")
    page.route("**/traces/spectr.json", lambda route: route.fulfill(status=404))
    page.evaluate("() => { location.hash = 'run=spectr'; }")
    expect(page.locator("#notice")).to_contain_text("spectr")
    expect(page.locator("#notice")).to_have_attribute("data-kind", "error")
    assert_one_sentence(page.locator("#notice").inner_text().partition(". ")[0] + ".")
    page.unroute("**/traces/spectr.json")
    page.goto(f"{twin}?method=dsbd&seed=7#step=9&panel=rule&theme=dark")  # It is a link of the page that makes runs.
    wait_until(page, "s.step === 9 && document.querySelector('#runs').value === 'dsbd'")
    expect(page.locator("#notice")).to_contain_text("this page makes no runs")
    expect(page.locator(".sp-side-view[data-view=rule]")).to_be_visible()
    assert page.evaluate("getComputedStyle(document.body).colorScheme") == "dark"


def test_recorded_races_are_replayed_one_by_one_on_any_prompt_and_offer_nothing_that_measures(twin, open_page):
    page = open_page(width=390, height=844)
    page.goto(f"{twin}?tab=compare")
    page.wait_for_url(f"{twin}races.html?language=en")
    names = list(recorded_races())
    expect(page.locator("#races option")).to_have_text([re.compile(re.escape(each)) for each in names])
    expect(page.locator(".sr-recorded")).to_contain_text("Recorded on")
    expect(page.get_by_role("button", name="Watch")).to_have_count(0)
    expect(page.get_by_text("Why not faster?")).to_have_count(0)
    page.locator("#races").select_option(index=1)
    expect(page.locator(".sr-recorded")).to_contain_text("bundled pair")
    prompts = page.locator(".sr-prompts")
    prompts.select_option(index=2)
    expect(prompts).to_have_js_property("selectedIndex", 2)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_a_stage_alone_is_stepped_and_followed_home(twin, open_page):
    page = open_page()
    page.goto(f"{twin}#run=rsd_s&step=7&view=stage")
    wait_until(page, "s.step === 7")
    page.locator("[data-action=step_forward]").click()
    wait_until(page, "s.step === 8")
    home = page.locator(".sp-home")
    home.focus()
    expect(home).to_have_attribute("href", re.compile(r"#run=rsd_s&step=8(?!.*view=)"))


def test_every_language_fits_a_phone_and_is_kept_from_page_to_page(twin, open_page):
    page = open_page(width=390, height=844)
    told = set()
    for code in ("en", "de", "es", "fr", "ja", "zh"):
        page.goto(f"{twin}?language={code}#run=rsd_s&step=20&panel=rule")
        wait_until(page, "s.step === 20")
        told.add(page.locator(".sp-lens h3, .sp-lens .sp-panel-title").first.text_content())
        page.keyboard.press("t")
        expect(page.locator("#notice")).to_have_attribute("data-kind", "quiet")
        assert page.evaluate("[document.documentElement.scrollWidth, document.documentElement.lang]") == [390, code]
        if code in ("de", "fr", "zh"):  # the longest words, the longest sentences, and another script
            page.goto(f"{twin}learn.html?language={code}#lesson=coin&place=2")
            expect(page.locator(".learn-page-title")).to_be_visible()
            assert page.evaluate("document.documentElement.scrollWidth") == 390, code
    assert len(told) == 6
    page.get_by_label("语言").select_option("fr")
    expect(page.locator(".site-head a")).to_have_text("Exécutions enregistrées")
    page.locator(".site-head a").click()
    expect(page.locator("[data-action=tour]")).to_have_text("Visite de cette exécution (T)")


def test_a_lesson_moves_the_stage_and_shows_the_answer_once_it_was_predicted(twin, open_page):
    page = open_page()
    page.goto(f"{twin}learn.html")
    page.locator(".learn-card").nth(2).click()
    expect(page.locator(".learn-page-title")).to_have_text("Two opinions on one token")
    expect(page.locator(".learn-page-title")).to_be_focused()
    page.locator(".learn-next").click()
    expect(page.locator(".learn-page-title")).to_have_text("Is it accepted?")
    step = "document.querySelector('.learn-stage').specPlayer.state().step"
    before = page.evaluate(step)
    expect(page.locator(".learn-told")).to_be_empty()
    page.locator(".learn-choice").first.click()
    expect(page.locator(".learn-told")).not_to_be_empty()
    assert page.evaluate(step) == before + 1
    expect(page).to_have_url(re.compile("lesson=coin&place=2"))
    page.keyboard.press("f")  # presenting, the page's text and its question come along
    expect(page.locator(".sp-presenting > .learn-text .learn-choice").first).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".learn-reader > .learn-text:first-child")).to_be_visible()
    page.locator(".learn-all").click()
    expect(page.locator(".learn-card").nth(2)).to_contain_text("Go on")
    expect(page.locator(".learn-title")).to_be_focused()  # The pressed button is gone.
    page.evaluate("() => { location.hash = 'lesson=trees&place=99'; }")  # leads to the nearest
    expect(page.locator(".learn-page-title")).to_have_text("Now try it")


def test_a_lesson_left_before_its_run_came_stays_left(twin, open_page):
    page, held = open_page(), []
    page.goto(f"{twin}learn.html")
    page.route("**/traces/*.json", lambda route: held.append(route))
    page.locator(".learn-card").nth(2).click()
    expect(page.locator(".learn-body")).to_contain_text("Reading")
    expect(page.locator(".learn-next")).to_be_hidden()
    page.locator(".learn-all").click()
    while not held:
        page.wait_for_timeout(20)  # until the request is handed over
    with page.expect_response("**/traces/*.json"):
        held[0].continue_()
    wait_for_frames(page)
    expect(page.locator(".learn-card").nth(2)).to_be_visible()
    assert "lesson=" not in page.url
    page.unroute_all()


@pytest.mark.parametrize(("saved_in", "button"), [("en", "Take away"), ("ja", "持ち帰る"), ("tlh", "Take away")])
def test_a_page_in_one_file_speaks_to_every_browser_as_it_was_saved(browser, tmp_path, saved_in, button):
    trace = load(TRACES / "greedy.json.gz")
    (tmp_path / "run.html").write_text(standalone_html(trace, 3, saved_in), encoding="utf-8")
    context = browser.new_context(locale="de-DE")
    page = context.new_page()
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto((tmp_path / "run.html").as_uri())
    expect(page.locator(".sp-node").first).to_be_visible()
    page.locator(".sp-more").click()
    expect(page.get_by_role("button", name=button)).to_be_visible()
    assert problems == []
    context.close()
