"""The player in a real browser: what it shows at a step, how it is driven, and what it must never do."""

import copy
import json

import pytest

from tests.browser.player_harness import (
    PLAYER,
    chain_trace,
    committed,
    drafted,
    judged,
    mount_player,
    picture,
    run_started,
    scored,
    state,
    step_of,
    trace_of,
    tree_trace,
)

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "${alert(1)}",
    "{{constructor.constructor('alert(1)')()}}",
    "\ud800",
    "</script><script>alert(1)</script>",
]

FORBIDDEN = [
    "innerHTML",
    "outerHTML",
    "insertAdjacentHTML",
    "document.write",
    "eval(",
    "new Function",
    "import ",
    "://",
]


def settle(page) -> None:
    """Waits until nothing glides any more."""
    page.wait_for_function("() => p.tree.motion.frame === null")


def goto(page, step: int) -> None:
    page.evaluate("(step) => p.goto(step)", step)
    settle(page)


# -- what is shown at a step -------------------------------------------------------------------------------------------


def test_an_empty_player_says_so(page):
    mount_player(page)
    assert page.locator(".sp-waiting").inner_text().startswith("No run yet")
    assert state(page)["steps"] == 0


def test_every_event_becomes_its_steps(page):
    mount_player(page, chain_trace())
    kinds = page.evaluate("p.trace.steps.map((step) => step.kind)")
    one_round = ["drafted", "drafted", "scored", "judged", "judged", "committed"]
    assert kinds == ["start", *one_round, *one_round, "finished"]


def test_seeking_shows_a_known_state(page):
    mount_player(page, chain_trace())
    goto(page, step_of(page, "judged", 1, 1))
    seen = picture(page)
    assert [chip for chip in seen["chips"] if chip[0] >= 3] == [[3, "accepted", "·cat"], [4, "rejected", "·sat"]]
    assert "“sat” is rejected" in seen["caption"]
    assert seen["text"] == "The old house"
    goto(page, step_of(page, "committed", 1))
    seen = picture(page)
    assert [5, "correction", "·on"] in seen["chips"]
    assert seen["text"] == "The old house cat on"


def test_nothing_beyond_the_cursor_is_told(page):
    mount_player(page, chain_trace())
    goto(page, step_of(page, "drafted", 1, 1))
    page.evaluate("p.point(p.trace.rounds[0].nodes[1])")
    told = page.locator(".sp-details").inner_text()
    assert "0.800" in told
    assert "0.900" not in told
    assert "too high" not in told


def test_step_back_undoes_step_forward(page):
    mount_player(page, tree_trace())
    seen = []
    for step in range(state(page)["steps"]):
        goto(page, step)
        seen.append(picture(page))
    for step in reversed(range(len(seen) - 1)):
        page.evaluate("p.actions.step_back()")
        settle(page)
        assert picture(page) == seen[step], step


def test_totals_equal_the_numbers_computed_by_hand(page):
    """5 tokens in 2 calls: 2.5; 3 of 4 judged and of 4 drafted accepted: 0.75; 5 tokens in 0.25 s of decoding: 20."""
    mount_player(page, chain_trace())
    page.evaluate("p.actions.to_end()")
    totals = state(page)["totals"]
    assert totals["tokens"] == 5
    assert totals["rounds"] == totals["target_calls"] == 2
    assert totals["block_efficiency"] == 2.5
    assert totals["acceptance_rate"] == totals["draft_efficiency"] == 0.75
    assert totals["tokens_per_second"] == 20
    assert picture(page)["totals"] == ["5", "2", "2", "2.50", "75.0 %", "75.0 %", "20.0"]


def test_undefined_ratios_are_dashes(page):
    trace = trace_of(
        run_started(method="autoregressive", draft=None),
        scored(1, [2], [2], 2, ["1"], overlaps=[None], alternatives=[[[3, 0.6, None]]]),
        judged(1),
        committed(1, [3], [3], ["plain"], 0.1),
    )
    mount_player(page, trace)
    page.evaluate("p.actions.to_end()")
    assert picture(page)["totals"] == ["1", "1", "1", "1.00", "–", "–", "10.0"]
    assert [3, "plain", "·cat"] in picture(page)["chips"]


