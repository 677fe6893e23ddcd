from pathlib import Path

import numpy as np
import pytest

from playground.servers.arithmetic import ROUNDS_BY_MEAN, ROUNDS_WITHIN, inferred
from playground.servers.findings import Length, answer, best_length, findings, lengths, no_lengths, verdict
from playground.servers.reading import load_log
from playground.servers.record import Record

LOGS = Path(__file__).parent / "logs"
ROUNDS = ((3, 3), (3, 0), (2, 1), (3, 2))  # drafted, accepted


def of_steps(*rounds):
    drafted, accepted = (sum(each) for each in zip(*rounds, strict=True))
    return findings([Record("vLLM", drafted, accepted, drafted, len(rounds), per_round=rounds)])


def test_without_steps_all_that_needs_them_is_blank():
    report = findings(load_log(LOGS / "llama_cpp.log").records)
    assert report.histogram is report.survival is report.accepted_per_round is None
    assert lengths(report, 0.1) == () and best_length(()) is None
    assert "264 in 94 calls" in verdict(report, 0.1)
    assert report.draft_efficiency == pytest.approx(170 / 267)
    both = [Record("vLLM", 4, 2, rounds=2), Record("vLLM", 4, 2)]
    assert findings(both).rounds is None and findings(both).drafted == 8


def test_rounds_are_certain_where_those_of_every_record_are():
    one, several = (
        Record("vLLM", drafted, accepted, mean=mean, rates=(0.745, 0.498, 0.312, 0.104, 0.051))
        for drafted, accepted, mean in ((250, 85, 2.7), (2488, 851, 2.71))
    )
    known = [inferred(each) for each in (one, several)]
    assert [each.remarks for each in known] == [(ROUNDS_BY_MEAN,), (ROUNDS_WITHIN,)]
    assert findings(known).remarks == (ROUNDS_WITHIN,) and findings(known[:1]).remarks == (ROUNDS_BY_MEAN,)


def test_survival_counts_only_steps_that_drafted_so_far():
    result = of_steps(*ROUNDS)
    assert result.histogram == (1, 1, 1, 1)
    assert [(each.survived, each.rounds) for each in result.survival or ()] == [(3, 4), (2, 4), (1, 3)]
    assert [(each.open, each.all) for each in result.survival or ()] == [(0, 4), (0, 4), (0, 4)]  # (2, 1) was refused
    assert result.timeline_of == "accepted tokens in each round"
    assert result.timeline == (3, 0, 1, 2) and result.accepted_per_round == 1.5


def test_a_histogram_and_the_steps_it_was_made_of_survive_alike():
    fixed = ((3, 3), (3, 0), (3, 1))
    summary = findings([Record("vLLM", 9, 4, rounds=3, histogram=(1, 1, 0, 1), length=3)])
    assert summary.survival == of_steps(*fixed).survival and summary.histogram == of_steps(*fixed).histogram


def test_a_shorter_draft_emits_what_its_first_positions_did():
    """The round that drafted 2 and had one refused would not have survived position 3 either."""
    by_length = lengths(of_steps(*ROUNDS), 0.25)
    assert [each.tokens for each in by_length] == pytest.approx([1.75, 2.25, 2.5])
    assert [each.speed_up for each in by_length] == pytest.approx([1.75 / 1.25, 2.25 / 1.5, 2.5 / 1.75])
    best = best_length(by_length)
    assert best is not None and best.length == 2
    without_costs = lengths(of_steps(*ROUNDS), None)
    assert best_length(without_costs) is None and all(each.speed_up is None for each in without_costs)


def test_a_short_draft_that_was_accepted_whole_leaves_the_rest_open():
    by_length = lengths(of_steps((3, 3), (3, 0), (1, 1), (0, 0)), 0.1)
    assert [(each.least, each.most) for each in by_length] == [(1.5, 1.75), (1.75, 2.5), (2.0, 3.25)]
    assert all(each.tokens is None and each.speed_up is None for each in by_length) and best_length(by_length) is None
    cheap = lengths(of_steps((3, 3), (3, 0), (1, 1)), 1.0)
    assert cheap[0].speed_up == pytest.approx((5 / 3) / 2) and best_length(cheap) is cheap[0]


