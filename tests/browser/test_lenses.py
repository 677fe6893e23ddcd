"""The lenses in a real browser: what they say of a step, how the tree is linked with them, what cannot break them."""

import json
import re

import pytest

from tests.browser.lens_traces import (
    atspeed_trace,
    beam_width_trace,
    braid_trace,
    hostile_workings,
    mtad_trace,
    recorded,
    with_workings,
)
from tests.browser.player_harness import chain_trace, mount_player, state, step_of

# method -> the lenses its runs show
LENSES = {
    "speculative_sampling": ["stages"],
    "specinfer": ["stages"],
    "rsd_c": ["stages"],
    "rsd_s": ["stages"],
    "spectr": ["k_seq"],
    "importance_sampling": ["importance"],
    "block_verification": ["block"],
    "traversal_verification": ["traversal"],
    "bild": ["rollback"],
    "mtad": ["joint_ratio"],
    "typical_acceptance": ["typical"],
    "prompt_lookup": ["lookup"],
    "dynamic_tree": ["value_cut"],
    "sequoia": ["stages", "places"],
    "atspeed_strict": ["top_set", "braid"],
    "beam_search": ["braid"],
    "beam_sampling": ["braid"],
    "dsbd": ["beam_width", "braid"],
    "dsbd_one_cache": ["beam_width"],
    "atspeed_relaxed": ["relaxed", "braid"],
    "mtjd": ["joint_search", "braid"],
    "autoregressive": [],
}


def shown(page) -> list[str]:
    return page.evaluate("Array.from(document.querySelectorAll('.sp-lens'), (panel) => panel.dataset.lens)")


def sentence(page, lens: str) -> str:
    return page.locator(f"[data-lens={lens}] .sp-lens-sentence").inner_text()


def goto(page, step: int) -> None:
    page.evaluate("(step) => p.goto(step)", step)


def working(trace, kind: str) -> tuple[int, dict]:
    """The round and the fields of the first working of a kind."""
    return next(
        (event["round"], working)
        for event in trace["events"]
        for working in event.get("workings", [])
        if working["kind"] == kind
    )


# -- which lens, and that it always says something ---------------------------------------------------------------------


@pytest.mark.parametrize("method", LENSES)
def test_every_step_of_every_method_has_its_lens(page, method):
    """At every step: a sentence, no failure, and every text inside its picture."""
    trace = recorded(method)
    mount_player(page, trace)
    assert shown(page) == LENSES[method]
    for step in range(state(page)["steps"]):
        goto(page, step)
        for lens in LENSES[method]:
            told = sentence(page, lens)
            assert told[-1] in ".?" and not re.search(r"[{}]|could not|undefined|NaN", told), (step, told)
    outside = page.evaluate(
        """() => { const wrong = [];
          for (let i = 0; i < p.state().steps; i++) {
            p.goto(i);
            for (const text of document.querySelectorAll('.sp-lens-picture text')) {
              const [m, w] = [text.getBoundingClientRect(), text.ownerSVGElement.getBoundingClientRect()];
              const over = [w.left - m.left, m.right - w.right, w.top - m.top, m.bottom - w.bottom];
              if (Math.max(...over) > 2) wrong.push([i, text.textContent, ...over.map(Math.round)]);
            } }
          return wrong.slice(0, 5); }"""
    )
    assert not outside


@pytest.mark.parametrize("method", LENSES)
def test_no_lens_is_wider_than_a_phone(open_page, method):
    page = open_page(width=390, height=844, color_scheme="dark")
    mount_player(page, recorded(method, length=8))
    for step in range(state(page)["steps"]):
        goto(page, step)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, step


def test_every_symbol_has_its_entry_in_the_key(page):
    """The key stands in the page as text, next to a sign of its own."""
    mount_player(page, recorded("rsd_s"))
    goto(page, state(page)["steps"] - 1)
    entries = page.locator("[data-lens=stages] .sp-lens-key li").all_inner_texts()
    assert len(entries) >= 5 and all(len(entry) > 2 for entry in entries)
    assert any(entry.startswith("p:") for entry in entries) and any(entry.startswith("r:") for entry in entries)