def test_a_node_drafted_twice_is_one_chip_with_its_multiplicity(page):
    mount_player(page, tree_trace())
    goto(page, step_of(page, "drafted", 1, 1))
    assert len([chip for chip in picture(page)["chips"] if chip[0] >= 3]) == 4
    assert page.locator(".sp-times").all_text_contents() == ["×2"]
    goto(page, step_of(page, "judged", 1, 1))
    told = page.locator(".sp-details").inner_text()
    assert "First draw refused." in told
    assert "Second draw refused." in told


def test_a_tree_shows_every_verdict(page):
    mount_player(page, tree_trace())
    goto(page, step_of(page, "unjudged", 1))
    states = {node: what for node, what, _ in picture(page)["chips"] if node >= 3}
    assert states == {3: "rejected", 4: "accepted", 5: "unjudged", 6: "rejected"}
    assert page.locator(".sp-claim").inner_text() == "LOSSY"


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
    settle(page)
    rows = page.evaluate(
        """[3, 4, 5, 6].map((id) =>
          Math.round(document.querySelector(`.sp-node[data-id='${id}']`).getBoundingClientRect().top))"""
    )
    assert rows[0] != rows[1]
    assert rows[2] != rows[3]


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
    mount_player(page, beams_trace())
    for _ in range(2):  # and again after going back
        goto(page, step_of(page, "committed", 1))
        assert picture(page)["text"] == "The old house cat"
        assert "2 beams live on" in picture(page)["caption"]
        goto(page, step_of(page, "committed", 2))
        seen = picture(page)
        assert seen["text"] == "The old house sat on"
        assert "another beam has overtaken" in seen["caption"].lower()
        assert state(page)["totals"]["tokens"] == 2
    goto(page, 0)
    assert picture(page)["text"] == "The old house"


def test_each_beam_has_a_row_and_lines_do_not_cross(page):
    """Node 5 hangs from the second beam: it stands below node 6, though it ranks first."""
    mount_player(page, beams_trace())
    page.evaluate("p.actions.to_end()")
    settle(page)
    rows = page.evaluate(
        """[3, 4, 5, 6].map((id) =>
          Math.round(document.querySelector(`.sp-node[data-id='${id}']`).getBoundingClientRect().top))"""
    )
    assert rows[0] < rows[1] and rows[3] < rows[2]


def test_the_mask_shows_the_call_or_says_why_not(page):
    mount_player(page, chain_trace())
    goto(page, step_of(page, "scored", 1))
    assert "2 cached tokens, visible to all" in page.locator(".sp-mask").inner_text()
    assert page.locator(".sp-mask .sp-cell").get_attribute("d").count("z") == 6
    goto(page, step_of(page, "scored", 2))
    assert "too large to record" in page.locator(".sp-mask").inner_text()


def test_pointing_at_a_word_shows_its_past_round(page):
    mount_player(page, chain_trace())
    page.evaluate("p.actions.to_end()")
    page.locator(".sp-word").nth(0).hover()
    told = page.locator(".sp-details").inner_text()
    assert "Round 1, layer 1" in told
    assert "p exceeds q." in told
    assert "0.400" in told
    page.locator(".sp-word").nth(0).click()
    assert state(page)["step"] == step_of(page, "judged", 1, 0)
    assert page.locator(".sp-unpin").is_visible()


# -- how it is driven --------------------------------------------------------------------------------------------------


def test_next_rejection_lands_on_a_rejected_judgement(page):
    mount_player(page, tree_trace())
    page.locator("[data-action=next_rejection]").click()
    landed = page.evaluate("[p.step.kind, p.step.verdict.outcome, p.step.verdict.node.id]")
    assert landed == ["judged", "rejected", 3]


def test_the_keyboard_alone_is_enough(page):
    mount_player(page, chain_trace())
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "spec-player"
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


def test_keys_typed_elsewhere_are_left_alone(page):
    mount_player(page, chain_trace())
    page.evaluate("document.body.appendChild(document.createElement('input')).focus()")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("n")
    assert state(page)["step"] == 0


