"""The Watch tab in a real browser: recorded runs, live runs, the keyboard, motion, size, and what it costs."""

import json

import pytest
from playwright.sync_api import expect

from playground.metrics.summary import summarise
from playground.trace import load
from playground.words import english
from tests.browser.app_fixture import (
    FILES,
    OPTIONS,
    ROOT,
    choose,
    choose_tokens,
    close_drawer,
    file_notice,
    notice,
    of_player,
    open_view,
    press,
    press_run,
    remember_run,
    run_to_end,
    saved_trace,
    state,
    stays,
    type_number,
    unfold,
    wait_for_end,
    wait_for_frames,
    wait_until,
    write_prompt,
)


def test_a_recorded_run_can_be_chosen(watch):
    """One in twelve, each put on the stage once: that all are there and are read is tested where the site is built."""
    unfold(watch, FILES)
    of_player(
        watch, "(window.loads = 0, p.load = ((load) => (...given) => (loads++, load(...given)))(p.load.bind(p)), 0)"
    )
    entries = json.loads((ROOT / "assets/traces/index.json").read_text())[3::12]
    for entry in entries:
        trace = load(ROOT / "assets/traces" / entry["file"])
        choose(watch, "Recorded run", entry["title"])
        expect(file_notice(watch)).to_contain_text(entry["title"])
        wait_until(watch, f"p.trace.run.created === {json.dumps(trace.events[0].created)}")
        assert of_player(watch, "p.trace.finished.text") == trace.events[-1].text
        assert of_player(watch, "p.trace.run.method") == trace.events[0].method
        stays(watch, watch.locator("#prompt textarea, #prompt input").first, trace.events[0].prompt)
    assert watch.evaluate("loads") == len(entries)


# notes the steps that the player goes to by itself: on a busy machine a run may be over before anyone looks
FOLLOWED = """(window.followed = [], p.playhead.moved = ((moved) => (step, ...how) => {
  if (p.playhead.following) followed.push(step);
  moved(step, ...how);
})(p.playhead.moved), 0)"""


def test_the_player_follows_a_run_and_its_totals_are_those_of_the_saved_trace(watch):
    write_prompt(watch, "The captain looked at the sea, and")
    choose_tokens(watch, 24, Temperature=0.5)
    type_number(watch, "Seed", 90128)
    of_player(watch, FOLLOWED)
    press_run(watch)
    finished = wait_for_end(watch)
    assert max(watch.evaluate("followed")) >= 3
    expect(notice(watch)).to_contain_text(f"{finished['num_tokens']} tokens in")
    of_player(watch, "p.goto(p.state().steps - 1)")
    totals = state(watch)["totals"]
    trace = saved_trace(watch)
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
    choose_tokens(watch, 16)
    close_drawer(watch)
    watch.locator("#prompt textarea").focus()
    tab_to(watch, "#run")
    remember_run(watch)
    watch.keyboard.press("Enter")
    wait_for_end(watch)
    tab_to(watch, ".spec-player")
    watch.keyboard.press("Space")
    if state(watch)["playing"]:  # it had come to its end, and began again
        watch.keyboard.press("Space")
    assert not state(watch)["playing"]
    watch.keyboard.press("Home")
    assert state(watch)["step"] == 0
    watch.keyboard.press("ArrowRight")
    watch.keyboard.press("ArrowRight")
    assert state(watch)["step"] == 2
    known = state(watch)["totals"], watch.locator(".sp-caption").inner_text()
    watch.keyboard.press("End")
    assert state(watch)["kind"] == "finished"
    watch.keyboard.press("ArrowLeft")
    assert state(watch)["step"] == state(watch)["steps"] - 2
    watch.keyboard.press("Home")
    tab_to(watch, "#player input[type=range]")
    watch.keyboard.press("ArrowRight")
    watch.keyboard.press("ArrowRight")
    assert (state(watch)["totals"], watch.locator(".sp-caption").inner_text()) == known


def test_nothing_is_wider_than_the_page(visit_watch):
    """On a phone and on a desk, in the dark theme; the light one has the same widths."""
    page = visit_watch("?__theme=dark", width=390)
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        of_player(page, "p.goto(12)")
        for view in ("token", "rule", "mask", "cache", "about", "rounds"):
            open_view(page, view)
            wait_for_frames(page)
            assert_not_wider(page, (width, view))
        expect(page.locator(".sp-bars-box svg").first).to_be_visible()
        wait_until(page, "p.tree.motion.frame === null")
        assert_not_wider(page, width)
        for drawer in (OPTIONS, FILES):
            unfold(page, drawer)
            assert_not_wider(page, (width, drawer))
            close_drawer(page)


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
    expect(notice(page)).to_contain_text("Filled in from the link")
    run_to_end(page)
    step = (
        "p.trace.steps.find((s) => s.kind === 'verified' && s.verdict.draw && s.verdict.draw.writer === {} && s.index)"
    )
    for writer in (0, 1):
        of_player(page, f"p.playhead.leave(), p.goto({step.format(writer)}.index)")
        expect(page.locator(".sp-details")).to_contain_text(f"Drawn from draft model {writer + 1}.")


def test_another_run_on_the_stage_takes_away_what_was_said_of_the_one_before(watch):
    """What an explanation says is tested by its handlers, and seen in Compare; here one is said to be shown."""
    unfold(watch, "Why not faster?")
    press(watch, "#why-ask")
    said = watch.locator("#why-notice")
    expect(said).to_contain_text(english()["explain_not_ours"])
    close_drawer(watch)
    watch.evaluate("document.querySelector('.player-host').panel.page.explained = () => true")
    choose(watch, "Method", "RSD-S")
    expect(said).to_contain_text(english()["explain_invitation"])
