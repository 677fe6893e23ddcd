"""The tour: stops on the run that is there, told with its own numbers, whatever the method."""

import json
import re

from playground.paths import ASSETS
from playground.trace.storage import event_to_dict, load
from playground.words import english
from tests.browser.lens_traces import recorded
from tests.browser.player_harness import (
    chain_trace,
    committed,
    mount_player,
    run_finished,
    run_started,
    state,
    trace_of,
)
from tests.browser.player_harness import load as load_run
from tests.languages import CODES, table

RECORDED = [each["file"] for each in json.loads((ASSETS / "traces/index.json").read_text())]


def shown(page) -> tuple[str, str, str, int]:
    """Title, place, text and the step that it goes to."""
    words = [page.locator(f".sp-tour-{part}").inner_text() for part in ("title", "place", "text")]
    return (*words, state(page)["step"])


def test_a_tour_goes_through_a_run_by_the_keyboard_and_back(page):
    mount_player(page, chain_trace())
    page.locator(".sp-play").focus()
    page.keyboard.press("t")
    seen = [shown(page)]
    for _ in range(4):
        page.keyboard.press("Enter")
        seen.append(shown(page))
    kinds = page.evaluate("(steps) => steps.map((step) => p.trace.steps[step].kind)", [step for *_, step in seen])
    assert kinds == ["drafted", "scored", "verified", "committed", "finished"]
    assert [place for _, place, _, _ in seen] == [f"{number} of 5" for number in range(1, 6)]
    texts = [text for _, _, text, _ in seen]
    assert texts[0].startswith("The draft model wrote 2 tokens in 2.0 ms, one by one: “cat”, “sat”.")
    assert "10 ms, gave probabilities at 3 positions: after the text and every draft." in texts[1]
    assert "“sat” the target gives p = 0.200, the draft gave q = 0.800" in texts[2], "a random number that decides"
    assert "accepted with probability 0.250. The random number is u = 0.900" in texts[2]
    assert texts[3].startswith("“sat” was rejected, and the target wrote “on” itself.")
    assert texts[4].startswith("5 tokens in 2 calls of the target model, where plain decoding needs 5.")
    page.locator(".sp-tour-back").click()
    assert shown(page) == seen[3]
    assert page.locator(".sp-tour-lit").count() == 1
    page.keyboard.press("Escape")
    assert page.locator(".sp-tour").is_hidden() and page.locator(".sp-tour-lit").count() == 0
    assert page.evaluate("document.activeElement.dataset.action") == "play"


def test_recorded_runs_have_a_tour(page):
    """One in three of them; all have one of the same kinds."""
    mount_player(page)
    for name in RECORDED[1::3]:
        events = [event_to_dict(event) for event in load(ASSETS / "traces" / name).events]
        load_run(page, trace_of(*events))
        stops = page.evaluate("p.tour.open(), p.tour.stops")
        drafts = any(event["event"] == "drafted" for event in events)
        assert stops[-1]["name"] == "sum" and len(stops) == (5 if drafts else 2), name
        assert [stop["step"] for stop in stops] == sorted({stop["step"] for stop in stops})
        for stop in stops:
            assert not re.search(r"[{}]|undefined|NaN|null|tour_|[^.?]$", stop["text"]), (name, stop)


def test_no_stop_moves_the_stage(page):
    mount_player(page, recorded("rsd_s", length=12))
    page.evaluate("p.tour.open()")
    boxes = page.evaluate(
        """p.tour.stops.map((_, place) => {
          p.tour.visit(place);
          return JSON.stringify(['scene', 'foot'].map((part) => document.querySelector('.sp-' + part).getBoundingClientRect()));
        })"""  # noqa: E501
    )
    assert len(boxes) == 5 and len(set(boxes)) == 1


def test_callouts_cover_no_token_and_stand_whole_on_the_stage_also_after_a_draw(page):
    """A draw lies over them, and at the next step they are placed while it is still there."""
    mount_player(page)
    events = [event_to_dict(event) for event in load(ASSETS / "traces" / "rsd_s.json.gz").events]
    load_run(page, trace_of(*events))
    seen = page.evaluate(
        """() => {
          p.callouts.touched = false;
          p.callouts.offer(true);
          const seen = [];
          for (let step = 1; step < 16; step++) {
            p.goto(step);
            const boxes = [...p.tree.boxes().values()];
            for (const label of document.querySelectorAll('.sp-callout-on')) {
              const [left, top] = label.style.transform.match(/[0-9]+/g).map(Number);
              const [right, bottom] = [left + label.offsetWidth, top + label.offsetHeight];
              const covers = boxes.some((b) => b.left < right && left < b.right && b.top < bottom && top < b.bottom);
              seen.push([step, p.step.kind, label.offsetWidth, covers, right > p.tree.width || bottom > p.tree.height]);
            }
          }
          return seen;
        }"""
    )
    assert len(seen) > 6 and "not_tested" in {kind for _, kind, *_ in seen}
    assert [each for each in seen if not each[2] or each[3] or each[4]] == []


def test_no_headline_is_cut_in_any_language_at_any_width_beside_the_panel_or_not(page):
    """Its letters shrink to 17 px, then it takes further lines."""
    mount_player(page, chain_trace())
    tables = [english("player/tour"), *map(table, CODES)]
    promises = ("lead_lossless", "lead_sampled", "lead_lossy")
    headlines = [
        f"{words[kind]} {words[each]}" for words in tables for kind in ("lead_draft", "lead_free") for each in promises
    ]
    headlines += [words["lead_plain"] for words in tables]
    for width, height in ((1280, 720), (1024, 768), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        for is_open in (True, False):
            cut = page.evaluate(
                """([headlines, isOpen]) => (p.openPanel(isOpen), headlines.filter((headline) => {
                  p.lead.write(headline);
                  const [line, said] = [p.lead.root, p.lead.said].map((each) => each.getBoundingClientRect());
                  return p.lead.root.scrollWidth > p.lead.root.clientWidth || said.bottom > line.bottom + 4 ||
                    said.right > line.right + 1 || parseFloat(getComputedStyle(p.lead.said).fontSize) < 17;
                }))""",
                [headlines, is_open],
            )
            assert len(headlines) == 42 and cut == [], (width, is_open)


def test_a_text_that_ended_at_once_says_so_and_is_asked_for_as_a_message_and_not_raced(page):
    mount_player(page)
    page.evaluate(
        """p.ending.offer({prompt() {}, race() {}, chat: () => (window.asked = true), mayChat: () => window.may});
        p.openPanel(false)"""
    )
    buttons = page.locator(".sp-end-do:visible")
    only_end = committed(1, [3], [3], ["plain"], 0.1, draft_s=0.0)
    for may_chat, expected in ((True, ["Ask again as a chat message"]), (False, ["Write your own prompt"])):
        page.evaluate("(may) => (window.may = may)", may_chat)
        load_run(page, trace_of(run_started(), only_end, run_finished(1, 1, finish_reason="eos")))
        page.evaluate("p.goto(p.playhead.last)")
        assert page.locator(".sp-end-note").inner_text().startswith("The text ended at once")
        assert buttons.all_inner_texts() == expected
    load_run(page, chain_trace())
    page.evaluate("p.goto(p.playhead.last)")
    assert page.locator(".sp-end-note").is_hidden()
    assert buttons.all_inner_texts() == ["Write your own prompt", "Race it against plain decoding"]
