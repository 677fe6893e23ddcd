"""The Watch tab in a real browser: recorded runs, live runs, the keyboard, motion, size, and what it costs."""

import json

import pytest
from playwright.sync_api import expect

from playground.metrics.summary import summarise
from playground.trace import load
from playground.words import english
from tests.browser import app_fixture as reader
from tests.browser.app_fixture import FILES, OPTIONS, ROOT


def test_a_recorded_run_can_be_chosen(watch):
    """One in twelve, each put on the stage once: that all are there and are read is tested where the site is built."""
    reader.unfold(watch, FILES)
    reader.of_player(
        watch, "(window.loads = 0, p.load = ((load) => (...given) => (loads++, load(...given)))(p.load.bind(p)), 0)"
    )
    entries = json.loads((ROOT / "assets/traces/index.json").read_text())[3::12]
    for entry in entries:
        trace = load(ROOT / "assets/traces" / entry["file"])
        reader.choose(watch, "Recorded run", entry["title"])
        expect(reader.file_notice(watch)).to_contain_text(entry["title"])
        reader.wait_until(watch, f"p.trace.run.created === {json.dumps(trace.events[0].created)}")
        assert reader.of_player(watch, "p.trace.finished.text") == trace.events[-1].text
        assert reader.of_player(watch, "p.trace.run.method") == trace.events[0].method
        reader.stays(watch, watch.locator("#prompt textarea, #prompt input").first, trace.events[0].prompt)
    assert watch.evaluate("loads") == len(entries)


# notes the steps that the player goes to by itself: on a busy machine a run may be over before anyone looks
FOLLOWED = """(window.followed = [], p.playhead.moved = ((moved) => (step, ...how) => {
  if (p.playhead.following) followed.push(step);
  moved(step, ...how);
})(p.playhead.moved), 0)"""


def test_the_player_follows_a_run_and_its_totals_are_those_of_the_saved_trace(watch):
    reader.write_prompt(watch, "The captain looked at the sea, and")
    reader.choose_tokens(watch, 24, Temperature=0.5)
    reader.type_number(watch, "Seed", 90128)
    reader.of_player(watch, FOLLOWED)
    reader.press_run(watch)
    finished = reader.wait_for_end(watch)
    assert max(watch.evaluate("followed")) >= 3
    expect(reader.notice(watch)).to_contain_text(f"{finished['num_tokens']} tokens in")
    reader.of_player(watch, "p.goto(p.state().steps - 1)")
    totals = reader.state(watch)["totals"]
    trace = reader.saved_trace(watch)
    summary = summarise(trace)
    assert trace.events[0].prompt == "The captain looked at the sea, and"
    assert trace.events[0].max_new_tokens == 24
    assert trace.events[0].seed == 90128 and trace.events[0].sampling["temperature"] == 0.5
    counts = ("num_tokens", "rounds", "target_calls")
    assert [totals[name] for name in ("tokens", "rounds", "target_calls")] == [summary[name] for name in counts]
    totals["tokens_per_s"] = totals["tokens_per_second"]
    for name in ("acceptance_per_position", "draft_efficiency", "block_efficiency", "tokens_per_s"):
        assert totals[name] == pytest.approx(summary[name], rel=1e-3), name
    assert watch.locator(".sp-output").text_content().replace("⏎\n", "\n").startswith(summary["text"][:20])


def tab_to(page, selector: str, most: int = 40) -> None:
    for _ in range(most):
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{most} times Tab do not reach {selector}")


def test_everything_can_be_done_from_the_keyboard(watch):
    reader.choose_tokens(watch, 16)
    reader.close_drawer(watch)
    watch.locator("#prompt textarea").focus()
    tab_to(watch, "#run")
    reader.remember_run(watch)
    watch.keyboard.press("Enter")
    reader.wait_for_end(watch)
    tab_to(watch, ".spec-player")
    watch.keyboard.press("Space")
    if reader.state(watch)["playing"]:  # it had come to its end, and began again
        watch.keyboard.press("Space")
    assert not reader.state(watch)["playing"]
    watch.keyboard.press("Home")
    assert reader.state(watch)["step"] == 0
    watch.keyboard.press("ArrowRight")
    watch.keyboard.press("ArrowRight")
    assert reader.state(watch)["step"] == 2
    known = reader.state(watch)["totals"], watch.locator(".sp-caption").inner_text()
    watch.keyboard.press("End")
    assert reader.state(watch)["kind"] == "finished"
    watch.keyboard.press("ArrowLeft")
    assert reader.state(watch)["step"] == reader.state(watch)["steps"] - 2
    watch.keyboard.press("Home")
    tab_to(watch, "#player input[type=range]")
    watch.keyboard.press("ArrowRight")
    watch.keyboard.press("ArrowRight")
    assert (reader.state(watch)["totals"], watch.locator(".sp-caption").inner_text()) == known


def test_nothing_is_wider_than_the_page(visit_watch):
    """On a phone and on a desk, in the dark theme; the light one has the same widths."""
    page = visit_watch("?__theme=dark", width=390)
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        reader.of_player(page, "p.goto(12)")
        for view in ("token", "rule", "mask", "cache", "about", "rounds"):
            reader.open_view(page, view)
            reader.wait_for_frames(page)
            assert_not_wider(page, (width, view))
        expect(page.locator(".sp-bars-box svg").first).to_be_visible()
        reader.wait_until(page, "p.tree.motion.frame === null")
        assert_not_wider(page, width)
        for drawer in (OPTIONS, FILES):
            reader.unfold(page, drawer)
            assert_not_wider(page, (width, drawer))
            reader.close_drawer(page)


def assert_not_wider(page, where) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), where
    wide = page.evaluate(
        """[...document.querySelectorAll('#player .spec-player, #player .spec-player *, .drawer *')]
           .filter(e => !e.matches('svg *') && e.getClientRects().length)
           .filter(e => !e.matches('.sp-svg')) // moved as a whole behind the stage, which clips it
           .filter(e => !e.closest('.sp-visually-hidden, .sp-table-box, .sp-mask, .sp-sweep'))
           .filter(e => e.getBoundingClientRect().right > window.innerWidth + 1)
           .map(e => e.tagName + '.' + e.getAttribute('class'))"""
    )
    assert not wide, (where, wide)


def test_a_token_says_which_of_several_draft_models_drew_it(visit_watch):
    page = visit_watch("?method=specinfer&specinfer.draft_models=2&specinfer.first_draws=4&tokens=64")
    expect(reader.notice(page)).to_contain_text("Filled in from the link")
    reader.run_to_end(page)
    step = (
        "p.trace.steps.find((s) => s.kind === 'verified' && s.verdict.draw && s.verdict.draw.writer === {} && s.index)"
    )
    for writer in (0, 1):
        reader.of_player(page, f"p.playhead.leave(), p.goto({step.format(writer)}.index)")
        expect(page.locator(".sp-details")).to_contain_text(f"Drawn from draft model {writer + 1}.")


def test_another_run_on_the_stage_takes_away_what_was_said_of_the_one_before(watch):
    """Handlers are tested for an explanation's words, and Compare shows one; here one is said to be shown."""
    reader.unfold(watch, "Why not faster?")
    reader.press(watch, "#why-ask")
    said = watch.locator("#why-notice")
    expect(said).to_contain_text(english()["explain_not_ours"])
    reader.close_drawer(watch)
    watch.evaluate("document.querySelector('.player-host').panel.page.explained = () => true")
    reader.choose(watch, "Method", "RSD-S")
    expect(said).to_contain_text(english()["explain_invitation"])
