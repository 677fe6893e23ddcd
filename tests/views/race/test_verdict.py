from playground.views.race.verdict import verdict
from tests.views.rows import baseline, failed, row


def said(*rows):
    return " ".join(verdict([baseline(), *rows]))


def test_without_a_method_there_is_nothing_to_say():
    assert said() == "There is nothing to compare with plain decoding."


def test_the_fastest_comes_first_with_its_interval():
    assert verdict([baseline(), row("second", 1.2), row("first", 1.8)])[0] == (
        "First is fastest: 1.80 times plain decoding, with a 95 % interval of 1.70 to 1.90 over 6 pairs of runs."
    )


def test_those_whose_intervals_reach_the_fastest_are_not_called_slower():
    text = said(row("first", 1.8), row("near", 1.7), row("far", 1.2))
    assert "Near is not clearly slower than it" in text and "Far is not" not in text


def test_many_who_are_near_are_counted_and_not_named():
    text = said(row("first", 1.8), *(row(f"near{number}", 1.75) for number in range(5)))
    assert "5 others are not clearly slower than it" in text


def test_when_nobody_wins_that_is_said():
    assert said(row("even", 1.05)).startswith("No method is clearly faster than plain decoding here.")


def test_a_best_median_that_is_open_does_not_hide_those_who_are_clearly_faster():
    wide, sure = row("wide", 1.3), row("sure", 1.25)
    wide["speed_up"] |= {"low": 0.95, "high": 1.6}
    assert said(wide, sure).startswith(
        "Wide has the best median, 1.30 times plain decoding, but with a 95 % interval of 0.95 to 1.60 over 6 pairs of "
        "runs: not clearly faster. Sure is."
    )


def test_a_slower_method_is_explained_by_its_own_numbers():
    text = said(row("slow", 0.7))
    assert "Slow is slower than plain decoding, at 0.70" in text
    assert "2.0 ms of drafting, 4.0 ms in the target, 1.0 ms for the rest; plain decoding spends 5.0 ms in all" in text
    assert "2.50 tokens per target call, and 50 % of its drafts are accepted" in text


def test_of_many_slow_ones_three_are_explained_and_the_rest_named():
    text = said(*(row(f"m{speed}", speed / 10) for speed in range(3, 8)))
    assert text.count("is slower than plain decoding, at") == 3
    assert "Also slower than plain decoding: M6 (0.60) and M7 (0.70)." in text


def test_a_lossy_winner_is_called_lossy_and_the_best_lossless_one_is_named():
    text = said(row("cheat", 2.0, reproduces="none"), row("honest", 1.5))
    assert "Cheat is lossy: its texts are not the target's. The fastest lossless one is Honest, at 1.50." in text


def test_beams_are_rated_against_plain_beams_and_never_called_fastest():
    plain = row("beam_search", 1.0, (1.0, 1.0), title="Beam search", against="beam_search", reproduces="beam search")
    drafted = row("strict", 2.0, against="beam_search", reproduces="beam search")
    text = said(row("honest", 1.5), plain, drafted)
    assert text.startswith("Honest is fastest: 1.50 times plain decoding")
    assert "Strict is rated against Beam search, whose beams it drafts ahead: 2.00 times as fast" in text
    assert verdict([baseline(), plain, drafted])[0].startswith("Strict is rated against Beam search")


def test_beams_without_plain_beams_beside_them_are_not_rated():
    lone = row("dsbd", None, against=None, unrated="beam sampling of width 2")
    assert said(lone) == "Dsbd carries beams and is not rated: beam sampling of width 2 is not in this race."


def test_too_few_pairs_win_nothing():
    hasty = row("hasty", 3.0)
    hasty["speed_up"] |= {"low": None, "high": None, "pairs": 1}
    assert "but in 1 pair of runs only: too few prompts for an interval" in said(hasty)


