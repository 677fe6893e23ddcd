"""Prompts, numbers and models of any kind are run in the Watch tab, or refused in a sentence."""

from playwright.sync_api import expect

from tests.browser import app_fixture as reader
from tests.browser.app_fixture import OPTIONS
from tests.browser.holds import assert_nothing_executed, assert_one_sentence
from tests.browser.hostile import ALL, MARKUP, SURROGATE


def test_prompts_models_and_lengths_of_any_kind_are_run_or_refused_in_a_sentence(watch):
    """One reader, who goes on after each."""
    _a_prompt_that_cannot_be_run_is_refused_and_the_run_stays(watch)
    _prompts_of_any_characters_are_run_or_refused_but_never_executed(watch)
    _models_that_cannot_be_had_are_refused(watch)
    _the_longest_run_the_page_offers_can_be_run(watch)


def _a_prompt_that_cannot_be_run_is_refused_and_the_run_stays(watch) -> None:
    """It is not waited for: a player that shows "waiting" next to an error contradicts it."""
    shown = reader.of_player(watch, "(window.kept = p.trace) && p.trace.run.created")
    for prompt, word in (("word " * 1000, "5,000 characters"), ("  \n\t ", "empty")):
        reader.write_prompt(watch, prompt)
        reader.run_button(watch).click()
        expect(reader.notice(watch)).to_have_attribute("data-kind", "error")
        expect(reader.notice(watch)).to_contain_text(word)
        assert_one_sentence(reader.notice(watch).inner_text())
        expect(reader.run_button(watch)).to_be_enabled()
        expect(watch.locator("#stop")).to_be_disabled()
    assert reader.saved_trace(watch).events[0].created == shown
    lost = "the player lost its run and shows: " + watch.locator(".sp-waiting").inner_text()
    assert reader.of_player(watch, "p.trace === window.kept"), lost


def _prompts_of_any_characters_are_run_or_refused_but_never_executed(watch) -> None:
    """A lone surrogate is a JavaScript text but no Unicode text; a paste can hold one."""
    reader.choose_tokens(watch, 4)
    reader.write_prompt(watch, ALL)
    typed = watch.locator("#prompt textarea").input_value()
    reader.run_to_end(watch)
    assert reader.of_player(watch, "p.trace.run.prompt") == typed
    assert_nothing_executed(watch)
    reader.write_prompt(watch, SURROGATE)
    reader.press_run(watch)
    reader.wait_until(watch, f"{REFUSED} || p.trace !== window.traceBefore && p.trace.finished")
    expect(reader.run_button(watch)).to_be_enabled()
    assert_one_sentence(reader.notice(watch).inner_text())
    assert "broke off" not in reader.notice(watch).inner_text(), reader.notice(watch).inner_text()


REFUSED = "document.querySelector('#notice .notice').dataset.kind === 'error'"


def _models_that_cannot_be_had_are_refused(watch) -> None:
    reader.write_prompt(watch, "The king")
    for target, words in (
        ("nobody/no-such-model", "Hub does not answer"),
        (MARKUP[0], f"{MARKUP[0]}' is not a model name"),
    ):
        reader.unfold(watch, OPTIONS)  # a press outside closed it
        reader.choose(watch, "Models", "Other models ...")
        reader.write(watch, watch.get_by_label("Target model"), target)
        reader.run_button(watch).click()
        expect(reader.notice(watch)).to_contain_text(words)
        assert_one_sentence(reader.notice(watch).inner_text())
        expect(reader.run_button(watch)).to_be_enabled()
    assert_nothing_executed(watch)
    reader.unfold(watch, OPTIONS)
    reader.choose(watch, "Models", "Bundled pair")


def _the_longest_run_the_page_offers_can_be_run(watch) -> None:
    """The slider's end is a promise; the bundled pair reads 1024 tokens, prompt included."""
    reader.choose_tokens(watch, watch.get_by_label("range slider for New tokens (at most)").get_attribute("max"))
    reader.press_run(watch)
    expect(reader.notice(watch)).not_to_contain_text("is not a model name")  # That was said before.
    reader.wait_until(watch, f"{REFUSED} || p.trace !== window.traceBefore && p.trace.rounds.length > 2")
    assert reader.notice(watch).get_attribute("data-kind") != "error", reader.notice(watch).inner_text()


AT_RUN = """(() => {
  const { x, y, width, height } = document.getElementById("run").getBoundingClientRect();
  return document.elementFromPoint(x + width / 2, y + height / 2).closest("#run") !== null;
})()"""


def test_a_link_with_a_value_that_no_control_takes_does_not_block_the_next_run(visit_watch):
    page = visit_watch("?tokens=4&seed=-1")
    expect(reader.notice(page)).to_contain_text("Filled in from the link")
    reader.run_button(page).click()
    expect(reader.toast(page)).to_be_visible()
    expect(reader.run_button(page)).to_be_enabled()
    assert page.evaluate(AT_RUN), "the refusal lies over the button that one presses next"
    reader.unfold(page, OPTIONS)
    reader.type_number(page, "Seed", 3)
    assert reader.run_to_end(page)["num_tokens"] == 4
