"""A race's replay in a real browser: on its clock, and by hand."""

import pytest

from tests.browser.app_fixture import wait_for_frames
from tests.browser.race_harness import (
    CLOCKS,
    goto,
    lane,
    lanes,
    mount_race,
    plain_round,
    race_value,
    round_,
    show,
    signs,
    state,
    tokens_of,
    words,
)

FINISHED = {"autoregressive": 6, "chain": 6, "beams": 6}


@pytest.fixture
def page(page):
    mount_race(page, race_value())
    return page


def rounds_of(page, label: str) -> int:
    return next(each["rounds"] for each in state(page)["lanes"] if each["label"] == label)


def test_before_the_first_race_it_says_what_is_to_come_and_a_lane_that_failed_why(page):
    assert "It failed: ZeroDivisionError: on purpose" in lane(page, "broken").inner_text()
    mount_race(page)
    assert page.locator(".sr-empty").is_visible() and "No race yet" in page.locator(".sr-empty").inner_text()
    assert page.locator(".sr-full").is_hidden()


def test_each_lane_changes_at_its_recorded_clocks_to_a_millisecond(page):
    for each in state(page)["lanes"]:
        if each["label"] in CLOCKS:
            assert each["clocks"] == pytest.approx(CLOCKS[each["label"]], abs=1e-9)
    for label, clocks in CLOCKS.items():
        for number, clock in enumerate(clocks):
            for seconds, rounds in ((clock - 0.001, number), (clock + 0.001, number + 1)):
                goto(page, seconds)
                assert rounds_of(page, label) == rounds, (label, seconds)


def test_playing_takes_as_long_as_the_race_took_times_the_pace(page):
    """Frames may be few on a busy machine; the clock follows the time that passed, not their number.

    A frame shows the time of its beginning, so what is shown is behind what has passed by a pause between frames.
    """
    page.evaluate("r.replay.pause(); r.replay.goto(0); r.replay.clock.setPace(5)")
    shown, passed, pause = page.evaluate(
        """async () => {
          const started = performance.now();
          r.replay.clock.start();
          let [last, pause] = [started, 0];
          await new Promise((done) => {
            const look = () => {
              [last, pause] = [performance.now(), Math.max(pause, performance.now() - last)];
              if (r.replay.clock.now > 0.2) done(); else requestAnimationFrame(look);
            };
            look();
          });
          return [r.replay.clock.now, last / 1000 - started / 1000, pause / 1000];
        }"""
    )
    assert (passed - 2 * pause - 0.1) / 5 < shown < (passed + 0.1) / 5


def test_the_text_grows_round_by_round_beams_take_words_back_and_seeking_back_undoes_it(page):
    for seconds, label, text, tokens in (
        (0, "chain", "", 0),
        (0.13, "chain", " the old oak", 3),
        (0.13, "autoregressive", " a", 1),
        (0.3, "beams", " one two", 2),
        (0.42, "beams", " one three four", 3),
        (9, "chain", " the old oak fell down.", 6),
        (9, "autoregressive", " a b c d e f", 6),
        (9, "beams", " one three four five six seven", 6),
        (0.3, "beams", " one two", 2),
        (0.13, "chain", " the old oak", 3),
    ):
        goto(page, seconds)
        assert (words(page, label), tokens_of(page, label)) == (text, tokens), (seconds, label)


def test_the_small_tree_is_pending_then_judged(page):
    goto(page, 0.06)  # the first round is under way and drafted: nobody knows its verdicts, nor the correction
    assert signs(page, "chain") == "or"
    goto(page, 0.124)
    assert signs(page, "chain") == "acrx"
    goto(page, 9)
    assert signs(page, "chain") == "abr"


def test_a_lane_that_has_ended_shows_its_flag_and_place(page):
    goto(page, 0.3)
    flag = lane(page, "chain").locator(".sr-flag")
    assert flag.is_visible() and "1st" in flag.inner_text() and "0.250 s" in lane(page, "chain").inner_text()
    assert lane(page, "beams").locator(".sr-flag").is_hidden()
    goto(page, 9)
    places = {each["label"]: each["place"] for each in state(page)["lanes"]}
    assert places == {"autoregressive": 3, "chain": 1, "beams": 2, "broken": None}