def test_arrows_move_between_words(page):
    mount_player(page, chain_trace())
    page.evaluate("p.actions.to_end()")
    page.locator('.sp-word[tabindex="0"]').focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.textContent") == " on"
    assert "correction token" in page.locator(".sp-details").inner_text()
    assert page.locator('.sp-word[tabindex="0"]').count() == 1
    page.keyboard.press("Enter")
    assert state(page)["round"] == 1


def test_the_scrubber_is_the_cursor(page):
    mount_player(page, chain_trace())
    page.locator(".sp-range").fill("6")
    assert state(page)["step"] == 6
    assert page.locator(".sp-range").get_attribute("aria-valuetext") == "Step 7 of 14, Round 1"


def test_play_reaches_the_end_and_stops(page):
    mount_player(page, chain_trace())
    page.locator(".sp-speed").select_option("16")
    page.locator(".sp-play").click()
    page.wait_for_function("() => { const s = p.state(); return !s.playing && s.step === s.steps - 1; }")


def test_a_live_run_is_followed_until_the_reader_takes_over(page):
    mount_player(page)
    events = chain_trace()["events"]
    page.evaluate("p.begin()")
    assert page.locator(".sp-waiting").inner_text().startswith("Waiting for the first round")
    page.evaluate("(events) => p.append(events)", events[:3])
    assert state(page)["step"] == 1, "the first tree stands at once"
    assert state(page)["following"]
    assert page.locator(".sp-live").is_visible()
    page.evaluate("(events) => { for (const event of events) p.append([event]); }", events[3:])
    page.evaluate("p.finish()")
    page.wait_for_function("() => p.state().step === 13 && !p.state().following")
    assert picture(page)["text"].startswith("The old house cat on")

    page.evaluate("p.begin()")
    page.evaluate("(events) => p.append(events)", events[:6])
    page.locator("[data-action=step_back]").click()
    assert not state(page)["following"]
    assert not state(page)["playing"]
    page.locator(".sp-live").click()
    assert state(page)["following"]
    assert state(page)["step"] == state(page)["steps"] - 1


def test_reduced_motion_means_no_autoplay_and_no_glide(open_page):
    page = open_page(reduced_motion="reduce")
    mount_player(page, chain_trace(), autoplay=True)
    assert not state(page)["playing"]
    assert state(page)["step"] == 0
    page.locator("[data-action=step_forward]").click()
    assert page.evaluate("p.tree.motion.frame") is None
    at = page.evaluate("(() => { const t = p.tree.drawn.get(3).thing; return [t.at, t.to]; })()")
    assert at[0] == at[1]


def test_autoplay_plays(page):
    mount_player(page, chain_trace(), autoplay=True)
    page.wait_for_function("() => p.state().playing && p.state().step > 0")


def test_listeners_hear_the_cursor(page):
    mount_player(page, chain_trace())
    page.evaluate("window.heard = []; p.on('cursor', (state) => heard.push(state.step)); p.goto(3)")
    assert page.evaluate("heard") == [3]


def test_a_round_is_told_once_to_screen_readers(page):
    mount_player(page, chain_trace())
    goto(page, step_of(page, "committed", 1))
    assert (
        page.locator(".sp-visually-hidden[aria-live=polite]").text_content()
        == "Round 1: 2 drafted, 1 accepted. Emitted: cat on"
    )


# -- how it looks ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("trace", [chain_trace(), tree_trace()], ids=["chain", "tree"])
@pytest.mark.parametrize("width", [320, 390, 768, 1280])
def test_nothing_overflows_the_page(open_page, width, trace):
    page = open_page(width=width, height=844)
    mount_player(page, trace)
    for step in range(state(page)["steps"]):
        page.evaluate("(step) => p.goto(step)", step)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, step


def test_touch_targets_are_large_enough(open_page):
    page = open_page(width=390, height=844, has_touch=True)
    mount_player(page, chain_trace())
    sizes = page.evaluate(
        """Array.from(document.querySelectorAll('.sp-controls :is(button, select):not([hidden])'),
          (control) => [control.offsetWidth, control.offsetHeight])"""
    )
    assert all(width >= 40 and height >= 40 for width, height in sizes), sizes


