"""The two rows of the Lab: what stands in the fields is what is reckoned with."""

import pytest

from playground.views.modules import styles_of
from tests.browser.empty_page import empty_page

NUMBERS = (
    "(row) => Array.from(document.querySelectorAll(`[data-row=${row}] .lab-number`), (field) => Number(field.value))"
)


@pytest.fixture
def editor(page):
    empty_page(page, "lab/editor.js", "labEditor", styles_of("shared", "player", "lab"), dark=False)
    page.evaluate(
        """() => { window.told = 0; window.e = new labEditor.Editor(() => { window.told += 1; });
          const host = document.getElementById('host'); host.className = 'spec-player spec-lab'; host.append(e.root);
          e.set({p: [0.5, 0.3, 0.2], q: [2, 1, 1], drafts: 2}); }"""
    )
    return page


def numbers(page, row: str) -> list[float]:
    return page.evaluate(NUMBERS, row)


def used(page, row: str) -> list[float]:
    return page.evaluate("(row) => e.value()[row]", row)


def test_rows_are_shown_as_their_shares_and_the_others_make_room_in_their_proportions(editor):
    assert numbers(editor, "q") == used(editor, "q") == [0.5, 0.25, 0.25]
    editor.locator("[data-row=p] .lab-slider").first.evaluate(
        "(slider) => { slider.value = 0.75; slider.dispatchEvent(new Event('input')); }"
    )
    assert numbers(editor, "p") == pytest.approx([0.75, 0.15, 0.1]) == used(editor, "p")
    editor.locator("[data-row=p] .lab-number").nth(1).fill("0.6")
    assert numbers(editor, "p") == pytest.approx(used(editor, "p"), abs=6e-4)
    assert sum(used(editor, "p")) == pytest.approx(1) and numbers(editor, "q") == [0.5, 0.25, 0.25]


def test_a_row_comes_back_from_a_share_of_all_and_the_rounding_of_a_trace_stays(editor):
    field = editor.locator("[data-row=p] .lab-number").first
    field.fill("1")
    assert used(editor, "p") == [1, 0, 0]
    field.fill("0.4")
    assert used(editor, "p") == pytest.approx([0.4, 0.3, 0.3])
    editor.evaluate("e.set({p: [0.5001, 0.3, 0.2], q: [0.5, 0.3, 0.2]})")
    assert used(editor, "p") == [0.5001, 0.3, 0.2]


def test_tokens_that_come_and_go_leave_shares(editor):
    editor.get_by_role("button", name="Add a token").click()
    assert sum(used(editor, "p")) == pytest.approx(1)
    assert numbers(editor, "p") == pytest.approx(used(editor, "p"), abs=6e-4)
    editor.get_by_role("button", name="Remove the last token").click()
    assert used(editor, "p") == pytest.approx([0.5, 0.3, 0.2])