def test_lanes_of_unequal_length_get_no_places(page):
    value = race_value(lanes=lanes(chain=[round_(0.1, 0, [[" end", "a"]], [-1, 0], "ra")]))
    mount_race(page, value)
    assert all(each["place"] is None for each in state(page)["lanes"])
    assert "differ in length" in page.locator(".sr-replay").inner_text()


def test_a_race_without_any_run_still_stands(page):
    value = race_value(lanes=lanes(autoregressive=None, chain=None, beams=None))
    mount_race(page, value)
    assert state(page)["length"] == 0 and "No run was finished on this prompt." in lane(page, "chain").inner_text()
    page.locator(".sr-replay").focus()
    for key in (" ", "ArrowRight", "End", "Home", "["):
        page.keyboard.press(key)


def test_with_reduced_motion_the_race_stands_at_its_end(page):
    page.emulate_media(reduced_motion="reduce")
    mount_race(page, race_value())
    wait_for_frames(page)
    assert not state(page)["playing"] and state(page)["now"] == pytest.approx(0.6)
    assert page.get_by_text("Chain is fastest.").is_visible()
    assert {each["label"]: each["tokens"] for each in state(page)["lanes"] if each["clocks"]} == FINISHED


def test_a_new_race_plays_and_pause_stops_it(page):
    page.wait_for_function("r.replay.clock.now > 0.005")
    page.evaluate("r.pause()")
    now = state(page)["now"]
    wait_for_frames(page)
    assert state(page)["now"] == now and not state(page)["playing"]


def test_what_the_race_says_comes_after_the_flag_and_stays(page):
    mount_race(page, race_value(recorded="Recorded on 1 May 2026."))
    page.evaluate("r.replay.goto(0.59)")
    assert page.get_by_text("Chain is fastest.").is_hidden() and page.get_by_text("Beams is slower.").is_hidden()
    assert page.get_by_text("The results follow after the replay.").is_visible()
    page.evaluate("r.replay.goto(9)")
    assert page.get_by_text("Chain is fastest.").is_visible() and page.get_by_text("Beams is slower.").is_visible()
    page.evaluate("r.replay.goto(0)")
    assert page.get_by_text("Chain is fastest.").is_visible() and page.get_by_text("Recorded on 1 May").is_visible()
    show(page, race_value(race="two"))
    assert page.get_by_text("Chain is fastest.").is_hidden() and page.get_by_text("Recorded on 1 May").is_hidden()


def test_at_the_flag_a_lane_has_its_ratio_and_joules_and_the_picture_is_drawn(page):
    """The bars stand as they were when the first was there: of the beams, 2 of 6 tokens after 0.25 s."""
    goto(page, 0.3)
    assert page.locator(".sr-card").is_hidden()
    goto(page, 9)
    told = lane(page, "chain").locator(".sr-flag").inner_text()
    assert "1.80× (1.70–1.90)" in told and "mJ a token, estimate" in told
    assert page.locator(".sr-card canvas").get_attribute("aria-label") == "Chain is fastest."
    inked = """(share) => {
      const canvas = document.querySelector('.sr-card canvas');
      const {data} = canvas.getContext('2d').getImageData(336 + 540 * share, 0, 1, canvas.height);
      let lanes = 0;
      for (let at = 0, was = false; at < data.length; at += 4) {
        const is = data[at] + data[at + 1] + data[at + 2] < 450 && at / 4 > 160 && at / 4 < 540;
        if (is && !was) lanes += 1;
        was = is;
      }
      return lanes;
    }"""
    assert [page.evaluate(inked, share) for share in (0.08, 0.4, 0.9)] == [3, 1, 1]