def test_the_stage_keeps_its_height(page):
    mount_player(page, tree_trace())
    heights = set()
    for step in range(state(page)["steps"]):
        page.evaluate("(step) => p.goto(step)", step)
        heights.add(page.evaluate("document.querySelector('.sp-stage').offsetHeight"))
    assert len(heights) == 1


@pytest.mark.parametrize(("scheme", "css_class"), [("dark", False), ("light", True)])
def test_dark_pages_get_light_ink(open_page, scheme, css_class):
    """By the system on a page of its own, by the class `dark` inside Gradio."""
    page = open_page(color_scheme=scheme)
    mount_player(page, chain_trace(), dark=css_class)
    page.evaluate("document.body.style.background = '#000'")
    lightness = page.evaluate(
        """() => { const c = document.createElement('canvas').getContext('2d');
          c.fillStyle = getComputedStyle(document.querySelector('.sp-title')).color; c.fillRect(0, 0, 1, 1);
          return c.getImageData(0, 0, 1, 1).data[0]; }"""
    )
    assert lightness > 200


def test_a_hidden_player_draws_when_it_is_shown(page):
    mount_player(page)
    page.evaluate("document.getElementById('host').style.display = 'none'")
    page.evaluate("(trace) => { p.load(trace, {}); p.goto(6); }", chain_trace())
    page.evaluate("document.getElementById('host').style.display = ''")
    page.wait_for_function(
        """() => { const width = document.querySelector('.sp-stage').clientWidth;
          return width > 0 && p.tree.width === width; }"""
    )


def test_charts_without_plotly_are_tables(page):
    mount_player(page, chain_trace())
    chart = {"id": "a", "title": "Accepted", "summary": "per round", "figure": {"data": [], "layout": {}},
             "rows": {"header": ["round", "accepted"], "body": [[1, 1], [2, None]]}}  # fmt: skip
    page.evaluate("(chart) => { p.setFigures([chart]); p.setFigures([chart]); }", chart)
    assert page.locator(".sp-table td").all_inner_texts() == ["1", "1", "2", "–"]


def test_chart_markers_follow_the_cursor(page):
    mount_player(page, chain_trace())
    page.evaluate(
        """() => { window.calls = []; window.Plotly = { react: (div, data, layout, config) => calls.push(config),
             relayout: (div, change) => calls.push(change.shapes.map((shape) => shape.x0)), purge() {} }; }"""
    )
    chart = {"id": "a", "title": "A", "summary": "", "figure": {"data": [], "layout": {"meta": {"axis": "round"}}}}
    page.evaluate("(chart) => { p.setFigures([chart]); p.goto(8); }", chart)
    page.wait_for_function("() => JSON.stringify(calls.at(-1)) === '[2]'")
    assert page.evaluate("calls[0]")["showSendToCloud"] is False


# -- what it must never do ---------------------------------------------------------------------------------------------


def poisoned(value, poison: str):
    """The trace with every string a reader could see replaced."""
    if isinstance(value, dict):
        keep = {"event", "outcomes", "origins", "mask", "format", "fed"}
        return {key: item if key in keep else poisoned(item, poison) for key, item in value.items()}
    if isinstance(value, list):
        return [poisoned(item, poison) for item in value]
    return poison if isinstance(value, str) else value


@pytest.mark.parametrize("poison", HOSTILE)
def test_hostile_strings_stay_text(page, poison):
    mount_player(page)
    # Through JSON, as a file comes: a lone surrogate cannot cross any other way.
    page.evaluate("(json) => p.load(JSON.parse(json), {})", json.dumps(poisoned(tree_trace(), poison)))
    chart = {"id": "a", "title": poison, "summary": poison, "rows": {"header": [poison], "body": [[poison]]}}
    page.evaluate("(json) => p.setFigures(JSON.parse(json))", json.dumps([chart]))
    for step in range(state(page)["steps"]):
        page.evaluate("(step) => p.goto(step)", step)
        page.evaluate("p.trace.rounds.forEach((round) => round.nodes.forEach((node) => p.point(node)))")
    page.evaluate("(json) => p.error(JSON.parse(json))", json.dumps(poison))
    assert page.locator(".spec-player :is(img, script, iframe)").count() == 0
    assert "SpecInfer" not in page.locator(".sp-title").inner_text()


