import pytest

from playground.views.race.verdict import verdict
from tests.views.rows import baseline, failed, row


def said(*rows):
    return " ".join(verdict([baseline(), *rows]))


def rated(name, ratio, **pairs):
    """Return a row whose speed-up is over other pairs of runs: low, high or their number."""
    made = row(name, ratio)
    return made | {"speed_up": made["speed_up"] | pairs}


def few(name, ratio, pairs):
    return rated(name, ratio, low=None, high=None, pairs=pairs)


BEST = row("first", 2.0, (1.8, 2.2))
BEAMS = row("beam_search", 1.0, (1.0, 1.0), title="Beam search", against="beam_search", reproduces="beam search")
STRICT = row("strict", 2.0, against="beam_search", reproduces="beam search")
CASES = {
    "nothing": ([], ["Nothing was compared with plain decoding."]),
    "intervals that reach the fastest": (
        [row("first", 1.8), row("near", 1.7), row("far", 1.2)], ["Near is not clearly slower"],
    ),
    "intervals that touch": ([BEST, row("touching", 1.7, (1.6, 1.8))], ["Touching is not clearly slower"]),
    "four near": (
        [BEST, *(row(f"n{number}", 1.9, (1.7, 2.1)) for number in range(4))],
        ["N0, N1, N2 and N3 are not clearly slower"],
    ),
    "many near": (
        [row("first", 1.8), *(row(f"near{number}", 1.75) for number in range(5))],
        ["5 others are not clearly slower"],
    ),
    "nobody wins": ([row("even", 1.05)], ["No method is clearly faster than plain decoding."]),
    "a best median that is open hides nobody": (
        [rated("wide", 1.3, low=0.95, high=1.6), row("sure", 1.25)],
        ["Wide has the best median, 1.30 times plain decoding, but with a 95 % interval of 0.95 to 1.60 over 6 pairs "
         "of runs: not clearly faster. Sure is."],
    ),
    "slower": (
        [row("slow", 0.7)],
        ["Slow is slower than plain decoding, at 0.70",
         "2.0 ms of drafting, 4.0 ms in the target, 1.0 ms for the rest, plain decoding 5.0 ms",
         "2.50 tokens per target call; 50 % of its drafts are accepted"],
    ),
    "no drafting": (
        [row("slow", 0.7, draft_s_per_token=row("x", 1.0)["tokens_per_s"] | {"median": 0.0})],
        ["a token costs it 4.0 ms in the target, 1.0 ms for the rest, plain"],
    ),
    "many slower": (
        [row(f"m{speed}", speed / 10) for speed in range(3, 8)],
        ["Also slower: M6 (0.60) and M7 (0.70)."],
    ),
    "a lossy winner": (
        [row("cheat", 2.0, reproduces="none"), row("honest", 1.5)],
        ["Cheat is lossy: its texts are not the target's. The fastest lossless one is Honest, at 1.50."],
    ),
    "beams": (
        [row("honest", 1.5), BEAMS, STRICT],
        ["Honest is fastest: 1.50 times plain decoding",
         "Strict is rated against Beam search, whose beams it drafts: 2.00 times as fast"],
    ),
    "beams alone": (
        [row("dsbd", None, against=None, unrated="beam sampling of width 2")],
        ["Dsbd is not rated: beam sampling of width 2 is not in this race."],
    ),
    "few pairs": (
        [few("hasty", 3.004, 3)],
        ["Hasty was fastest, 3.00 times plain decoding, but in 3 pairs of runs: too few prompts for an interval. "
         "Race with 5 or more."],
    ),
    "one pair": ([few("hasty", 3.0, 1)], ["but in 1 pair of runs: too few prompts for an interval"]),
    "two pairs": ([rated("two", 1.5, pairs=2)], ["over 2 pairs of runs"]),
    "few pairs, slower": (
        [few("slow", 0.8, 3)],
        ["Nothing was faster than plain decoding; Slow came nearest, at 0.80, in 3 pairs of runs"],
    ),
    "few pairs, even": (
        [few("even", 1.0, 3)], ["Nothing was faster than plain decoding; Even came nearest, at 1.00, in 3 pairs"],
    ),
    "failed and unfinished": (
        [row("good", 1.5), failed("broken", "ValueError: no"), row("late", None, runs=0)],
        ["Broken failed: ValueError: no.", "No run of Late was finished."],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_every_outcome_of_a_race_has_its_sentences(case):
    rows, sentences = CASES[case]
    assert [each for each in sentences if each not in said(*rows)] == []


def test_the_fastest_comes_first_with_its_interval():
    assert verdict([baseline(), row("second", 1.2), row("first", 1.8)])[0] == (
        "First is fastest: 1.80 times plain decoding, with a 95 % interval of 1.70 to 1.90 over 6 pairs of runs."
    )


def test_what_is_not_so_is_not_said():
    assert "Far is not" not in said(row("first", 1.8), row("near", 1.7), row("far", 1.2))
    assert "not clearly slower" not in said(BEST, row("below", 1.7, (1.6, 1.79)))
    assert said(*CASES["many slower"][0]).count("is slower than plain decoding, at") == 3, "three are explained"
    text = said(row("honest", 1.5), BEAMS, STRICT)
    assert text.count("is rated against") == 1 and "Honest is rated" not in text
    for blank in ("block_efficiency", "draft_efficiency"):
        assert said(row("slow", 0.7, **{blank: None})).endswith("plain decoding 5.0 ms.")
    sentence = "Slow is slower than plain decoding, at 0.70."
    assert verdict([row("slow", 0.7)])[-1] == sentence, "without the parts of its time it is not explained"
    assert said(row("slow", 0.7, draft_s_per_token=None)).endswith(sentence)
    plain = failed("autoregressive", "Out of memory.") | {"title": "Autoregressive"}
    text = " ".join(verdict([plain, row("slow", 0.7)]))
    assert sentence in text and "a token costs it" not in text, "a baseline that failed spent no time to compare with"


def test_beams_are_rated_with_their_interval_or_with_their_few_pairs():
    sure, few_pairs = (row(name, 2.0, against="beam_search", reproduces="beam search") for name in ("sure", "few"))
    few_pairs["speed_up"] |= {"low": None, "high": None, "pairs": 1}
    assert verdict([baseline(), BEAMS, sure, few_pairs]) == [
        "Sure is rated against Beam search, whose beams it drafts: 2.00 times as fast, with a 95 % interval of "
        "1.90 to 2.10 over 6 pairs of runs.",
        "Few is rated against Beam search, whose beams it drafts: 2.00 times as fast, in 1 pair of runs only.",
    ]
