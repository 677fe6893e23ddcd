"""The browser's history of the page, by Node.js alone: which addresses are entries of their own."""

from tests.javascript.node import ran

HISTORY = """
const { enter, entryOf } = await load("shared/history.js");
const entries = ["http://here/"];
const write = (address) => { entries.splice(-1, 1, address); window.location = new URL(address); };
globalThis.window = {
  location: new URL(entries[0]),
  history: {
    state: null,
    replaceState: (state, title, address) => write(address),
    pushState: (state, title, address) => { entries.push(address); write(address); },
  },
};
const visit = (...addresses) => addresses.forEach(enter);
"""


def test_five_tabs_a_view_a_section_and_a_lesson_are_an_entry_each_and_all_else_changes_one():
    entries = ran(
        HISTORY
        + """
        visit("#run=rsd_s&step=1", "#run=rsd_s&step=2", "/?method=dsbd&seed=7#step=3");
        visit("/?tab=compare", "/?tab=compare&methods=dsbd,rsd_s", "/?tab=sweep", "/?tab=recommend");
        visit("/?tab=lab", "/?tab=lab&section=acceptance&p=0.5,0.5", "/?tab=lab&section=speed");
        visit("/?tab=learn", "/?tab=learn&lesson=coin&place=1", "/?tab=learn&lesson=coin&place=2", "/#run=rsd_s");
        print(entries.map((each) => each.slice("http://here".length)));
        """
    )
    assert entries == [
        "/?method=dsbd&seed=7#step=3", "/?tab=compare&methods=dsbd,rsd_s", "/?tab=sweep", "/?tab=recommend",
        "/?tab=lab&section=acceptance&p=0.5,0.5", "/?tab=lab&section=speed", "/?tab=learn",
        "/?tab=learn&lesson=coin&place=2", "/#run=rsd_s",
    ]  # fmt: skip


def test_lessons_of_the_page_without_a_server_are_an_entry_each():
    entries = ran(
        HISTORY
        + """
        visit("#", "#lesson=coin&place=1", "#lesson=coin&place=2");
        visit("#lesson=coin&place=2", "#lesson=length&place=1", "#");
        print(entries.map((each) => each.slice("http://here/".length)));
        """
    )
    assert entries == ["#", "#lesson=coin&place=2", "#lesson=length&place=1", "#"]
