"""The lenses in a real browser: which a method has, and what they say of a step."""

import re

import pytest

from tests.browser.app_fixture import wait_for_frames
from tests.browser.lens_traces import (
    block_trace,
    layers_trace,
    recorded,
    sentence,
    shown,
    working,
)
from tests.browser.player_harness import goto, mount_lenses, state, step_of

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
    "sample_and_match": ["matching"],
    "greedy_draft": ["matching"],
    "prompt_lookup": ["lookup"],
    "suffix_decoding": ["suffix"],
    "lookahead": ["lookahead"],
    "token_recycling": ["token_table"],
    "hybrid": ["stages", "suffix"],
    "dynamic_tree": ["value_cut"],
    "sequoia": ["stages", "places"],
    "atspeed_strict": ["top_set", "braid"],
    "beam_search": ["braid"],
    "beam_sampling": ["braid"],
    "dsbd": ["beam_width", "braid"],
    "dsbd_one_cache": ["beam_width"],
    "atspeed_relaxed": ["relaxed", "braid"],
    "mtjd": ["joint_search", "braid"],
    "static_ensemble": ["ensemble"],
    "autoregressive": [],
}


@pytest.mark.parametrize("method", [*LENSES, "a block drafter"])
def test_every_step_of_every_method_has_its_lens(page, method):
    """At every step: a sentence, no failure, and every text inside its picture; on a phone no lens is too wide."""
    # A step shows most of beams, and the first rounds have steps of every kind.
    length = 4 if "braid" in LENSES.get(method, ()) or method == "dsbd_one_cache" else 10
    mount_lenses(page, recorded(method, length=length) if method in LENSES else block_trace())
    lenses = LENSES.get(method, ["block_draft", "stages"])
    assert shown(page) == lenses
    said, outside = page.evaluate(
        """(lenses) => { const said = [], outside = [];
          for (let i = 0; i < p.state().steps; i++) {
            p.goto(i);
            for (const lens of lenses)
              said.push([i, document.querySelector(`[data-lens=${lens}] .sp-lens-sentence`).innerText]);
            for (const text of document.querySelectorAll('.sp-lens-picture text')) {
              const [m, w] = [text.getBoundingClientRect(), text.ownerSVGElement.getBoundingClientRect()];
              const over = [w.left - m.left, m.right - w.right, w.top - m.top, m.bottom - w.bottom];
              if (Math.max(...over) > 2) outside.push([i, text.textContent, ...over.map(Math.round)]);
            } }
          return [said, outside.slice(0, 5)]; }""",
        lenses,
    )
    assert len(said) == len(lenses) * state(page)["steps"]
    wrong = re.compile(r"[^.?]$|^$|[{}]|could not|undefined|NaN")
    assert not [each for each in said if wrong.search(each[1])]
    assert not outside
    page.set_viewport_size({"width": 320, "height": 844})
    wait_for_frames(page)
    # at the steps of a round at which most is shown
    wide = page.evaluate(
        """() => p.trace.steps.filter((step) => ['scored', 'committed'].includes(step.kind)).map((step) => step.index)
                  .filter((index) => (p.goto(index), document.documentElement.scrollWidth > innerWidth))"""
    )
    assert not wide


def picture(page, lens: str):
    return page.locator(f"[data-lens={lens}] .sp-lens-picture")


def labels(page, lens: str, kind: str = "item") -> list[str]:
    """Return what screen readers say of the lens's items or facts."""
    return page.locator(f"[data-lens={lens}] .sp-lens-{kind}").evaluate_all("(all) => all.map((e) => e.ariaLabel)")


def test_every_symbol_has_its_entry_in_the_key(page):
    """The key stands in the page as text, next to a sign of its own."""
    mount_lenses(page, recorded("rsd_s"))
    goto(page, state(page)["steps"] - 1)
    entries = page.locator("[data-lens=stages] .sp-lens-key li").all_inner_texts()
    assert len(entries) >= 5 and all(len(entry) > 2 for entry in entries)
    assert any(entry.startswith("p:") for entry in entries) and any(entry.startswith("r:") for entry in entries)