def test_an_older_trace_without_workings_shows_no_lens_that_needs_them(page):
    for method in ("rsd_s", "spectr", "importance_sampling", "bild", "typical_acceptance", "dynamic_tree"):
        trace = recorded(method)
        for event in trace["events"]:
            event.pop("workings", None)
        mount_player(page, trace)
        page.evaluate("p.actions.to_end()")
        assert shown(page) == [], method


# -- what they say -----------------------------------------------------------------------------------------------------


def test_stages_show_the_rests_of_the_trace(page):
    trace = recorded("rsd_c", length=40)
    mount_player(page, trace)
    number, found = next(
        (event["round"], working)
        for event in trace["events"]
        for working in event.get("workings", [])
        if len(working["rests"]) > len(working["draws"])
    )
    goto(page, step_of(page, "committed", number))
    assert "Every draw after" in sentence(page, "stages")
    labels = page.locator("[data-lens=stages] :is(.sp-lens-item, .sp-lens-fact)[aria-label*=rejection]")
    told = [
        re.findall(r"[pr] ([\d.e−]+)", label) for label in labels.evaluate_all("(all) => all.map((e) => e.ariaLabel)")
    ]
    shown_rows = [[f"{value:.3f}" for value in row] for row in zip(*found["rests"], strict=True)][:-1]
    assert told == shown_rows


def test_nothing_beyond_the_cursor_is_told(page):
    """While the draft is under way no p, no rest and no chance is in the picture."""
    for method, lens in [("rsd_s", "stages"), ("spectr", "k_seq"), ("importance_sampling", "importance")]:
        mount_player(page, recorded(method))
        goto(page, step_of(page, "drafted", 1))
        assert (
            page.locator(f"[data-lens={lens}] .sp-lens-picture :is(.sp-fill-p, .sp-fill-rest, .sp-line-law)").count()
            == 0
        )
        assert page.locator(f"[data-lens={lens}] .sp-lens-picture .sp-fill-q").count() > 0
        goto(page, step_of(page, "scored", 1))
        assert page.locator(f"[data-lens={lens}] .sp-lens-picture .sp-fill-p").count() > 0


def test_k_seq_tells_what_its_factor_costs_and_gives(page):
    trace = recorded("spectr")
    number, found = working(trace, "k_seq")
    mount_player(page, trace)
    goto(page, step_of(page, "scored", number))
    told = sentence(page, "k_seq")
    assert f"ρ = {found['factor']:.2f}" in told
    assert f"{found['one']:.3f}" in told and f"{found['all']:.3f}" in told


def test_importance_tells_which_draw_was_selected(page):
    trace = recorded("importance_sampling")
    number, found = working(trace, "importance")
    mount_player(page, trace)
    goto(page, step_of(page, "judged", number))
    assert f"covers {found['all']:.3f} of p, where one draw covers {found['one']:.3f}" in sentence(page, "importance")
    selected = page.locator("[data-lens=importance] [aria-label$='it was selected']")
    assert selected.get_attribute("aria-label").startswith(f"Draw {found['selected'] + 1},")
    assert f"{found['chances'][found['selected']]:.3f}" in selected.get_attribute("aria-label")


def test_mtad_keeps_the_longest_prefix_past_a_shorter_one_that_fails(page):
    mount_player(page, mtad_trace())
    goto(page, step_of(page, "judged", 1, 1))
    assert "The first 2 together have P/Q = 0.4, not above τ = 0.5" in sentence(page, "joint_ratio")
    goto(page, step_of(page, "committed", 1))
    assert "3 of 4 tokens" in sentence(page, "joint_ratio") and "although a shorter prefix" in sentence(
        page, "joint_ratio"
    )
    glyphs = page.locator("[data-lens=joint_ratio] .sp-lens-picture .sp-badge").evaluate_all(
        "(all) => all.map((badge) => badge.getAttribute('class').match(/sp-is-(\\w+)/)[1])"
    )
    assert glyphs == ["accepted", "rejected", "accepted", "rejected"]
    assert page.locator("[data-lens=joint_ratio] .sp-lens-picture .sp-lens-bracket").count() == 1


