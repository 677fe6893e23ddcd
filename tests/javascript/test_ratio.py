"""A run against plain decoding, by Node.js alone: one quotient, of the two times that its caption names."""

import pytest

from tests.javascript.node import ran

COMPARE = """
    await load("player/words.js");
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
    print({
        cases: [[3, 0.15], [4, 0.5], [8, 0.4]].map(([tokens, clock_s]) => compare(plain, { tokens, clock_s })),
        none: [compare(null, { tokens: 3, clock_s: 1 }), compare(plain, null)], shown,
    });
"""


def test_the_ratio_is_the_quotient_of_its_caption_and_is_told_from_the_third_round_on():
    """Slower than plain decoding is told as such, and one that stopped sooner counts by its rate."""
    found = ran(COMPARE, with_document=True)
    assert [each["ratio"] for each in found["cases"]] == pytest.approx([2.0, 0.8, 2.0])
    assert all(each["ratio"] == pytest.approx(each["plain_ms"] / each["ms"]) for each in found["cases"])
    assert found["none"] == [None, None]
    assert found["shown"] == [["", ""], ["1.5×", "3 tokens in 200 ms, plain decoding 300 ms"]]