def test_an_older_trace_without_workings_shows_no_lens_that_needs_them(page):
    for method in ("rsd_s", "spectr", "importance_sampling", "bild", "typical_acceptance", "dynamic_tree"):
        trace = recorded(method)
        for event in trace["events"]:
            event.pop("workings", None)
        mount_lenses(page, trace)
        page.evaluate("p.actions.to_end()")
        assert shown(page) == [], method


def test_stages_show_the_rests_of_the_trace(page):
    trace = recorded("rsd_c", length=40)
    mount_lenses(page, trace)
    workings = [(event["round"], each) for event in trace["events"] for each in event.get("workings", [])]
    number, found = next((number, each) for number, each in workings if len(each["residuals"]) > len(each["draws"]))
    goto(page, step_of(page, "committed", number))
    assert "Every draw after" in sentence(page, "stages")
    shown_rows = page.locator("[data-lens=stages] :is(.sp-lens-item, .sp-lens-fact)[aria-label*=rejection]")
    said = shown_rows.evaluate_all("(all) => all.map((e) => e.ariaLabel)")
    rows = [[f"{value:.3f}" for value in row] for row in zip(*found["residuals"], strict=True)][:-1]
    assert [re.findall(r"[pr] ([\d.e−]+)", label) for label in said] == rows


def test_nothing_beyond_the_cursor_is_told(page):
    """While the draft is under way no p, no rest and no chance is in the picture."""
    for method, lens in [("rsd_s", "stages"), ("spectr", "k_seq"), ("importance_sampling", "importance")]:
        mount_lenses(page, recorded(method))
        drawn = picture(page, lens)
        goto(page, step_of(page, "drafted", 1))
        assert drawn.locator(":is(.sp-fill-p, .sp-fill-rest, .sp-line-law)").count() == 0
        assert drawn.locator(".sp-fill-q").count() > 0
        goto(page, step_of(page, "scored", 1))
        assert drawn.locator(".sp-fill-p").count() > 0


@pytest.mark.parametrize(
    ("method", "kind", "step", "lens", "said"),
    [
        ("spectr", "k_seq", "scored", "k_seq", ("ρ = {factor:.2f}", "{one:.3f}", "{all:.3f}")),
        ("importance_sampling", "importance", "verified", "importance",
         ("covers {all:.3f} of p, one draw {one:.3f}",)),
        ("typical_acceptance", "typical", "verified", "typical", ("{thresholds[0]:.3f}", "H = {entropies[0]:.2f}")),
        ("dynamic_tree", "dynamic_tree", "scored", "value_cut",
         ("the 6 of highest value are kept, down to {values[5]:.3f}",)),
    ],
)  # fmt: skip
def test_a_lens_tells_the_numbers_of_its_working(page, method, kind, step, lens, said):
    trace = recorded(method, length=24, **({"total_tokens": 6} if method == "dynamic_tree" else {}))
    number, found = working(trace, kind)
    mount_lenses(page, trace)
    goto(page, step_of(page, step, number))
    assert all(each.format(**found) in sentence(page, lens) for each in said), sentence(page, lens)
    if lens == "importance":
        [selected] = [each for each in labels(page, lens) if each and each.endswith("was selected")]
        assert selected.startswith(f"Draw {found['selected'] + 1},")
        assert f"{found['chances'][found['selected']]:.3f}" in selected
    if lens == "value_cut":
        assert picture(page, lens).locator(".sp-fill-q").count() == 6
        cut = picture(page, lens).locator(".sp-lens-hollow-q").count()
        assert 2 <= cut <= len(found["cut"])  # the first behind the cut


def test_mtad_keeps_the_longest_prefix_past_a_shorter_one_that_fails(page):
    """In round 5 P/Q is 0.22 for one token, 0.34 for two, and less for more."""
    mount_lenses(page, recorded("mtad", length=24, seed=2, tau=0.3))
    goto(page, step_of(page, "verified", 5))
    assert "The first 1 have P/Q = 0.22, not above τ = 0.3" in sentence(page, "joint_ratio")
    goto(page, step_of(page, "committed", 5))
    told = sentence(page, "joint_ratio")
    assert "2 of 4 tokens" in told
    glyphs = (
        picture(page, "joint_ratio")
        .locator(".sp-badge")
        .evaluate_all("(all) => all.map((badge) => badge.getAttribute('class').match(/sp-is-(\\w+)/)[1])")
    )
    assert glyphs == ["rejected", "accepted", "rejected", "rejected"]
    assert picture(page, "joint_ratio").locator(".sp-lens-bracket").count() == 1


