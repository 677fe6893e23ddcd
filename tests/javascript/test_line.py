"""The line for messages, without a browser."""

from functools import reduce
from operator import or_

from playground.ui.page.messages import say
from playground.ui.page.progress import waiting
from tests.javascript.node import ran

LINE = """
const lines = await load("page/panels/line.js");
const element = document.createElement("div");
const notice = Object.assign(document.createElement("p"), { dispatchEvent() {} });
element.querySelector = (selector) => (selector === ".notice" ? notice : null);
const panel = { element, props: { value: null }, watch: (_, heard) => (panel.heard = heard) };
lines.mount(panel);
print(given.map((value) => {
  panel.props.value = value;
  panel.heard();
  return notice.textContent;
}));
"""


def test_a_message_of_the_queue_that_comes_after_the_run_has_ended_is_not_said():
    """On a busy server the run overtakes the answer about its place; the page said "Waiting" for ever."""
    late = {"instead_of": "waiting"}
    messages = (waiting(3),), (waiting(1), late), (say("Done: 48 tokens."),), (waiting(0), late), (waiting(0),)
    assert ran(LINE, [reduce(or_, each) for each in messages], with_document=True) == [
        "Waiting: 3 runs on other pages come first.",
        "Waiting: 1 run on other pages comes first.",
        "Done: 48 tokens.",
        "Done: 48 tokens.",
        "Waiting for its turn ...",  # Run was pressed again
    ]


def test_a_refusal_without_a_key_is_marked_as_english_amid_another_language():
    """Screen readers would read it by the rules of the page's language."""
    german = 'globalThis.window = { location: { search: "?language=de", hash: "", pathname: "/" } };'
    script = german + LINE.replace("return notice.textContent", "return notice.children.map((each) => each.attributes)")
    assert ran(script, [say("The file is damaged.", kind="error")], with_document=True) == [[{"lang": "en"}]]
