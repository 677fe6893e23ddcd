"""The Watch tab as one screen: what stands on it, the drawers over it, the menu of methods, a phone's one column."""

import json

from playwright.sync_api import expect

from tests.browser import app_fixture as reader
from tests.browser.app_fixture import FILES, IN_MENU, OPTIONS, ROOT


def boxes(page, *selectors: str) -> list[dict[str, float]]:
    """Where they are in the window."""
    return [page.locator(selector).first.bounding_box() for selector in selectors]


def test_what_is_looked_at_together_is_on_one_screen_and_on_a_phone_in_one_column(visit_watch):
    """One reader, whose window changes; in the dark theme, and the light one has the same widths."""
    page = visit_watch("?__theme=dark", width=1280, height=720)
    _a_wider_panel_takes_its_room_from_the_stage(page)
    _tree_text_controls_and_panel_are_on_one_screen_that_does_not_scroll(page)
    _nothing_is_wider_than_the_page(page)
    _on_a_phone_all_stands_in_one_column(page)


def _a_wider_panel_takes_its_room_from_the_stage(page) -> None:
    whole = boxes(page, ".sp-stage", ".sp-depths")
    page.keyboard.press("i")
    expect(page.locator(".sp-side")).to_be_visible()
    expect(page.locator(".sp-depths")).to_be_hidden()  # It gives way to the panel.
    before = boxes(page, ".sp-stage", ".sp-side")
    assert before[0]["width"] < sum(each["width"] for each in whole)
    page.keyboard.press("w")
    expect(page.locator(".sp-side-widen")).to_have_attribute("aria-pressed", "true")
    after = boxes(page, ".sp-stage", ".sp-side")
    assert after[0]["width"] < before[0]["width"] and after[1]["width"] > 1280 / 2
    reader.wait_until(page, f"p.tree.width === {round(after[0]['width'])}")
    page.keyboard.press("w")
    assert boxes(page, ".sp-stage", ".sp-side") == before


def _tree_text_controls_and_panel_are_on_one_screen_that_does_not_scroll(page) -> None:
    for width, height in ((1280, 720), (1024, 700)):
        page.set_viewport_size({"width": width, "height": height})
        for view in ("token", "rule", "rounds"):
            reader.open_view(page, view)
            reader.wait_for_frames(page)
            scrolls = "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
            assert page.evaluate(scrolls) == [width, height], view
            parts = ("#ask", ".sp-text", ".sp-stage", ".sp-lane", ".sp-controls", ".sp-side")
            for part, box in zip(parts, boxes(page, *parts), strict=True):
                assert box["x"] >= 0 and box["y"] >= 0, part
                assert box["x"] + box["width"] <= width and box["y"] + box["height"] <= height, (part, box)


def _nothing_is_wider_than_the_page(page) -> None:
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        reader.of_player(page, "p.goto(12)")
        for view in ("token", "rule", "mask", "cache", "about", "rounds"):
            reader.open_view(page, view)
            reader.wait_for_frames(page)
            assert_not_wider(page, (width, view))
        expect(page.locator(".sp-bars-box svg").first).to_be_visible()
        reader.wait_until(page, "p.tree.motion.frame === null")
        assert_not_wider(page, width)
        for drawer in (OPTIONS, FILES):
            reader.unfold(page, drawer)
            assert_not_wider(page, (width, drawer))
            reader.close_drawer(page)


def assert_not_wider(page, where) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), where
    wide = page.evaluate(
        """[...document.querySelectorAll('#player .spec-player, #player .spec-player *, .drawer *')]
           .filter(e => !e.matches('svg *') && e.getClientRects().length)
           .filter(e => !e.matches('.sp-svg')) // moved as a whole behind the stage, which clips it
           .filter(e => !e.closest('.sp-visually-hidden, .sp-table-box, .sp-mask, .sp-sweep'))
           .filter(e => e.getBoundingClientRect().right > window.innerWidth + 1)
           .map(e => e.tagName + '.' + e.getAttribute('class'))"""
    )
    assert not wide, (where, wide)


