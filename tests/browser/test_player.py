"""The player in a real browser: what it shows at a step, and how it is driven."""

import gzip
import json

import pytest

from playground.paths import ASSETS
from tests.browser.player_harness import (
    MODEL,
    chain_trace,
    committed,
    drafted,
    judged,
    mount_player,
    picture,
    rest_at,
    run_started,
    scored,
    settle,
    state,
    step_of,
    trace_of,
    tree_trace,
)


@pytest.fixture
def page(page):
    mount_player(page, chain_trace())
    return page


def rows_of(page, *nodes: int) -> list[int]:
    """Where they stand from top to bottom."""
    settle(page)
    return page.evaluate(
        """(nodes) => nodes.map((id) =>
          Math.round(document.querySelector(`.sp-node[data-id='${id}']`).getBoundingClientRect().top))""",
        list(nodes),
    )


def test_an_empty_player_says_so_and_every_event_of_a_run_becomes_its_steps(page):
    kinds = page.evaluate("p.trace.steps.map((step) => step.kind)")
    one_round = ["drafted", "drafted", "scored", "verified", "verified", "committed"]
    assert kinds == ["start", *one_round, *one_round, "finished"]
    mount_player(page)
    assert page.locator(".sp-waiting").inner_text().startswith("No run yet") and state(page)["steps"] == 0


def test_seeking_shows_a_known_state(page):
    rest_at(page, step_of(page, "verified", 1, 1))
    seen = picture(page)
    assert [chip for chip in seen["chips"] if chip[0] >= 3] == [[3, "accepted", "·cat"], [4, "rejected", "·sat"]]
    assert "“sat” is rejected" in seen["caption"]
    assert seen["text"] == "The old house"
    rest_at(page, step_of(page, "committed", 1))
    seen = picture(page)
    assert [5, "correction", "·on"] in seen["chips"]
    assert seen["text"] == "The old house cat on"


def test_nothing_beyond_the_cursor_is_told(page):
    rest_at(page, step_of(page, "drafted", 1, 1))
    page.evaluate("p.point(p.trace.rounds[0].nodes[1])")
    told = page.locator(".sp-details").inner_text()
    assert "0.800" in told and "0.900" not in told and "too high" not in told


def test_a_kept_token_of_a_later_round_stands_as_when_it_was_drafted(page):
    """Not as the verdicts of the round under the cursor would count for it, nor with numbers of a call to come."""
    later = "p.trace.rounds[1].nodes.find((node) => node.draws.length)"
    page.evaluate(f"p.keep({later})")
    for step in (0, step_of(page, "verified", 1, 1), step_of(page, "committed", 1)):
        rest_at(page, step)
        told = page.locator(".sp-details").inner_text()
        assert "not yet tested" in told and "p equals q" not in told, (step, told)
        assert not page.locator(".sp-details .sp-to-lab").count()
    rest_at(page, step_of(page, "committed", 2))
    assert "p equals q" in page.locator(".sp-details").inner_text()


def test_only_the_tokens_of_the_round_that_was_just_committed_are_marked_as_new(page):
    mount_player(page, json.loads(gzip.decompress((ASSETS / "traces" / "autoregressive.json.gz").read_bytes())))
    rest_at(page, step_of(page, "committed", 1))
    new = "Array.from(p.root.querySelectorAll('.sp-new'), (word) => word.textContent)"
    first = page.evaluate(new)
    assert len(first) == 1 and first == [page.evaluate("p.trace.rounds[0].committed[0].piece")]
    page.evaluate("p.goto(p.trace.rounds[59].lastStep)")  # forty tokens and more beyond
    assert page.evaluate(new + ".length") == 1 and page.evaluate(new) != first


def test_step_back_undoes_step_forward(page):
    mount_player(page, tree_trace())
    seen = []
    for step in range(state(page)["steps"]):
        rest_at(page, step)
        seen.append(picture(page))
    for step in reversed(range(len(seen) - 1)):
        page.evaluate("p.actions.step_back()")
        settle(page)
        assert picture(page) == seen[step], step


