"""The player does not break at damaged, huge or repeated input."""

import copy

from tests.browser.player_harness import (
    chain_trace,
    committed,
    drafted,
    judged,
    mount_player,
    picture,
    rest_at,
    run_started,
    scored,
    trace_of,
)


def damaged() -> list:
    def change(index: int, **fields):
        trace = copy.deepcopy(chain_trace())
        trace["events"][index] |= fields
        return trace

    missing = copy.deepcopy(chain_trace())
    del missing["events"][4]["uniforms"]
    return [
        (None, "not a trace"),
        ({"format": "speculative-decoding-trace", "version": 4, "events": []}, "version 4"),
        ({"format": "speculative-decoding-trace", "version": 3, "events": "x"}, "not a trace"),
        (missing, "verified.uniforms"),
        (change(4, nodes=[3]), "different lengths"),
        (change(1, parents=[99]), "node 99"),
        (change(6, round=1), "after round 1"),
        (change(3, mask=["1"]), "different lengths"),
        (change(2, event="exploded"), "unknown event exploded"),
        (change(5, origins=["stolen", "bonus"]), "committed.origins"),
        (trace_of(chain_trace()["events"][1]), "before the run started"),
    ]


def test_a_damaged_trace_gives_a_sentence(page):
    for trace, sentence in damaged():
        mount_player(page, chain_trace())
        page.evaluate("(trace) => p.load(trace, {autoplay: true})", trace)
        assert sentence in page.locator(".sp-error").inner_text()
        page.evaluate("for (const action of ['to_end', 'step_back', 'next_rejection', 'restart']) p.actions[action]()")


def test_an_error_keeps_what_is_drawn_and_mounting_twice_is_mounting_once(page):
    mount_player(page, chain_trace())
    rest_at(page, 5)
    before = picture(page)
    page.evaluate("p.error('The device is busy.')")
    assert page.locator(".sp-error").inner_text() == "The device is busy." and picture(page) == before
    assert page.evaluate("specPlayer.mount(document.getElementById('host')) === p")
    assert page.locator("#host .spec-player").count() == 1


def test_a_round_of_500_nodes_stays_usable(page):
    """Most of it folds; seeking usually takes a small part of a second, on a loaded machine a larger one."""
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
    assert usual < 1000
    page.evaluate("p.goto(2)")  # both layers are drafted
    texts = page.locator(".sp-tuft .sp-piece").all_text_contents()
    folded = sum(int(count) for text in texts for count in text.removeprefix("+").split(" · "))
    assert folded + page.locator(".sp-nodes > .sp-node:not(.sp-trunk)").count() == 2 * width
    assert folded > 400
