"""The prompt keeps the reader's text before and after the page is set up, and a chip makes a message of it."""

import pytest

from tests.browser.empty_page import empty_page

FIELDS = "<div id=prompt><textarea></textarea></div><div id=chat class='{kind}'><input type=checkbox></div>"


@pytest.fixture
def prompt(page):
    """The fields as Gradio draws them, for a chat model."""

    def lay_out(kind: str = "of-chat"):
        page.evaluate("window.module = null")  # a page on which nobody has typed yet
        empty_page(page, "page/run/prompt.js", "typing", [], dark=False)
        page.locator("#host").evaluate("(host, html) => (host.innerHTML = html)", FIELDS.format(kind=kind))
        return page

    return lay_out


def is_message(page) -> bool:
    return page.locator("#chat input").is_checked()


def test_what_is_typed_or_pasted_for_a_chat_model_is_a_message(prompt):
    for way in ("type", "insert_text"):
        page = prompt()
        page.locator("textarea").focus()
        assert not is_message(page)
        getattr(page.keyboard, way)("Hi")
        assert is_message(page), way


def test_the_chip_is_the_readers_once_it_was_pressed_and_other_models_are_asked_for_no_message(prompt):
    page = prompt()
    for expected in (True, False):
        page.locator("#chat input").click()
        page.locator("textarea").press("x")
        assert is_message(page) is expected
    page = prompt("")
    page.locator("textarea").press("x")
    assert not is_message(page)


def test_what_was_typed_before_the_page_was_set_up_comes_back_and_what_comes_later_stays(prompt):
    page = prompt()
    page.locator("textarea").fill("mine")
    page.evaluate("document.querySelector('textarea').value = 'that of the link'; typing.keepTyped()")
    assert page.locator("textarea").input_value() == "mine"
    page.evaluate("document.querySelector('textarea').value = 'a recording'; typing.keepTyped()")
    assert page.locator("textarea").input_value() == "a recording"