def test_totals_equal_the_numbers_computed_by_hand_and_undefined_ratios_are_dashes(page):
    """5 tokens in 2 calls: 2.5; 3 of 4 judged and of 4 drafted accepted: 0.75; 5 tokens in 0.25 s of decoding: 20."""
    page.evaluate("p.actions.to_end()")
    totals = state(page)["totals"]
    assert totals["tokens"] == 5
    assert totals["rounds"] == totals["target_calls"] == 2
    assert totals["block_efficiency"] == 2.5
    assert totals["acceptance_per_position"] == totals["draft_efficiency"] == 0.75
    assert totals["tokens_per_second"] == 20
    assert picture(page)["totals"] == ["5", "2", "2", "2.50", "75.0 %", "75.0 %", "75.0 %", "20.0"]
    plain = trace_of(
        run_started(method="autoregressive", draft=None),
        scored(1, [2], [2], 2, ["1"], overlaps=[None], alternatives=[[[3, 0.6, None]]]),
        judged(1),
        committed(1, [3], [3], ["plain"], 0.1),
    )
    mount_player(page, plain)
    page.evaluate("p.actions.to_end()")
    assert picture(page)["totals"] == ["1", "1", "1", "1.00", "–", "–", "–", "10.0"]
    assert [3, "plain", "·cat"] in picture(page)["chips"]


def test_a_tree_shows_every_verdict_and_a_node_drafted_twice_as_one_chip_with_its_multiplicity(page):
    mount_player(page, tree_trace())
    rest_at(page, step_of(page, "drafted", 1, 1))
    assert len([chip for chip in picture(page)["chips"] if chip[0] >= 3]) == 4
    assert page.locator(".sp-times").all_text_contents() == ["×2"]
    rest_at(page, step_of(page, "verified", 1, 1))
    told = page.locator(".sp-details").inner_text()
    assert "First draw refused." in told and "Second draw refused." in told
    rest_at(page, step_of(page, "not_tested", 1))
    states = {node: what for node, what, _ in picture(page)["chips"] if node >= 3}
    assert states == {3: "rejected", 4: "accepted", 5: "not_tested", 6: "rejected"}
    assert page.locator(".sp-claim").inner_text() == "LOSSY"


def test_the_panel_shows_p_before_the_settings_and_strikes_out_what_they_removed(page):
    """Of raw probabilities .5, .4 and .1 the settings leave one token, with all of p."""
    raw = {"alternatives": [[[3, 1, None]]], "raw_probs": [[[5, 0.5], [3, 0.4], [8, 0.1]]], "overlaps": [None]}
    plain = run_started(method="autoregressive", draft=None)
    mount_player(
        page, trace_of(plain, scored(1, [2], [2], 2, ["1"], **raw), judged(1), committed(1, [3], [3], ["plain"], 0.1))
    )
    page.evaluate("p.actions.to_end()")
    page.locator(".sp-node[data-id='3']").dispatch_event("click")
    bars = page.locator(".sp-alternative .sp-bar").evaluate_all(
        "bars => bars.map((bar) => [bar.className, bar.style.width])"
    )
    assert bars == [["sp-bar sp-raw", "40%"], ["sp-bar sp-p", "100%"]]
    assert page.locator(".sp-removed").all_text_contents() == ["·on 0.500", ". 0.100"]


def test_the_facts_say_by_which_pass_the_models_ran(page):
    given_up = "lean, not in CUDA graphs: they differ"
    compiled, draft = MODEL | {"forward_pass": "lean, compiled"}, MODEL | {"forward_pass": given_up}
    mount_player(page, trace_of(run_started(target=compiled, draft=draft)))
    facts = page.locator(".sp-fact-list").text_content() or ""
    assert "Forward pass" in facts
    assert "the playground's own, compiled for this processor" in facts
    assert given_up in facts


def test_a_forest_starts_from_several_frontier_nodes(page):
    trace = trace_of(
        run_started(),
        drafted(1, 1, [2, 2], [3, 4], [3, 5], [0.5, 0.1]),
        scored(1, [2], [2], 2, ["1"]),
        judged(1, (3, "accepted", 0.6, 0.5, 1.0, 0.4, "kept"), (4, "accepted", 0.3, 0.1, 1.0, 0.4, "kept")),
        committed(1, [3], [3], ["accepted"], 0.1, frontier=[3, 4]),
        drafted(2, 1, [3, 4], [5, 6], [4, 7], [0.5, 0.1]),
    )
    mount_player(page, trace)
    page.evaluate("p.actions.to_end()")
    rows = rows_of(page, 3, 4, 5, 6)
    assert rows[0] != rows[1] and rows[2] != rows[3]


