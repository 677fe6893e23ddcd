"""The list of lessons, and what an address opens, without a browser."""

import pytest

from tests.javascript.node import ran

PAGE = """
const storage = {};
globalThis.localStorage = {
  getItem: (key) => storage[key] ?? null,
  setItem: (key, value) => (storage[key] = value),
  removeItem: (key) => delete storage[key],
};
const { LessonsPage } = await load("learn/lessons_page.js");
const { lessons } = await load("learn/lessons.js");
const { keep } = await load("learn/progress.js");
const told = [];
const reader = {
  root: document.createElement("div"),
  open: ({ id }, number) => told.push([id, number]),
  leave: () => told.push("left"),
};
const notice = document.createElement("p");
const turned = (query) => told.push(query);
const page = new LessonsPage({ lessons, notice, reader, live: true, turned, hasFocus: () => true });
const open = (query) => page.open(new URLSearchParams(query));
const cards = () => page.list.root.querySelector(".learn-cards").children.map((card) => card.textContent);
"""


def on_page(script: str):
    return ran(PAGE + script, with_document=True)


@pytest.mark.parametrize(
    ("query", "opened"),
    [
        ("lesson=coin", ["coin", 0]), ("lesson=coin&place=3", ["coin", 2]), ("lesson=coin&place=x", ["coin", 0]),
        ("lesson=coin&place=-4", ["coin", 0]),
    ],
)  # fmt: skip
def test_an_address_opens_a_page_of_a_lesson(query, opened):
    told, hidden = on_page(f"open({query!r}); print([told, [page.list.root.hidden, reader.root.hidden]]);")
    assert told == [opened] and hidden == [True, False]


def test_a_lesson_that_is_not_there_is_said_above_the_list():
    text, hidden, told = on_page('open("lesson=none"); print([notice.textContent, notice.hidden, told]);')
    assert "none" in text and not hidden and told == ["left", {}]
    assert on_page('open("lesson=none"); page.showList(); print(notice.hidden);') is True


def test_cards_say_how_far_a_lesson_was_read_until_that_is_forgotten():
    fresh, read, forgotten = on_page("""
        open("");
        const fresh = cards();
        keep(lessons[0].id, lessons[0].pages.length);
        keep(lessons[1].id, 1);
        page.showList();
        const read = cards();
        page.list.root.querySelector(".learn-foot").children[1].send("click");
        print([fresh, read, cards()]);
    """)
    assert fresh[0].startswith("1") and fresh[0].endswith("Begin")
    assert read[0].startswith("✓") and read[0].endswith("Read again") and read[1].endswith("Go on")
    assert forgotten == fresh


def test_a_card_opens_its_lesson_where_it_was_left_and_one_that_was_read_at_its_beginning():
    told = on_page("""
        keep(lessons[0].id, lessons[0].pages.length);
        keep(lessons[1].id, 2);
        open("");
        told.length = 0;
        const items = page.list.root.querySelector(".learn-cards").children;
        for (const index of [0, 1]) items[index].children[0].send("click");
        print([told, lessons.slice(0, 2).map(({ id }) => id)]);
    """)
    assert told[0] == [[told[1][0], 0], [told[1][1], 2]]


def test_a_teacher_finds_goal_questions_mistakes_and_exercises_of_every_lesson():
    told, plans, title, count = on_page("""
        open("lesson=teacher");
        const plans = page.list.root.children.slice(3);
        print([told, plans.map((plan) => plan.textContent), document.activeElement.textContent, lessons.length]);
    """)
    assert told == [{"lesson": "teacher"}] and title == "For teachers" and len(plans) == count
    for plan in plans:
        assert "Goal" in plan and "Asks" in plan and "What goes wrong" in plan and "Exercises" in plan
        assert "{" not in plan


def test_the_answer_sheet_is_linked_for_teachers_and_an_address_opens_it():
    link, told, reading, problem = on_page("""
        open("lesson=teacher");
        const link = page.list.root.children[2].textContent;
        told.length = 0;
        reader.read = async () => { throw new Error("not there"); };
        const shown = page.open(new URLSearchParams("lesson=answers"));
        const reading = page.list.isReading;
        await shown;
        print([link, told, reading, notice.textContent]);
    """)
    assert link == "Answer sheet" and told == [{"lesson": "answers"}]
    assert reading and problem == "not there"