def test_a_width_is_told_with_the_chance_that_reached_the_threshold(page):
    mount_player(page, beam_width_trace())
    goto(page, step_of(page, "judged", 1))
    told = sentence(page, "beam_width")
    assert "2 or more of them are accepted with probability 0.700, which reaches t = 0.7" in told and "W = 2" in told
    assert "Accepted:" not in told  # the layer is not over yet
    goto(page, step_of(page, "committed", 1))
    assert "Accepted: all 2. The layer is full" in sentence(page, "beam_width")
    labels = page.locator("[data-lens=beam_width] .sp-lens-fact").evaluate_all("(all) => all.map((e) => e.ariaLabel)")
    assert labels[2] == "Exactly 2 accepted: 0.400; 2 or more: 0.700"


def test_a_fixed_width_is_told_without_a_threshold(page):
    mount_player(page, beam_width_trace(threshold=None, reached=None))
    goto(page, step_of(page, "committed", 1))
    assert "fixed width W = 2" in sentence(page, "beam_width")
    assert page.locator("[data-lens=beam_width] .sp-lens-picture .sp-lens-threshold").count() == 0


def test_atspeed_tells_where_the_drafted_set_ends(page):
    mount_player(page, atspeed_trace())
    goto(page, step_of(page, "judged", 1, 2))
    assert "Step 1: all 2 of the target's best beams were drafted" in sentence(page, "top_set")
    goto(page, step_of(page, "committed", 1))
    assert "Step 2: 1 of the target's 2 best beams were drafted, 1 not" in sentence(page, "top_set")
    labels = page.locator("[data-lens=top_set] .sp-lens-item").evaluate_all("(all) => all.map((e) => e.ariaLabel)")
    assert labels[-2] == "Step 2, rank 1: “on”, ln p −1.20, drafted"
    assert labels[-1] == "Step 2, rank 2: “.”, ln p −1.43, not drafted"


def test_the_braid_crosses_where_ranks_change_and_ends_where_a_beam_dies(page):
    mount_player(page, braid_trace())
    goto(page, step_of(page, "committed", 1))
    assert page.locator("[data-lens=braid] .sp-lens-picture .sp-lens-stop").count() == 0  # the future is not told
    goto(page, step_of(page, "committed", 2))
    assert page.locator("[data-lens=braid] .sp-lens-picture .sp-lens-stop").count() == 1
    assert "Of the 2 before, 1 found no continuation. The best text is a different one now." in sentence(page, "braid")
    goto(page, step_of(page, "committed", 3))
    best = page.locator("[data-lens=braid] .sp-lens-item[aria-label$='on the best text']")
    ranks = [
        re.search(r"Step (\d), rank (\d)", label).groups()
        for label in best.evaluate_all("(all) => all.map((e) => e.ariaLabel)")
    ]
    assert ranks == [("1", "2"), ("2", "2"), ("3", "1")]
    assert page.locator("[data-lens=braid] .sp-lens-picture .sp-lens-strand.sp-lens-best").count() == 2


def test_block_verification_tests_from_the_end(page):
    trace = recorded("block_verification", length=40, seed=1)
    mount_player(page, trace)
    number = next(
        e["round"] for e in trace["events"] if e["event"] == "judged" and e["outcomes"][:2] == ["rejected"] * 2
    )
    event = next(e for e in trace["events"] if e["event"] == "judged" and e["round"] == number)
    length = len(event["nodes"])
    goto(page, step_of(page, "judged", number))
    told = sentence(page, "block")
    assert f"The prefix of {length} does not pass" in told and f"{event['accept_probs'][0]:.3f}" in told
    assert f"The prefix of {length - 1} is tested next" in told