def beams_trace():
    """Two beams, two rounds: " cat" leads, then " sat" overtakes with " on", and " cat." is second."""
    return trace_of(
        run_started(draft=None),
        scored(1, [2], [2], 2, ["1"]),
        judged(1),
        committed(
            1, [3, 4], [3, 4], ["plain", "plain"], 0.1,
            extra_prob=None, text=" cat", parents=[2, 2], frontier=[3, 4], best=3, kept=0,
        ),
        scored(2, [3, 4], [3, 4], 3, ["10", "01"]),
        judged(2),
        committed(
            2, [5, 6], [5, 8], ["plain", "plain"], 0.2,
            extra_prob=None, text=" sat on", parents=[4, 3], frontier=[5, 6], best=5, kept=0,
        ),
    )  # fmt: skip


def test_the_text_is_the_best_beams_and_is_rewritten_when_another_overtakes(page):
    """A braid: node 5 hangs from the second beam, and stands above node 6, as it ranks first."""
    mount_player(page, beams_trace())
    for _ in range(2):  # and again after going back
        rest_at(page, step_of(page, "committed", 1))
        assert picture(page)["text"] == "The old house cat"
        assert "2 beams continue" in picture(page)["caption"]
        rest_at(page, step_of(page, "committed", 2))
        seen = picture(page)
        assert seen["text"] == "The old house sat on"
        assert "another beam has overtaken" in seen["caption"].lower()
        assert state(page)["totals"]["tokens"] == 2
    rows = rows_of(page, 3, 4, 5, 6)
    assert rows[0] < rows[1] and rows[2] < rows[3]
    assert abs(rows[0] - rows[2]) <= 8  # a badge stands above the chip of the last
    rest_at(page, 0)
    assert picture(page)["text"] == "The old house"


def test_the_mask_shows_the_call_or_says_why_not(page):
    rest_at(page, step_of(page, "scored", 1))
    assert "2 cached tokens, visible to all" in page.locator(".sp-mask").inner_text()
    assert page.locator(".sp-mask .sp-cell").get_attribute("d").count("z") == 6
    rest_at(page, step_of(page, "scored", 2))
    assert "too large to record" in page.locator(".sp-mask").inner_text()


def test_the_mask_is_drawn_for_the_room_that_it_has_as_soon_as_it_is_seen(page):
    rest_at(page, step_of(page, "scored", 1))
    page.evaluate("p.side.open('mask')")
    narrow = page.evaluate("[p.mask.room, p.mask.root.clientWidth]")
    page.evaluate("p.widen()")
    settle(page)
    wide = page.evaluate("[p.mask.room, p.mask.root.clientWidth]")
    assert narrow[0] == narrow[1] < wide[0] == wide[1]


def test_pointing_at_a_word_shows_its_past_round(page):
    page.evaluate("p.goto(p.trace.steps.length - 2)")  # at the end itself the text is on the stage
    page.locator(".sp-word").nth(0).hover()
    told = page.locator(".sp-details").inner_text()
    assert all(each in told for each in ("Round 1, depth 1", "p exceeds q.", "0.400"))
    page.locator(".sp-word").nth(0).click()
    assert state(page)["step"] == step_of(page, "verified", 1, 0)
    assert page.locator(".sp-unpin").is_visible()


def test_next_rejection_lands_on_a_rejected_judgement(page):
    mount_player(page, tree_trace())
    page.locator("[data-action=next_rejection]").click()
    landed = page.evaluate("[p.step.kind, p.step.verdict.outcome, p.step.verdict.node.id]")
    assert landed == ["verified", "rejected", 3]