def damaged() -> list:
    def change(index: int, **fields):
        trace = copy.deepcopy(chain_trace())
        trace["events"][index] |= fields
        return trace

    missing = copy.deepcopy(chain_trace())
    del missing["events"][4]["coins"]
    return [
        (None, "not a trace"),
        ({"format": "speculative-decoding-trace", "version": 2, "events": []}, "version 2"),
        ({"format": "speculative-decoding-trace", "version": 1, "events": "x"}, "not a trace"),
        (missing, "judged.coins"),
        (change(4, nodes=[3]), "different lengths"),
        (change(1, parents=[99]), "node 99"),
        (change(6, round=1), "after round 1"),
        (change(3, mask=["1"]), "different lengths"),
        (change(2, event="exploded"), "unknown event exploded"),
        (change(5, origins=["stolen", "bonus"]), "committed.origins"),
        (trace_of(chain_trace()["events"][1]), "before the run started"),
    ]


@pytest.mark.parametrize(("trace", "sentence"), damaged(), ids=[sentence for _, sentence in damaged()])
def test_a_damaged_trace_gives_a_sentence(page, trace, sentence):
    mount_player(page, chain_trace())
    page.evaluate("(trace) => p.load(trace, {autoplay: true})", trace)
    assert sentence in page.locator(".sp-error").inner_text()
    for action in ["to_end", "step_back", "next_rejection", "restart"]:
        page.evaluate("(action) => p.actions[action]()", action)


def test_an_error_keeps_what_is_drawn(page):
    mount_player(page, chain_trace())
    goto(page, 5)
    before = picture(page)
    page.evaluate("p.error('The device is busy.')")
    assert page.locator(".sp-error").inner_text() == "The device is busy."
    assert picture(page) == before


def test_mounting_twice_is_mounting_once(page):
    mount_player(page, chain_trace())
    assert page.evaluate("specPlayer.mount(document.getElementById('host')) === p")
    assert page.locator(".spec-player").count() == 1


def test_a_round_of_500_nodes_stays_usable(page):
    """Dots instead of chips; seeking usually takes under a quarter of a second even on a loaded machine."""
    width = 250
    first = list(range(3, 3 + width))
    second = list(range(3 + width, 3 + 2 * width))
    trace = trace_of(
        run_started(),
        drafted(1, 1, [2] * width, first, [3] * width, [0.1] * width),
        drafted(1, 2, first, second, [4] * width, [0.1] * width),
        scored(1, [2], [2], 2, None),
        judged(1, *[(node, "rejected", 0.1, 0.2, 0.5, 0.9, "Refused.") for node in first[:20]]),
        committed(1, [900], [8], ["correction"], 0.1),
    )
    mount_player(page, trace)
    usual = page.evaluate(
        """() => { const times = []; const last = p.state().steps - 1;
          for (let i = 0; i <= 20; i++) {
            const before = performance.now();
            p.goto(i % 2 ? last - i : i);
            times.push(performance.now() - before);
          }
          return times.sort((a, b) => a - b)[10]; }"""
    )
    assert usual < 250
    assert page.locator(".sp-dot").count() > 400


def test_the_files_keep_the_house_rules():
    """No markup from data, no modules, every file listed and short enough to be read in one go."""
    manifest = json.loads((PLAYER / "manifest.json").read_text())
    listed = manifest["scripts"] + manifest["styles"]
    files = [path for path in PLAYER.rglob("*") if path.suffix in {".js", ".css"}]
    assert sorted(listed) == sorted(path.relative_to(PLAYER).as_posix() for path in files)
    for name in listed:
        source = (PLAYER / name).read_text()
        assert len(source.splitlines()) <= 400, name
        for forbidden in FORBIDDEN:
            assert forbidden not in source.replace("http://www.w3.org/2000/svg", ""), (name, forbidden)