def test_bild_tells_both_thresholds(page):
    trace = recorded("bild", length=30, fallback=0.35, rollback=1.5)
    mount_player(page, trace)
    events = [e for e in trace["events"] if e["event"] == "judged"]
    back = next(e for e in events if "rejected" in e["outcomes"])
    at = back["outcomes"].index("rejected")
    goto(page, step_of(page, "judged", back["round"], at))
    surprise = back["workings"][0]["surprises"][at]
    assert f"by {surprise:.2f} nats, above the rollback threshold 1.5" in sentence(page, "rollback")
    unsure = next(e for e in events if e["workings"][0]["tokens"])
    goto(page, step_of(page, "scored", unsure["round"]))
    confidence = unsure["workings"][0]["confidences"][-1]
    assert f"only {confidence:.2f}. That is below the fallback threshold 0.35" in sentence(page, "rollback")


def test_typical_acceptance_tells_the_bar(page):
    trace = recorded("typical_acceptance", length=30)
    number, found = working(trace, "typical")
    mount_player(page, trace)
    goto(page, step_of(page, "judged", number))
    assert f"{found['bars'][0]:.3f}" in sentence(page, "typical")
    assert f"H = {found['entropies'][0]:.2f}" in sentence(page, "typical")


def test_prompt_lookup_points_at_the_place_it_copied_from(page):
    trace = recorded("prompt_lookup", length=24)
    number, found = working(trace, "prompt_lookup")
    mount_player(page, trace)
    goto(page, step_of(page, "committed", number))
    labels = page.locator("[data-lens=lookup] .sp-lens-item").evaluate_all("(all) => all.map((e) => e.ariaLabel)")
    assert any(f"token {found['start'] + 1} of the text" in label for label in labels)
    assert page.locator("[data-lens=lookup] .sp-lens-picture .sp-lens-match").count() == 2


def test_the_dynamic_tree_shows_kept_and_cut(page):
    trace = recorded("dynamic_tree", total_tokens=6)
    number, found = working(trace, "dynamic_tree")
    mount_player(page, trace)
    goto(page, step_of(page, "scored", number))
    assert f"the 6 of highest value are kept, down to {found['values'][-1]:.3f}" in sentence(page, "value_cut")
    picture = page.locator("[data-lens=value_cut] .sp-lens-picture")
    assert picture.locator(".sp-fill-q").count() == 6
    assert picture.locator(".sp-lens-hollow-q").count() == len(found["cut"])


# -- linked with the tree ----------------------------------------------------------------------------------------------


def test_a_row_and_its_node_mark_each_other(page):
    mount_player(page, recorded("rsd_s"))
    goto(page, step_of(page, "judged", 1))
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
    assert page.locator(".sp-unpin").is_visible()


def test_pointing_at_a_node_deeper_down_shows_the_test_of_its_own_siblings(page):
    trace = recorded("rsd_s")
    mount_player(page, trace)
    goto(page, step_of(page, "scored", 1))
    before = page.locator("[data-lens=stages] .sp-lens-place").inner_text()
    page.evaluate("p.point(p.trace.rounds[0].nodes.find((node) => node.layer === 2))")
    assert page.locator("[data-lens=stages] .sp-lens-place").inner_text() != before
    page.evaluate("p.point(null)")
    assert page.locator("[data-lens=stages] .sp-lens-place").inner_text() == before


def test_a_lens_is_one_tab_stop_and_arrows_move_inside(page):
    mount_player(page, recorded("rsd_s"))
    goto(page, step_of(page, "judged", 1))
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
    mount_player(page, recorded("rsd_s"))
    goto(page, 3)
    assert page.locator("[data-lens=stages] .sp-lens-sentence").get_attribute("aria-live") == "polite"
    page.evaluate("p.actions.toggle()")
    page.wait_for_function("() => p.state().step > 3")
    assert page.locator("[data-lens=stages] .sp-lens-sentence").get_attribute("aria-live") == "off"


