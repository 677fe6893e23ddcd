"""The line for messages by itself."""

from functools import reduce
from operator import or_
from typing import Any

from playground.ui.page.messages import say as said
from playground.ui.page.progress import waiting
from tests.browser.empty_page import empty_page

LINE = """() => {
  document.getElementById("host").innerHTML = "<p class='notice'></p>";
  window.props = { value: null };
  lines.mount({ element: document.getElementById("host"), props, watch: (_, heard) => (window.heard = heard) });
  window.say = (value) => { props.value = value; heard(); return document.querySelector(".notice").textContent; };
}"""


def test_a_place_that_is_told_after_the_run_has_ended_is_not_said(page):
    """On a busy server the run overtakes the answer about its place; the page said "Waiting" for ever."""
    empty_page(page, "page/panels/line.js", "lines", [], dark=False)
    page.wait_for_function("window.lines")
    page.evaluate(LINE)

    def say(*told: dict[str, Any]) -> str:
        return page.evaluate("say", reduce(or_, told))

    late = {"instead_of": "waiting"}
    assert say(waiting(3)) == "Waiting: 3 runs on other pages come first."
    assert say(waiting(1), late) == "Waiting: 1 run on other pages comes first."
    assert say(said("Done: 48 tokens.")) == "Done: 48 tokens."
    assert say(waiting(0), late) == "Done: 48 tokens."
    assert say(waiting(0)) == "Waiting for its turn ...", "Run was pressed again"
