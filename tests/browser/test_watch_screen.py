"""The Watch tab as one screen: what stands on it, the drawers over it, the menu of methods, a phone's one column."""

import json

from playwright.sync_api import expect

from tests.browser import app_fixture as reader
from tests.browser.app_fixture import IN_MENU, ROOT


def boxes(page, *selectors: str) -> list[dict[str, float]]:
    """Where they are in the window."""
    return [page.locator(selector).first.bounding_box() for selector in selectors]


def test_tree_text_controls_and_panel_are_on_one_screen_that_does_not_scroll(visit_watch):
    page = visit_watch(width=1280, height=720)
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


def test_nothing_moves_while_a_run_plays(visit_watch):
    """At every step of the first ten rounds and of the last two."""
    page = visit_watch(width=1280, height=720, reduced_motion="no-preference")
    seen = page.evaluate(
        """() => {
          const p = document.querySelector('.player-host').player;
          const rects = (names) => names.map((name) => document.querySelector('.sp-' + name).getBoundingClientRect());
          const { steps, rounds } = p.trace;
          const isLookedAt = ({ round }) => !round || round.number <= 10 || round.number > rounds.length - 2;
          const seen = new Set();
          for (const { index } of steps.filter(isLookedAt)) {
            p.goto(index);
            seen.add(JSON.stringify(rects(['text', 'stage', 'lane', 'timeline', 'controls'])));
          }
          return seen.size;
        }"""
    )
    assert seen == 1


def test_a_wider_panel_takes_its_room_from_the_stage(visit_watch):
    page = visit_watch(width=1280, height=720)
    whole = boxes(page, ".sp-stage")
    page.keyboard.press("i")
    expect(page.locator(".sp-side")).to_be_visible()
    before = boxes(page, ".sp-stage", ".sp-side")
    assert before[0]["width"] < whole[0]["width"]
    page.keyboard.press("w")
    expect(page.locator(".sp-side-widen")).to_have_attribute("aria-pressed", "true")
    after = boxes(page, ".sp-stage", ".sp-side")
    assert after[0]["width"] < before[0]["width"] and after[1]["width"] > 1280 / 2
    reader.wait_until(page, f"p.tree.width === {round(after[0]['width'])}")
    page.keyboard.press("w")
    assert boxes(page, ".sp-stage", ".sp-side") == before


def test_on_a_phone_all_stands_in_one_column(visit_watch):
    page = visit_watch(width=390, height=844)
    parts = ("#ask", ".sp-lead", ".sp-text", ".sp-stage", ".sp-lane", ".sp-controls", ".sp-side")
    tops = [box["y"] for box in boxes(page, *parts)]
    assert tops == sorted(tops)
    play = boxes(page, ".sp-play")[0]
    assert play["y"] + play["height"] <= 844, "Play is in sight without scrolling"
    assert boxes(page, ".sp-stage")[0]["y"] < 844 / 2


def test_a_chosen_method_plays_its_recording(visit_watch):
    watch = visit_watch(reduced_motion="no-preference")
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


def test_the_menu_of_methods_is_used_by_keys(watch):
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
    watch.keyboard.press("t")
    expect(watch.locator(".method-item:focus")).to_have_attribute("data-method", "traversal_verification")
    watch.keyboard.press("Enter")
    reader.wait_until(watch, "p.trace.run.method === 'traversal_verification'")
    expect(menu).to_be_focused()
    watch.keyboard.press("2")  # the player's keys work from here: the button takes none but the arrows
    reader.wait_until(watch, "p.side.shown === 'rule'")
    plays = reader.of_player(watch, "p.state().playing")
    watch.keyboard.press(" ")
    reader.wait_until(watch, f"p.state().playing === {'false' if plays else 'true'}")


def test_run_takes_the_stage_at_once_and_gives_it_back_when_refused(watch):
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


def test_a_drawer_opens_over_the_page_and_gives_the_focus_back(watch):
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


def test_keys_work_from_anywhere_but_a_field(watch):
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
