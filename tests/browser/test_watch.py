"""The Watch tab in a real browser: recorded runs, live runs, the keyboard, motion, size, and what it costs."""

import json

import pytest
from playwright.sync_api import expect

from playground.metrics.summary import summarise
from playground.trace import load
from playground.words import english
from tests.browser import app_fixture as reader
from tests.browser.app_fixture import FILES, ROOT


def test_a_recorded_run_can_be_chosen_and_takes_away_what_was_said_of_the_one_before(watch):
    _a_recorded_run_can_be_chosen(watch)
    reader.close_drawer(watch)
    _another_run_on_the_stage_takes_away_what_was_said_of_the_one_before(watch)


def _a_recorded_run_can_be_chosen(watch) -> None:
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


def _another_run_on_the_stage_takes_away_what_was_said_of_the_one_before(watch) -> None:
    """Handlers are tested for an explanation's words, and Compare shows one; here one is said to be shown."""
    reader.unfold(watch, "Why not faster?")
    reader.press(watch, "#why-ask")
    said = watch.locator("#why-notice")
    expect(said).to_contain_text(english()["explain_not_ours"])
    reader.close_drawer(watch)
    watch.evaluate("document.querySelector('.player-host').panel.page.explained = () => true")
    reader.choose(watch, "Method", "RSD-S")
    expect(said).to_contain_text(english()["explain_invitation"])


# notes the steps that the player goes to by itself: on a busy machine a run may be over before anyone looks
FOLLOWED = """(window.followed = [], p.playhead.moved = ((moved) => (step, ...how) => {
  if (p.playhead.following) followed.push(step);
  moved(step, ...how);
})(p.playhead.moved), 0)"""


def test_a_run_made_from_the_keyboard_is_followed_stepped_through_and_saved_with_the_totals_that_are_shown(watch):
    reader.write_prompt(watch, "The captain looked at the sea, and")
    reader.choose_tokens(watch, 24, Temperature=0.5)
    reader.type_number(watch, "Seed", 90128)
    reader.close_drawer(watch)
    reader.of_player(watch, FOLLOWED)
    watch.locator("#prompt textarea").focus()
    tab_to(watch, "#run")
    reader.remember_run(watch)
    watch.keyboard.press("Enter")
    finished = reader.wait_for_end(watch)
    assert max(watch.evaluate("followed")) >= 3
    expect(reader.notice(watch)).to_contain_text(f"{finished['num_tokens']} tokens in")
    _the_player_and_its_timeline_are_reached_by_tab(watch)
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


def _the_player_and_its_timeline_are_reached_by_tab(watch) -> None:
    """Tab to each and press one key there; what every key does is tested on the player alone."""
    tab_to(watch, ".spec-player")
    watch.keyboard.press("Home")
    assert reader.state(watch)["step"] == 0
    tab_to(watch, "#player input[type=range]")
    watch.keyboard.press("ArrowRight")
    assert reader.state(watch)["step"] == 1