def test_the_keyboard_alone_is_enough(page):
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement === p.root")
    for key, step in [("ArrowRight", 1), (".", 2), (",", 1), ("ArrowLeft", 0), ("n", 5), ("Shift+ArrowRight", 7),
                      ("Shift+ArrowLeft", 1), ("End", 13), ("Home", 0)]:  # fmt: skip
        page.keyboard.press(key)
        assert state(page)["step"] == step, key
    page.keyboard.press("]")
    assert state(page)["speed"] == 2
    page.keyboard.press("[")
    page.keyboard.press("k")
    assert state(page)["playing"]
    page.keyboard.press("Space")
    assert not state(page)["playing"]
    page.keyboard.press("?")
    assert page.locator(".sp-help").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator(".sp-help").is_visible()
    page.locator(".sp-timeline-range").fill("6")
    assert state(page)["step"] == 6
    assert page.locator(".sp-timeline-range").get_attribute("aria-valuetext") == "Step 7 of 14, Round 1"
    page.evaluate("document.body.appendChild(document.createElement('input')).focus()")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("n")
    assert state(page)["step"] == 6, "keys typed elsewhere are left alone"


def test_arrows_move_between_words(page):
    page.evaluate("p.goto(p.trace.steps.length - 2)")  # at the end itself the text is on the stage
    page.locator('.sp-word[tabindex="0"]').focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.textContent") == " on"
    assert "correction token" in page.locator(".sp-details").inner_text()
    assert page.locator('.sp-word[tabindex="0"]').count() == 1
    page.keyboard.press("Enter")
    assert state(page)["round"] == 1


def test_a_live_run_is_followed_until_the_reader_takes_over(page):
    mount_player(page)
    events = chain_trace()["events"]
    page.evaluate("p.begin()")
    assert page.locator(".sp-waiting").inner_text().startswith("Waiting for the first round")
    step = page.evaluate("(events) => { p.append(events); return p.state().step; }", events[:3])
    assert step == 1, "the first tree stands at once"
    assert state(page)["following"] and page.locator(".sp-live").is_visible()
    page.evaluate("(events) => { for (const event of events) p.append([event]); }", events[3:])
    page.evaluate("p.finish()")
    page.wait_for_function("() => p.state().step === 13 && !p.state().following")
    assert picture(page)["text"].startswith("The old house cat on")

    page.evaluate("p.begin()")
    page.evaluate("(events) => p.append(events)", events[:6])
    page.locator("[data-action=step_back]").click()
    assert not state(page)["following"] and not state(page)["playing"]
    page.locator(".sp-live").click()
    assert state(page)["following"] and state(page)["step"] == state(page)["steps"] - 1


def test_reduced_motion_means_no_autoplay_and_no_glide(page):
    page.emulate_media(reduced_motion="reduce")
    mount_player(page, chain_trace(), autoplay=True)
    assert not state(page)["playing"] and state(page)["step"] == 0
    page.locator("[data-action=step_forward]").click()
    assert page.evaluate("p.tree.motion.frame") is None
    at = page.evaluate("(() => { const t = p.tree.drawn.get(3).thing; return [t.at, t.to]; })()")
    assert at[0] == at[1]


def test_autoplay_plays_to_the_end_and_stops(page):
    mount_player(page, chain_trace(), autoplay=True)
    page.wait_for_function("() => p.state().playing && p.state().step > 0")
    page.evaluate("p.actions.speed(16)")
    page.wait_for_function("() => { const s = p.state(); return !s.playing && s.step === s.steps - 1; }")


def test_listeners_hear_whatever_changes_what_is_seen(page):
    page.evaluate("p.on('seen', () => { window.heard = [p.step.index, p.pinned?.key, p.side.shown]; })")
    for wish, heard in (
        ("p.goto(3)", [3, None, "token"]),
        ("p.pin(p.trace.rounds[0].nodes[0])", [3, 3, "token"]),
        ("p.side.open('mask')", [3, 3, "mask"]),
    ):
        page.evaluate(wish)
        assert page.evaluate("heard") == heard


def test_a_round_is_told_once_to_screen_readers(page):
    rest_at(page, step_of(page, "committed", 1))
    told = page.locator(".sp-visually-hidden[aria-live=polite]").text_content()
    assert told == "Round 1: 2 drafted, 1 accepted. Emitted: cat on"
