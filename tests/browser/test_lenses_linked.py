"""The lenses in a real browser: how the tree is linked with them, and what cannot break them."""

import json

from tests.browser.lens_traces import hostile_workings, recorded, sentence, shown, whole_workings, with_workings
from tests.browser.player_harness import chain_trace, goto, mount_lenses, state, step_of


def test_a_row_and_its_node_mark_each_other(page):
    mount_lenses(page, recorded("rsd_s"))
    goto(page, step_of(page, "verified", 1))
    row = page.locator("[data-lens=stages] .sp-lens-item").first
    key = row.get_attribute("data-key")
    row.hover()
    assert page.locator(f".sp-nodes > [data-key='{key}']").get_attribute("class").count("sp-pointed") == 1
    page.mouse.move(2, 2)
    page.evaluate("(key) => p.point(p.trace.rounds[0].nodes.find((node) => node.key === Number(key)))", key)
    assert "sp-pointed" in page.locator(f"[data-lens=stages] [data-key='{key}']").get_attribute("class")
    page.evaluate("p.point(null)")
    row.click()
    assert page.evaluate("p.pinned.key") == int(key)
    page.evaluate("p.side.open('token')")
    assert page.locator(".sp-unpin").is_visible()


def test_pointing_at_a_node_deeper_down_shows_the_test_of_its_own_siblings(page):
    mount_lenses(page, recorded("rsd_s"))
    goto(page, step_of(page, "scored", 1))
    place = page.locator("[data-lens=stages] .sp-lens-place")
    before = place.inner_text()
    page.evaluate("p.point(p.trace.rounds[0].nodes.find((node) => node.layer === 2))")
    assert place.inner_text() != before
    page.evaluate("p.point(null)")
    assert place.inner_text() == before


def test_a_lens_is_one_tab_stop_and_arrows_move_inside(page):
    mount_lenses(page, recorded("rsd_s"))
    goto(page, step_of(page, "verified", 1))
    items = page.locator("[data-lens=stages] .sp-lens-item")
    assert page.locator("[data-lens=stages] [tabindex='0']").count() == 1
    items.first.focus()
    step = state(page)["step"]
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.dataset.key") == items.nth(1).get_attribute("data-key")
    page.keyboard.press("Enter")
    assert page.evaluate("p.pinned.key") == int(items.nth(1).get_attribute("data-key"))
    assert state(page)["step"] == step
    page.keyboard.press(".")  # the player's own keys still work, and the focus stays in the lens
    assert state(page)["step"] == step + 1
    assert page.evaluate("document.activeElement.closest('.sp-lens') !== null")


def test_the_sentence_is_spoken_when_the_reader_steps_and_not_while_it_plays(page):
    mount_lenses(page, recorded("rsd_s"))
    goto(page, 3)
    assert page.locator("[data-lens=stages] .sp-lens-sentence").get_attribute("aria-live") == "polite"
    page.evaluate("p.actions.toggle()")
    page.wait_for_function("() => p.state().step > 3")
    assert page.locator("[data-lens=stages] .sp-lens-sentence").get_attribute("aria-live") == "off"


def test_what_is_below_a_lens_stays_in_its_place_while_stepping(page):
    """Once the first rounds are seen: a lens that grew with every step would push the text up and down."""
    mount_lenses(page, recorded("spectr", length=20))
    tops = page.evaluate(
        """() => Array.from({ length: p.state().steps - 1 }, (_, i) => {
          p.goto(i + 1);
          return Math.round(document.querySelector('.sp-lens-signs').getBoundingClientRect().top + scrollY);
        })"""
    )
    assert max(tops) - min(tops) <= 1, tops


def test_a_live_run_gets_its_lens_with_the_first_round(page):
    mount_lenses(page)
    events = recorded("spectr")["events"]
    page.evaluate("p.begin()")
    assert shown(page) == []
    ends = [i for i, event in enumerate(events) if event["event"] == "committed"]
    page.evaluate("(events) => p.append(events)", events[: ends[0] + 1])
    assert shown(page) == ["k_seq"]
    page.evaluate("(events) => p.append(events)", events[ends[0] + 1 :])
    page.evaluate("p.finish()")
    assert shown(page) == ["k_seq"]


def test_workings_that_cannot_be_read_are_left_out_and_the_run_plays(page):
    """Through JSON, as a file comes; 1e999 becomes infinite there."""
    whole = {kind: [each] for kind, each in whole_workings().items()}
    files = {
        name: json.dumps(with_workings(workings, method="spectr")).replace("Infinity", "1e999")
        for name, workings in (whole | hostile_workings()).items()
    }
    mount_lenses(page)
    seen = page.evaluate(
        """(files) => Object.entries(files).map(([name, text]) => {
          p.load(JSON.parse(text), {});
          const notes = p.trace.steps.map(({ index, kind, round }) => {
            p.goto(index);
            if (kind !== 'committed') return [];
            for (const node of [...round.nodes, null]) p.point(node);
            const note = document.querySelector('.sp-lens-note');
            return [round.number, note.checkVisibility() && note.textContent];
          });
          const lenses = document.querySelectorAll('.sp-lens').length;
          return [name, p.problem.hidden && p.state().totals.tokens, Object.fromEntries(notes), lenses];
        })""",
        files,
    )
    assert len(seen) == len(files)
    read = {name for name, _, notes, _ in seen if notes["1"] is False}
    assert read == whole.keys(), "a working that is whole is read, and none that is damaged"
    for name, tokens, notes, lenses in seen:
        assert tokens == 5 and notes["2"] is False and (lenses == 0 or name in whole), name
        assert name in whole or "that cannot be read" in notes["1"], name


def test_workings_that_keep_the_contract_and_make_no_sense_give_a_sentence(page):
    """Tokens nobody printed, draws nobody made: the lens may say little, but the player plays."""
    working = {"kind": "recursive", "node": 2, "tokens": [77, 78], "draws": [77, 78],
               "residuals": [[0.0, 0.0, 0.0]] * 3, "offers": [[1.0, 1.0, 1.0]] * 2}  # fmt: skip
    mount_lenses(page, with_workings([working], method="rsd_s"))
    for step in range(state(page)["steps"]):
        goto(page, step)
        assert sentence(page, "stages").endswith(".")
    unknown = [{"kind": "of tomorrow", "node": 2}, {"kind": "__proto__"}, {"kind": "constructor"}]
    mount_lenses(page, with_workings(unknown))
    goto(page, step_of(page, "committed", 1))
    assert page.locator(".sp-lens-note").is_hidden(), "what no lens knows is passed over"


def test_the_run_of_the_harness_has_the_lens_of_its_residual_only_where_it_is_recorded(page):
    """Speculative sampling needs no workings; without the recorded residual it says so and draws none."""
    mount_lenses(page, chain_trace())
    goto(page, step_of(page, "verified", 1, 1))
    assert "does not hold" in sentence(page, "stages")
    assert page.locator("[data-lens=stages] .sp-lens-picture .sp-fill-rest").count() == 0