def test_a_width_is_told_with_the_chance_that_reached_the_threshold_and_a_fixed_one_without(page):
    mount_lenses(page, recorded("dsbd", seed=1))
    goto(page, step_of(page, "verified", 1))
    told = sentence(page, "beam_width")
    assert "accepted with probability 0.739, at least t = 0.7" in told and "W = 2" in told
    assert "Accepted:" not in told  # the depth is not over yet
    goto(page, step_of(page, "not_tested", 1))
    assert "Accepted: 2 of 2." in sentence(page, "beam_width")
    assert labels(page, "beam_width", "fact")[2] == "Exactly 2 accepted: 0.161; 2 or more: 0.739"
    mount_lenses(page, recorded("dsbd", threshold=0))
    goto(page, step_of(page, "committed", 1))
    assert "fixed width W = 2" in sentence(page, "beam_width")
    assert picture(page, "beam_width").locator(".sp-lens-threshold").count() == 0


def test_atspeed_tells_where_the_drafted_set_ends(page):
    mount_lenses(page, recorded("atspeed_strict", width=2))
    goto(page, step_of(page, "verified", 3, 5))
    assert "Depth 1: all 2 of the target's best beams were drafted" in sentence(page, "top_set")
    goto(page, step_of(page, "committed", 3))
    assert "Depth 2: 1 of the target's 2 best beams were drafted, 1 not" in sentence(page, "top_set")
    ranks = ["rank 1: “f”, ln p −4.96, not drafted", "rank 2: “a”, ln p −6.04, drafted"]
    assert labels(page, "top_set")[-2:] == [f"Depth 2, {rank}" for rank in ranks]


def test_the_braid_crosses_where_ranks_change_and_ends_where_a_beam_dies(page):
    mount_lenses(page, recorded("beam_sampling", length=6, width=2))
    ends = picture(page, "braid").locator(".sp-lens-stop")
    goto(page, step_of(page, "committed", 1))
    assert ends.count() == 0  # the future is not told
    goto(page, step_of(page, "committed", 2))
    assert ends.count() == 1
    assert "Of the 2 before, 1 found no continuation." in sentence(page, "braid")
    goto(page, step_of(page, "committed", 3))
    assert "found no continuation. Another text is the best one now." in sentence(page, "braid")
    best = [each for each in labels(page, "braid") if each.endswith("on the best text")]
    assert [re.search(r"Token (\d), rank (\d)", each).groups() for each in best] == [("1", "1"), ("2", "2"), ("3", "1")]
    assert picture(page, "braid").locator(".sp-lens-strand.sp-lens-best").count() == 2


def test_block_verification_tests_from_the_end(page):
    trace = recorded("block_verification", length=40, seed=1)
    mount_lenses(page, trace)
    verified = [each for each in trace["events"] if each["event"] == "verified"]
    event = next(each for each in verified if each["outcomes"][:2] == ["rejected"] * 2)
    length = len(event["nodes"])
    goto(page, step_of(page, "verified", event["round"]))
    told = sentence(page, "block")
    assert f"The prefix of {length} does not pass" in told and f"{event['accept_probs'][0]:.3f}" in told


def test_bild_tells_both_thresholds(page):
    trace = recorded("bild", length=30, fallback=0.35, rollback=1.5)
    mount_lenses(page, trace)
    events = [e for e in trace["events"] if e["event"] == "verified"]
    back = next(e for e in events if "rejected" in e["outcomes"])
    at = back["outcomes"].index("rejected")
    goto(page, step_of(page, "verified", back["round"], at))
    surprise = back["workings"][0]["surprises"][at]
    assert f"by {surprise:.2f} nats, above the rollback threshold 1.5" in sentence(page, "rollback")
    unsure = next(e for e in events if e["workings"][0]["tokens"])
    goto(page, step_of(page, "scored", unsure["round"]))
    confidence = unsure["workings"][0]["confidences"][-1]
    assert f"{confidence:.2f}, below the fallback threshold 0.35" in sentence(page, "rollback")


