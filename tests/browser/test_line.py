"""The line for messages by itself."""

from tests.browser.player_harness import empty_page

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

    def say(text: str, **how: str) -> str:
        return page.evaluate("say", {"text": text} | how)

    late = {"instead_of": "Waiting"}
    assert say("Waiting: 3 runs on other pages come first.") == "Waiting: 3 runs on other pages come first."
    assert say("Waiting: 1 run on other pages comes first.", **late) == "Waiting: 1 run on other pages comes first."
    assert say("Done: 48 tokens.") == "Done: 48 tokens."
    assert say("Waiting for its turn ...", **late) == "Done: 48 tokens."
    assert say("Waiting for its turn ...") == "Waiting for its turn ...", "Run was pressed again"