def _on_a_phone_all_stands_in_one_column(page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    reader.of_player(page, "p.goto(p.trace.rounds[0].lastStep), scrollTo(0, 0)")
    reader.wait_for_frames(page)
    parts = ("#ask", ".sp-lead", ".sp-text", ".sp-stage", ".sp-lane", ".sp-controls", ".sp-side")
    tops = [box["y"] for box in boxes(page, *parts)]
    assert tops == sorted(tops)
    play = boxes(page, ".sp-play")[0]
    assert play["y"] + play["height"] <= 844, "Play is in sight without scrolling"
    assert boxes(page, ".sp-stage")[0]["y"] < 844 / 2


def test_nothing_moves_while_a_run_plays_and_a_chosen_method_plays_its_recording(visit_watch):
    page = visit_watch(width=1280, height=720, reduced_motion="no-preference")
    _nothing_moves_while_a_run_plays(page)
    _a_chosen_method_plays_its_recording(page)


def _nothing_moves_while_a_run_plays(page) -> None:
    """At every step of the first five rounds and of the last two."""
    seen = page.evaluate(
        """() => {
          const p = document.querySelector('.player-host').player;
          const rects = (names) => names.map((name) => document.querySelector('.sp-' + name).getBoundingClientRect());
          const { steps, rounds } = p.trace;
          const isLookedAt = ({ round }) => !round || round.number <= 5 || round.number > rounds.length - 2;
          const seen = new Set();
          for (const { index } of steps.filter(isLookedAt)) {
            p.goto(index);
            seen.add(JSON.stringify(rects(['text', 'stage', 'lane', 'timeline', 'controls'])));
          }
          return seen.size;
        }"""
    )
    assert seen == 1


def _a_chosen_method_plays_its_recording(watch) -> None:
    index = json.loads((ROOT / "assets/traces/index.json").read_text())
    for title, method in (("Sequoia", "sequoia"), ("Beam search", "beam_search")):
        reader.choose(watch, "Method", title)
        reader.wait_until(watch, f"p.trace.run.method === '{method}' && p.trace.finished && p.state().playing")
        made_with = next(entry["run"] for entry in index if entry["run"].startswith(f"--method {method} "))
        assert f"--seed {reader.of_player(watch, 'p.trace.run.seed')} " in made_with
        expect(watch.locator(".sp-origin")).to_have_text("Recorded run")
        assert "seed" in watch.locator(".sp-head").get_attribute("title")
        assert reader.of_player(watch, "p.trace.run.prompt") in watch.locator(".sp-prompt").inner_text()
        expect(watch.get_by_label("Method", exact=True)).to_contain_text(title)


def test_drawers_keys_the_menu_of_methods_and_run_do_what_they_promise(watch):
    _a_drawer_opens_over_the_page_and_gives_the_focus_back(watch)
    _keys_work_from_anywhere_but_a_field(watch)
    reader.open_tab(watch, "Watch")
    _the_menu_of_methods_is_used_by_keys(watch)
    _run_takes_the_stage_at_once_and_gives_it_back_when_refused(watch)


def _a_drawer_opens_over_the_page_and_gives_the_focus_back(watch) -> None:
    drawer = watch.locator(".drawer:popover-open")
    for title in IN_MENU:
        before = boxes(watch, ".sp-stage")
        reader.unfold(watch, title)
        expect(drawer).to_have_count(1)
        expect(drawer).to_have_attribute("role", "dialog")
        assert boxes(watch, ".sp-stage") == before, title
        assert watch.evaluate("document.activeElement.closest('.drawer') !== null"), title
        reader.close_drawer(watch)
        expect(watch.locator("#more button")).to_be_focused()
        reader.unfold(watch, title)
        watch.mouse.click(1240, 690)  # on the page beside it, where no word is
        expect(drawer).to_have_count(0)


def _the_menu_of_methods_is_used_by_keys(watch) -> None:
    menu = watch.get_by_label("Method", exact=True)
    menu.focus()
    watch.keyboard.press("ArrowDown")
    expect(watch.locator(".method-item:focus")).to_have_attribute("data-method", "speculative_sampling")
    watch.keyboard.press("Home")
    expect(watch.locator(".method-item:focus")).to_have_attribute("data-method", "autoregressive")
    watch.keyboard.press("Escape")
    expect(watch.locator("#method-list")).to_be_hidden()
    expect(menu).to_be_focused()
    watch.keyboard.press("Enter")
    expect(watch.locator(".method-item:focus")).to_have_attribute("data-method", "speculative_sampling")
    for name in ("token_recycling", "traversal_verification"):
        watch.keyboard.press("t")
        expect(watch.locator(".method-item:focus")).to_have_attribute("data-method", name)
    watch.keyboard.press("Enter")
    reader.wait_until(watch, "p.trace.run.method === 'traversal_verification'")
    expect(menu).to_be_focused()
    watch.keyboard.press("2")  # the player's keys work from here: the button takes none but the arrows
    reader.wait_until(watch, "p.side.shown === 'rule'")
    plays = reader.of_player(watch, "p.state().playing")
    watch.keyboard.press(" ")
    reader.wait_until(watch, f"p.state().playing === {'false' if plays else 'true'}")


def _keys_work_from_anywhere_but_a_field(watch) -> None:
    reader.of_player(watch, "p.goto(3)")
    watch.locator("body").press("ArrowRight")
    assert reader.state(watch)["step"] == 4
    watch.locator(".sp-controls [data-action=step_forward]").click()
    watch.keyboard.press("Space")  # plays: a press with the mouse does not keep the focus
    assert reader.state(watch)["playing"]
    watch.keyboard.press("Space")
    step = reader.state(watch)["step"]
    watch.locator("#prompt textarea").click()
    for key in ("ArrowLeft", "Home", "End", "Space", "n", "w"):
        watch.keyboard.press(key)
    assert reader.state(watch)["step"] == step and not reader.state(watch)["playing"]
    watch.get_by_role("tab", name="Lab").click()
    watch.get_by_role("tab", name="Lab").press("ArrowRight")
    assert reader.state(watch)["step"] == step, "the player is out of sight"


def _run_takes_the_stage_at_once_and_gives_it_back_when_refused(watch) -> None:
    reader.of_player(watch, "p.playhead.leave()")
    reader.write_prompt(watch, " ")
    watch.evaluate(
        """() => {
          const {player} = document.querySelector('.player-host');
          const own = player.expect.bind(player);
          player.expect = () => {
            own();
            window.emptied = document.querySelector('.sp-waiting').checkVisibility();
          };
        }"""
    )
    reader.run_button(watch).click()
    expect(reader.notice(watch)).to_have_attribute("data-kind", "error")
    reader.wait_until(watch, "!p.waiting.expected")
    assert watch.evaluate("window.emptied") is True
    expect(watch.locator(".sp-waiting")).to_be_hidden()
    reader.write_prompt(watch, "Once upon a time")
    reader.choose_tokens(watch, 8)
    reader.press_run(watch)
    reader.wait_for_end(watch)
    expect(watch.locator(".sp-origin")).to_have_text("Your run")