def test_what_is_below_a_lens_stays_in_its_place_while_stepping(page):
    """Once the first rounds are seen: a lens that grew with every step would push the text up and down."""
    mount_player(page, recorded("spectr", length=20))
    tops = set()
    for step in range(1, state(page)["steps"]):
        goto(page, step)
        tops.add(
            page.evaluate("Math.round(document.querySelector('.sp-lens-key').getBoundingClientRect().top + scrollY)")
        )
    assert max(tops) - min(tops) <= 1, tops


def test_a_live_run_gets_its_lens_with_the_first_round(page):
    mount_player(page)
    events = recorded("spectr")["events"]
    page.evaluate("p.begin()")
    assert shown(page) == []
    ends = [i for i, event in enumerate(events) if event["event"] == "committed"]
    page.evaluate("(events) => p.append(events)", events[: ends[0] + 1])
    assert shown(page) == ["k_seq"]
    page.evaluate("(events) => p.append(events)", events[ends[0] + 1 :])
    page.evaluate("p.finish()")
    assert shown(page) == ["k_seq"]


# -- what cannot break them --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", hostile_workings())
def test_workings_that_cannot_be_read_are_left_out_and_the_run_plays(page, name):
    """Through JSON, as a file comes; 1e999 becomes infinite there."""
    text = json.dumps(with_workings(hostile_workings()[name], method="spectr")).replace("Infinity", "1e999")
    mount_player(page)
    page.evaluate("(text) => p.load(JSON.parse(text), {})", text)
    assert page.locator(".sp-error").is_hidden()
    for step in range(state(page)["steps"]):
        goto(page, step)
        page.evaluate("p.trace.rounds.forEach((round) => round.nodes.forEach((node) => p.point(node)))")
        page.evaluate("p.point(null)")
    assert state(page)["kind"] == "finished" and state(page)["totals"]["tokens"] == 5
    assert shown(page) == []
    goto(page, step_of(page, "committed", 1))
    assert "cannot be read and is left out" in page.locator(".sp-lens-note").inner_text()
    goto(page, step_of(page, "committed", 2))
    assert page.locator(".sp-lens-note").is_hidden()


def test_workings_of_a_kind_that_no_lens_knows_are_passed_over(page):
    mount_player(
        page, with_workings([{"kind": "of tomorrow", "node": 2}, {"kind": "__proto__"}, {"kind": "constructor"}])
    )
    goto(page, step_of(page, "committed", 1))
    assert page.locator(".sp-lens-note").is_hidden()


def test_workings_that_keep_the_contract_and_make_no_sense_give_a_sentence(page):
    """Tokens nobody printed, draws nobody made: the lens may say little, but the player plays."""
    working = {"kind": "recursive", "node": 2, "tokens": [77, 78], "draws": [77, 78],
               "rests": [[0.0, 0.0, 0.0]] * 3, "offers": [[1.0, 1.0, 1.0]] * 2}  # fmt: skip
    mount_player(page, with_workings([working], method="rsd_s"))
    for step in range(state(page)["steps"]):
        goto(page, step)
        assert sentence(page, "stages").endswith(".")


def test_hostile_pieces_stay_text_in_a_lens(page):
    trace = recorded("rsd_s")
    for event in trace["events"]:
        for token in event.get("pieces", {}):
            event["pieces"][token] = "<img src=x onerror=alert(1)>"
    mount_player(page, trace)
    for step in range(state(page)["steps"]):
        goto(page, step)
    assert page.locator(".sp-lens :is(img, script)").count() == 0
    assert "<img" in page.locator(".sp-lens-picture").first.text_content()


def test_the_run_of_the_harness_has_the_lens_of_its_residual_only_where_it_is_recorded(page):
    """Speculative sampling needs no workings; without the recorded residual it says so and draws none."""
    mount_player(page, chain_trace())
    goto(page, step_of(page, "judged", 1, 1))
    assert "does not hold" in sentence(page, "stages")
    assert page.locator("[data-lens=stages] .sp-lens-picture .sp-fill-rest").count() == 0
