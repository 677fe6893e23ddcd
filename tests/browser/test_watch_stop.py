"""Stopping a run, leaving the page, and sharing the device with another reader."""

import pytest
from playwright.sync_api import expect

from playground.metrics.summary import summarise
from tests.browser import app_fixture as reader
from tests.browser.app_fixture import FILES

pytestmark = pytest.mark.usefixtures("undisturbed")

LONG_RUN = 900  # tokens: with a prompt still within what the bundled pair reads
# two minutes of decoding on two idle cores: long drafts at nearly the target's cost, of which a token is kept where two
# draws happen to be the same, at a temperature at which they seldom are and no story comes to its end
SLOW_RUN = f"method=sample_and_match&tokens={LONG_RUN}&temperature=2&drafter=exit11&sample_and_match.draft_length=16"


def set_up(visit_watch, query: str):
    """A page whose controls a link has set."""
    page = visit_watch(f"?{query}")
    expect(reader.notice(page)).to_contain_text("Filled in from the link")
    return page


def test_stop_ends_a_run_at_once_and_one_that_waits_and_a_closed_tab_lets_the_next_begin(visit_watch):
    watch = set_up(visit_watch, SLOW_RUN)
    _a_page_has_one_run_that_stop_ends_at_once_with_what_was_done(watch)
    reader.close_drawer(watch)
    _a_run_that_waits_can_be_stopped_and_a_closed_tab_lets_the_next_begin(watch, visit_watch)


def _a_page_has_one_run_that_stop_ends_at_once_with_what_was_done(watch) -> None:
    """At once is long before its end; in seconds it depends on the machine.

    In mid-run neither Enter in the prompt, which runs, too, nor a recording takes the stage.
    """
    assert reader.of_player(watch, "p.figures.none.hidden"), "the recording has charts"
    reader.press_run(watch)
    reader.wait_for_rounds(watch, 3)
    assert not reader.of_player(watch, "p.figures.none.hidden"), "those of this run come with its end"
    watch.locator("#prompt textarea").press("Enter")
    expect(reader.toast(watch)).to_contain_text("Another request of this page is going on. Press Stop.")
    reader.unfold(watch, FILES)
    reader.choose(watch, "Recorded run", "Autoregressive: one call per token")
    expect(reader.file_notice(watch)).to_contain_text("A run is going on in Watch.")
    reader.press(watch, "#stop")
    expect(reader.notice(watch)).to_contain_text("Stopped:")
    finished = reader.wait_for_end(watch)
    assert finished["finish_reason"] == "stopped" and 3 <= finished["num_tokens"] < LONG_RUN
    saved = reader.saved_trace(watch)
    assert summarise(saved)["num_tokens"] == finished["num_tokens"]
    assert saved.events[0].created == reader.of_player(watch, "p.trace.run.created")
    expect(watch.locator("#stop")).to_be_disabled()


def _a_run_that_waits_can_be_stopped_and_a_closed_tab_lets_the_next_begin(leaving, visit_watch) -> None:
    """The next reader's first round comes within the patience of these tests, the end of the other run would not."""
    waiting = set_up(visit_watch, "tokens=8&seed=90125")  # a seed of nobody's
    reader.of_player(waiting, "(window.begun = 0, p.begin = ((begin) => () => (begun++, begin()))(p.begin.bind(p)), 0)")
    reader.press_run(leaving)
    reader.wait_for_rounds(leaving, 2)
    reader.press_run(waiting)
    expect(reader.notice(waiting)).to_contain_text("Waiting")
    expect(waiting.locator(".sp-waiting")).to_contain_text("first.")  # on a phone the line is out of sight
    reader.press(waiting, "#stop")
    expect(reader.run_button(waiting)).to_be_enabled()
    reader.wait_until(waiting, "!p.waiting.expected")  # the stage shows again what it showed before
    expect(reader.notice(waiting)).to_contain_text("Stopped before it began")
    assert reader.of_player(leaving, "!p.trace.finished"), "the other run is not what it waited for"
    reader.press_run(waiting)
    expect(reader.notice(waiting)).to_contain_text("Waiting:")
    leaving.close()
    assert reader.wait_for_end(waiting)["num_tokens"] == 8
    # runs come in the order they were asked for in, so the one that was stopped would have begun before
    assert waiting.evaluate("begun") == 1, "the run began although it was stopped"