def test_what_is_copied_points_at_the_places_it_was_copied_from(page):
    for method, kind, lens in (("prompt_lookup", "prompt_lookup", "lookup"), ("suffix_decoding", "suffix", "suffix")):
        trace = recorded(method, length=24)
        number, found = working(trace, kind)
        mount_lenses(page, trace)
        goto(page, step_of(page, "committed", number))
        if lens == "lookup":
            assert any(f"token {found['start'] + 1} of the text" in label for label in labels(page, lens))
            assert picture(page, lens).locator(".sp-lens-match").count() == 2
            continue
        for place in found["indices"]:  # the last matched token, and what came after it unless it was drafted
            assert any(label.endswith(f"token {place} of the text") for label in labels(page, lens))
        assert any("drafted: " in label for label in labels(page, lens))
        assert "copied tokens were accepted" in sentence(page, lens)


def test_the_table_fills_and_says_what_was_drafted_from_it(page):
    """Its rows are those of the workings so far; a drafted token is in the row of the one before it."""
    trace = recorded("token_recycling", length=24)
    mount_lenses(page, trace)
    verified = [event for event in trace["events"] if event["event"] == "verified"]
    tables = [next(each for each in event["workings"] if each["kind"] == "token_table") for event in verified]
    late = next(i for i, event in enumerate(verified) if event["nodes"] and i > 1)
    number = verified[late]["round"]
    goto(page, step_of(page, "scored", number))
    assert f"The table has {tables[late]['size']} rows." in sentence(page, "token_table")
    assert f"a draft tree of {len(verified[late]['nodes'])} tokens." in sentence(page, "token_table")
    assert picture(page, "token_table").locator(".sp-lens-drawn").count() >= 1
    bars = picture(page, "token_table").locator("rect.sp-lens-match")
    assert bars.count() == late + 1, "a bar for each round, and no row is written yet"
    goto(page, step_of(page, "committed", number))
    fresh = tables[late + 1]["size"] - tables[late]["size"]
    assert f"{fresh} of them new." in sentence(page, "token_table")
    goto(page, step_of(page, "committed", 1))
    assert tables[0]["size"] == 0 and "Accepted: 0 of 0" in sentence(page, "token_table")


def test_the_window_says_its_predictions_once_the_target_has_answered(page):
    trace = recorded("lookahead", length=24)
    number, results = next(
        (event["round"], each)
        for event in trace["events"]
        for each in event.get("workings", [])
        if len(each["lengths"]) > len(each["tokens"])  # with an n-gram of the pool
    )
    mount_lenses(page, trace)
    goto(page, step_of(page, "drafted", number))
    assert labels(page, "lookahead", "fact") == []
    goto(page, step_of(page, "committed", number))
    assert len(labels(page, "lookahead", "fact")) == len(results["tokens"])


def test_the_layer_strip_says_of_every_layer_whether_it_would_keep_the_token(page):
    """Its rows are the recorded numbers; the last layer decides as the run did, by the coin that fell."""
    trace = layers_trace()
    mount_lenses(page, trace)
    first = next(event for event in trace["events"] if event["event"] == "verified")
    goto(page, step_of(page, "verified", 1))
    found = next(each for each in first["workings"] if each["kind"] == "layers")
    p, q, coin = (first[column][0] for column in ("target_probs", "draft_probs", "uniforms"))
    kept = [coin * q < share for share in found["drafted"]]
    assert kept[-1] == (first["outcomes"][0] == "accepted") and found["drafted"][-1] == pytest.approx(p, abs=1e-4)
    assert [label.endswith("would be accepted") for label in labels(page, "layers", "fact")] == kept and len(kept) == 3
    assert page.locator("[data-lens=layers] .sp-lens-picture > .sp-lens-threshold").count() == 1


def test_the_layer_strip_is_the_untrained_lens_and_says_where_the_draft_left(page):
    mount_lenses(page, layers_trace())
    goto(page, step_of(page, "verified", 1))
    entries = page.locator("[data-lens=layers] .sp-lens-key li").all_inner_texts()
    assert "(logit lens)" in entries[0]
    assert any("q is layer 2's" in entry for entry in entries)
