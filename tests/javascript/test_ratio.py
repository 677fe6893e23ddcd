"""A run against plain decoding, by Node.js alone: one quotient of two times, for each draft length that was run."""

import pytest

from tests.javascript.node import ran

COMPARE = """
    const { Ratio, compare } = await load("player/playback/ratio.js");
    const plain = [0.1, 0.2, 0.3, 0.4];
    const ratio = new Ratio();
    ratio.load(plain);
    const shown = [2, 3].map((number) => {
        const totals = { rounds: number, tokens: 3, clock_s: 0.2 };
        const rounds = Array(number).fill({ lastStep: 0 });
        ratio.show({ rounds, steps: [{ totals }] }, { kind: "committed", totals });
        return [ratio.number.textContent, ratio.said.textContent];
    });
    const alone = { rounds: 1, tokens: 1, clock_s: 0.2 };
    ratio.show({ rounds: [{ lastStep: 0 }], steps: [{ totals: alone }] }, { kind: "finished", totals: alone });
    const single = ratio.said.textContent;
    const three = { rounds: [0, 1, 2].map(() => ({ lastStep: 0 })), steps: [{}] };
    const totals = { rounds: 3, tokens: 3, clock_s: 0.9 };
    const wholes = [true, false].map((even) => {
        const range = { low: 0.98, high: 2.5, shown: 9, count: 9, runs: 3, even };
        ratio.load(plain, [0.05, 0.1, 0.15], { tokens: 3, ms: 160.2, plain_ms: 320.4, ...range });
        ratio.show({ ...three, steps: [{ totals }] }, { kind: "finished", totals });
        return [ratio.number.textContent, ratio.said.textContent];
    });
    const earlier = ratio.over({ rounds: 2, tokens: 2, clock_s: 0.9 });
    print({
        wholes, earlier,
        single,
        cases: [[3, 0.15], [4, 0.5], [8, 0.4]].map(([tokens, clock_s]) => compare(plain, { tokens, clock_s })),
        none: [compare(null, { tokens: 3, clock_s: 1 }), compare(plain, null)], shown,
    });
"""


def test_the_ratio_is_the_quotient_of_its_caption_and_is_told_from_the_third_round_on():
    """Slower than plain decoding is told as such, and one that stopped sooner counts by its rate."""
    found = ran(COMPARE, with_document=True)
    assert [each["ratio"] for each in found["cases"]] == pytest.approx([2.0, 0.8, 2.0])
    assert all(each["ratio"] == pytest.approx(each["plain_ms"] / each["ms"]) for each in found["cases"])
    said = "3 tokens in 160 ms, plain decoding 320 ms; medians of 3 runs, 9 of 9 quotients from 0.98 to 2.50"
    assert found["wholes"] == [["2.00×", f"about as fast: {said}"], ["2.00×", said]]
    assert found["earlier"]["ratio"] == 2 and "low" not in found["earlier"], "the range is of whole runs"
    assert [each["even"] for each in found["cases"]] == [False] * 3
    assert found["none"] == [None, None] and found["single"] == "", "one token tells nothing"
    assert found["shown"] == [["", ""], ["1.5×", "3 tokens in 200 ms, plain decoding 300 ms"]]


LENGTH = """
    globalThis.Text = class { constructor(text) { this.textContent = text; } };
    const { Length } = await load("player/playback/length.js");
    const { Ratio } = await load("player/playback/ratio.js");
    const ratio = new Ratio();
    const trace = (length, finished) => ({
        run: { method: "rsd_s", prompt: "Once", sampling: {}, options: { draft_length: length } }, finished,
        steps: [{ totals: { tokens: 4, clock_s: 0.2 } }],
    });
    const length = new Length();
    ratio.load([0.1, 0.2, 0.3, 0.4]);
    length.show(trace(3, {}), ratio);
    const alone = length.root.hidden;
    const asked = [];
    length.offer((...wish) => asked.push(wish));
    length.show(trace(3, null), new Ratio());
    const before = length.root.hidden;
    ratio.load([0.1, 0.2, 0.21, 0.21]);
    length.show(trace(4, {}), ratio);
    ratio.load([0.1, 0.2, 0.3, 0.4]);
    length.show(trace(3, {}), ratio);
    const bars = length.bars.children.map((bar) => bar.textContent);
    length.range.value = "5";
    length.range.send("change", {});
    const said = length.range.attributes["aria-valuetext"];
    length.hear([[2, 1.44], [7, 0.81]]);
    length.range.value = "2";
    for (const name of ["input", "change"]) length.range.send(name, {});
    const known = [asked.length, length.asked.textContent, length.again.hidden];
    const looks = length.bars.children.map((bar) => bar.attributes.class ?? "");
    length.show({ ...trace(3, {}), run: { ...trace(3, {}).run, options: { adapt: 1 } } }, new Ratio());
    print({ alone, before, bars, asked, known, looks, said, without: length.root.hidden });
"""


def test_each_draft_length_that_was_run_keeps_its_ratio_and_a_release_asks_for_the_next():
    found = ran(LENGTH, with_document=True)
    assert found["alone"] and found["without"], "where no runs are made, or the method has no draft length"
    assert found["before"], "a strip of nothing is not there"
    assert found["bars"] == ["", "", "2.0", found["bars"][3], "", "", "", ""] and found["bars"][3]
    assert found["known"] == [1, "1.4×", False], "a recorded length answers without a run, which is offered"
    assert found["looks"] == ["", "sp-length-fast", *[""] * 4, "sp-length-slow", ""]
    assert found["asked"] == [["rsd_s", "draft_length", 5]]
    assert found["said"] == "3: 2.0 times as fast as plain decoding"