def test_while_a_race_is_measured_nothing_of_the_one_before_stands(page):
    goto(page, 9)
    lanes = [
        {"name": each["name"], "note": each["note"], "badge": each["badge"], "rates": [20, 40, 30][: 2 + place]}
        for place, each in enumerate(race_value()["lanes"][:2])
    ]
    show(page, {"race": None, "measuring": {"runs": 5, "lanes": lanes}})
    assert page.get_by_text("Chain is fastest.").is_hidden() and page.locator(".sr-table").is_hidden()
    measuring = page.locator(".sr-measuring")
    assert measuring.locator(".sr-count").all_inner_texts() == ["30", "30"]
    assert measuring.locator(".sr-round").all_inner_texts() == ["2 of 5 runs", "3 of 5 runs"]
    heights = measuring.locator(".sr-run").evaluate_all("all => all.map((each) => Number(each.getAttribute('height')))")
    assert heights == [14, 28, 14, 28, 21]
    page.evaluate("r.show({race: null})")
    assert page.get_by_text("Chain is fastest.").is_visible() and measuring.is_hidden()


def test_the_replay_is_driven_from_the_keyboard(page):
    page.locator(".sr-replay").focus()
    page.keyboard.press("Home")
    assert state(page)["now"] == 0 and not state(page)["playing"]
    for clock in (0.1, 0.12345, 0.2, 0.25):
        page.keyboard.press("ArrowRight")
        assert state(page)["now"] == pytest.approx(clock)
    page.keyboard.press("ArrowLeft")
    assert state(page)["now"] == pytest.approx(0.2)
    page.keyboard.press("Shift+ArrowRight")
    assert state(page)["now"] == pytest.approx(0.26)
    page.keyboard.press("End")
    assert state(page)["now"] == pytest.approx(0.6)
    slow = state(page)["slow"]
    page.keyboard.press("]")
    assert state(page)["slow"] < slow
    page.keyboard.press("Home")
    page.keyboard.press("Space")
    assert state(page)["playing"]
    page.keyboard.press("Space")
    page.keyboard.press("?")
    assert page.locator("dialog[open]").is_visible()
    page.keyboard.press("Escape")


def test_the_scrubber_reaches_both_ends(page):
    slider = page.locator(".sr-controls input[type=range]")
    slider.focus()
    page.keyboard.press("End")
    assert state(page)["now"] == pytest.approx(0.6) and tokens_of(page, "autoregressive") == 6
    page.keyboard.press("Home")
    assert state(page)["now"] == 0
    assert slider.get_attribute("aria-valuetext") == "0.000 s of 0.600 s"


def test_finishes_are_marked_on_the_clock_and_said_in_words(page):
    """In the order in which they come in, however late a frame is."""
    titles = page.evaluate("Array.from(document.querySelectorAll('.sr-mark title'), (title) => title.textContent)")
    ends = {"Autoregressive": "0.600", "Chain (draft length 2)": "0.250", "Beams": "0.450"}
    assert titles == [f"{title} ends at {seconds} s" for title, seconds in ends.items()]
    page.evaluate("r.replay.clock.playing = true; r.replay.clock.now = 0.6; r.replay.show()")
    assert page.locator(".sr-replay [aria-live]").text_content() == (
        "Chain (draft length 2) is 1st: 6 tokens in 0.250 seconds. Beams is 2nd: 6 tokens in 0.450 seconds. "
        "Autoregressive is 3rd: 6 tokens in 0.600 seconds. All lanes have ended."
    )


def test_another_prompt_and_a_run_to_watch_are_asked_for(page):
    page.get_by_label("Prompt").select_option("1")
    lane(page, "chain").get_by_role("button", name="Watch this run of Chain (draft length 2)").click()
    assert page.evaluate("wishes") == [["prompt", 1], ["watch", "chain", 0]]
    second = race_value(place=1, lanes=lanes(chain=[plain_round(0.3, " x", 0)]))
    second["lanes"][1]["run"]["prompt"] = "<user>The second prompt<answer>"
    show(page, second)
    goto(page, 9)
    prompts = page.locator(".sr-prompt").all_text_contents()
    assert prompts == ["The king", "The second prompt", "The king"], "a message without its template"
    assert words(page, "chain") == " x" and page.get_by_label("Prompt").input_value() == "1"
    lane(page, "chain").get_by_role("button").click()
    assert page.evaluate("wishes.at(-1)") == ["watch", "chain", 1]
    show(page, race_value(race="other", prompts=["Only one"]))
    assert page.get_by_label("Prompt").is_hidden()