def test_the_bounds_hold_the_length_that_was_cut():
    """Drafts of 6 whose tokens are accepted with chances that the draft model knows, cut where it doubts: the uncut
    rounds lie within the bounds of the cut ones, and the share among those that got there does not."""
    rng = np.random.default_rng(0)
    chances = rng.choice([0.3, 0.95], size=(4_000, 6))
    kept = (rng.random(chances.shape) < chances).cumprod(1).sum(1)
    cut = np.where((chances < 0.5).any(1), (chances < 0.5).argmax(1) + 1, 6)
    whole = of_steps(*((6, each) for each in kept.tolist()))
    stopped = of_steps(*zip(cut.tolist(), np.minimum(kept, cut).tolist(), strict=True))
    for exact, bound in zip(lengths(whole, None), lengths(stopped, None), strict=True):
        assert exact.tokens is not None and bound.least <= exact.tokens <= bound.most
    survival = stopped.survival or ()
    assert 1 + sum(each.survived / each.rounds for each in survival) > 1.5 * (lengths(whole, None)[-1].tokens or 0)


@pytest.mark.parametrize(
    "record",
    [
        Record("SGLang", 7, 4, rounds=3, histogram=(1, 1, 0, 1)),
        Record("vLLM", 7, 4, rounds=3, reached=(2, 1, 1)),
        Record("vLLM", None, 4, rounds=3, per_round=((None, 3), (None, 0), (None, 1))),
    ],
)
def test_where_drafted_lengths_were_not_recorded_no_other_length_is_told(record):
    report = findings([record])
    assert (
        report.survival
        and lengths(report, 0.1) == ()
        and no_lengths(report).startswith("Drafted tokens per round were not recorded")
    )
    assert no_lengths(of_steps(*ROUNDS)) == no_lengths(findings([Record("vLLM", 4, 2)])) == ""


def test_a_length_that_not_every_round_drafted_is_not_answered_for():
    """2.75 drafts a round are no length of 3, and 2.1 are not two in every round."""
    assert answer(of_steps(*ROUNDS), lengths(of_steps(*ROUNDS), 0.25)) == ""
    fixed, mixed = (Record("vLLM", drafted, 1400, rounds=1000, rates=(0.8, 0.6)) for drafted in (2000, 2100))
    assert len(lengths(findings([fixed]), 0.1)) == 2 and lengths(findings([mixed]), 0.1) == ()


def test_of_equal_lengths_the_shortest_is_best():
    one, two = (Length(length, 1.5, 1.5, 1.0) for length in (1, 2))
    assert best_length((one, two)) is one


@pytest.mark.parametrize(("most", "rounds"), [(101, 100.5), (102, None)])
def test_bounds_within_a_hundredth_have_a_middle(most, rounds):
    assert findings([Record("vLLM", 300, 150, rounds_within=(100, most))]).likely_rounds == rounds


def test_counters_of_a_fixed_length_tell_the_others():
    report = findings([Record("vLLM", 9, 4, rounds=3, reached=(2, 1, 1))])
    assert [each.tokens for each in lengths(report, None)] == pytest.approx([5 / 3, 2, 7 / 3])


def test_a_long_timeline_is_told_in_stretches():
    result = of_steps(*(((2, 1),) * 500))
    assert result.timeline is not None and len(result.timeline) == 100 and set(result.timeline) == {1.0}
    assert result.timeline_of.endswith("means of 5 rounds")


def test_the_verdict_in_numbers():
    """11 drafted and 6 accepted in 4 rounds: 2.75 and 1.5 a round, so 2.5 tokens; drafting costs 2.75 of its length."""
    result = of_steps(*ROUNDS)
    said = "A round drafted 2.75 tokens, accepted 1.50 and emitted 2.50 with the target's own."
    assert verdict(result, None) == f"{said} Give a drafted token's cost to see what that is worth."
    assert verdict(result, 0.2, 1.25) == (
        f"{said} By your costs it took 1.80 plain steps: 1.39 times plain decoding, an estimate."
    )
    assert verdict(result, 0.0, 2.5).endswith("it took 2.50 plain steps: 1.00 times plain decoding, an estimate.")
    assert verdict(result, 0.4, 2.1).endswith("Drafting took most of the excess.")  # 1.1 against 1.1
    assert verdict(result, 0.4, 2.2).endswith("Verifying took most of the excess.")