def test_who_is_slower_in_a_few_pairs_was_not_fastest():
    slow = row("slow", 0.8)
    slow["speed_up"] |= {"low": None, "high": None, "pairs": 3}
    text = said(slow)
    assert "Nothing was faster than plain decoding; Slow came nearest, at 0.80, in 3 pairs of runs only" in text


def test_a_failure_and_an_unfinished_entry_are_said():
    text = said(row("good", 1.5), failed("broken", "ValueError: no"), row("late", None, runs=0))
    assert "Broken failed: ValueError: no." in text and "No run of Late was finished." in text


def test_a_baseline_that_failed_spent_no_time_to_compare_with():
    plain = failed("autoregressive", "Out of memory.") | {"title": "Autoregressive"}
    text = " ".join(verdict([plain, row("slow", 0.5)]))
    assert "Slow is slower than plain decoding, at 0.50." in text and "ms in all" not in text


def test_few_pairs_in_full():
    few = {"low": None, "high": None, "pairs": 3}
    hasty, even = row("hasty", 3.004), row("even", 1.0)
    hasty["speed_up"] |= few
    even["speed_up"] |= few
    assert verdict([baseline(), hasty]) == [
        "Hasty was fastest, 3.00 times plain decoding, but in 3 pairs of runs only: too few prompts for an interval. "
        "Race with 5 or more to know."
    ]
    assert said(even).startswith("Nothing was faster than plain decoding; Even came nearest, at 1.00, in 3 pairs")


def test_beams_are_rated_with_their_interval_or_with_their_few_pairs():
    plain = row("beam_search", 1.0, (1.0, 1.0), title="Beam search", against="beam_search", reproduces="beam search")
    sure, few = (row(name, 2.0, against="beam_search", reproduces="beam search") for name in ("sure", "few"))
    few["speed_up"] |= {"low": None, "high": None, "pairs": 1}
    assert verdict([baseline(), plain, sure, few]) == [
        "Sure is rated against Beam search, whose beams it drafts ahead: 2.00 times as fast, with a 95 % interval of "
        "1.90 to 2.10 over 6 pairs of runs.",
        "Few is rated against Beam search, whose beams it drafts ahead: 2.00 times as fast, in 1 pair of runs only.",
    ]


def test_without_the_parts_of_its_time_a_slow_one_is_not_explained():
    slow = row("slow", 0.7)
    assert verdict([slow])[-1] == "Slow is slower than plain decoding, at 0.70."
    assert said(row("slow", 0.7, draft_s_per_token=None)).endswith("Slow is slower than plain decoding, at 0.70.")
    no_drafts = said(row("slow", 0.7, draft_s_per_token=row("x", 1.0)["tokens_per_s"] | {"median": 0.0}))
    assert "a token costs it 4.0 ms in the target, 1.0 ms for the rest; plain" in no_drafts


def test_rivals_are_those_whose_intervals_reach_the_fastest_and_are_named_up_to_four():
    best = row("first", 2.0, (1.8, 2.2))
    assert "Touching is not clearly slower than it" in said(best, row("touching", 1.7, (1.6, 1.8)))
    assert "not clearly slower" not in said(best, row("below", 1.7, (1.6, 1.79)))
    four = said(best, *(row(f"n{number}", 1.9, (1.7, 2.1)) for number in range(4)))
    assert "N0, N1, N2 and N3 are not clearly slower than it" in four


def test_what_is_no_beam_is_not_rated_against_beams_and_blanks_are_not_told():
    plain = row("beam_search", 1.0, (1.0, 1.0), title="Beam search", against="beam_search", reproduces="beam search")
    text = said(row("honest", 1.5), plain, row("strict", 2.0, against="beam_search", reproduces="beam search"))
    assert text.count("is rated against") == 1 and "Honest is rated" not in text
    for blank in ("block_efficiency", "draft_efficiency"):
        assert said(row("slow", 0.7, **{blank: None})).endswith("plain decoding spends 5.0 ms in all.")
    assert "over 2 pairs of runs" in said(row("few", 1.5) | {"speed_up": row("few", 1.5)["speed_up"] | {"pairs": 2}})