@pytest.mark.parametrize(("means", "said"), [((2.0, 2.0), "2.00"), ((1.5, 2.25), "1.50 to 2.25")])
def test_rounded_means_are_told_as_their_ends(means, said):
    report = findings([Record("SGLang", mean=mean) for mean in means])
    assert report.means == (min(means), max(means)) and report.timeline == means
    assert report.timeline_of == "tokens per target call in each line"
    assert report.timeline_axis == "tokens per target call"
    assert verdict(report, 0.1).startswith(f"A target call brought {said} tokens with its own.")


def test_many_means_are_told_on_average_of_their_lines():
    report = findings([Record("SGLang", mean=float(1 + at % 2)) for at in range(241)])
    assert report.timeline == (*(pytest.approx(4 / 3 if at % 2 == 0 else 5 / 3) for at in range(80)), 1.0)
    assert report.timeline_of == "tokens per target call, means of 3 lines"


def test_counters_by_position_survive_as_shares_of_all_steps():
    """Of 10 rounds 6, 3 and 1 accepted the positions, and of 5 others 4 the first: what one record lacks is 0."""
    two = [Record("vLLM", 41, 10, rounds=10, reached=(6, 3, 1)), Record("vLLM", 5, 4, rounds=5, reached=(4,))]
    histogram = Record("vLLM", 9, 4, rounds=3, histogram=(1, 1, 0, 1))  # without lengths it survives alike
    for report, survival in (
        (findings(two), [(1, 10, 15), (2, 3, 15), (3, 1, 15)]),
        (findings([histogram]), [(1, 2, 3), (2, 1, 3), (3, 1, 3)]),
    ):
        assert [(each.position, each.survived, each.rounds) for each in report.survival or ()] == survival
        assert "not recorded" in report.survival_of
    assert findings([Record("vLLM", 3, 1, rounds=2, histogram=(1, 1)), histogram]).histogram == (2, 2, 0, 1)
    counters = findings(load_log(LOGS / "vllm_metrics.txt").records)
    assert [(each.survived, each.rounds) for each in counters.survival or ()] == [(80, 100), (60, 100), (40, 100)]
    assert findings([Record("vLLM", 4, 2, rounds=2, reached=(1, 1)), Record("vLLM", 4, 2, rounds=2)]).survival is None


def test_records_without_steps_have_a_timeline_of_their_shares():
    logs = [Record("llama.cpp", 10, 4), Record("llama.cpp", 8, 6)]
    assert findings(logs).timeline == (0.4, 0.75)
    assert findings(logs).timeline_of == "accepted / drafted, record by record"
    for others in ([], [Record("llama.cpp", 0, 0)], [Record("llama.cpp", 5)]):
        assert findings([*logs[:1], *others]).timeline is None
    assert findings([*logs, Record("llama.cpp", 5)]).timeline is None


def test_ratios_need_both_of_their_numbers():
    rates = findings([Record("vLLM", 8, 6, 9, 3, seconds=1.5), Record("vLLM", 2, 1, 3, 1, seconds=0.5)])
    assert (rates.draft_efficiency, rates.accepted_per_round, rates.tokens_per_s) == (0.7, 7 / 4, 6)
    blank = findings([Record("vLLM", 8)])
    assert (blank.draft_efficiency, blank.accepted_per_round, blank.tokens_per_s) == (None, None, None)
    assert findings([Record("vLLM", drafted=8, rounds=3)]).accepted_per_round is None
    assert "emitted 3.00 tokens" in verdict(findings([Record("vLLM", accepted=6, rounds=3)]), 0.1)
    assert verdict(blank, 0.1).startswith("Rounds were not recorded")
