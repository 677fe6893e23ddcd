from pathlib import Path

import pytest

from playground.servers.findings import best_length, findings, lengths, verdict
from playground.servers.reading import load_log
from playground.servers.record import Record

LOGS = Path(__file__).parent / "logs"
STEPS = ((3, 3), (3, 0), (2, 1), (3, 2))  # drafted, accepted


def of_steps(*steps):
    drafted, accepted = (sum(each) for each in zip(*steps, strict=True))
    return findings([Record("vLLM", drafted, accepted, drafted, len(steps), per_step=steps)])


def test_without_steps_all_that_needs_them_is_blank():
    found = findings(load_log(LOGS / "llama_cpp.log").records)
    assert found.histogram is found.survival is found.accepted_per_step is None
    assert lengths(found, 0.1) == () and best_length(()) is None
    assert verdict(found, 0.1).startswith("The steps were not recorded")
    assert found.draft_efficiency == pytest.approx(170 / 267)


def test_one_record_without_a_number_leaves_the_sum_blank():
    both = [Record("vLLM", 4, 2, steps=2), Record("vLLM", 4, 2)]
    assert findings(both).steps is None and findings(both).drafted == 8


def test_survival_counts_only_steps_that_drafted_so_far():
    found = of_steps(*STEPS)
    assert found.histogram == (1, 1, 1, 1)
    assert [(each.survived, each.steps) for each in found.survival or ()] == [(3, 4), (2, 4), (1, 3)]
    assert found.timeline == (3, 0, 1, 2) and found.accepted_per_step == 1.5


def test_a_histogram_and_the_steps_it_was_made_of_survive_alike():
    fixed = ((3, 3), (3, 0), (3, 1))
    summary = findings([Record("vLLM", 9, 4, steps=3, histogram=(1, 1, 0, 1), length=3)])
    assert summary.survival == of_steps(*fixed).survival and summary.histogram == of_steps(*fixed).histogram


def test_counters_survive_by_position():
    found = findings(load_log(LOGS / "vllm_metrics.txt").records)
    assert [(each.survived, each.steps) for each in found.survival or ()] == [(80, 100), (60, 100), (40, 100)]


def test_a_shorter_draft_emits_what_its_first_positions_did():
    told = lengths(of_steps(*STEPS), 0.25)
    assert [each.tokens for each in told] == pytest.approx([1.75, 2.25, 2.25 + 1 / 3])
    assert [each.speed_up for each in told] == pytest.approx([1.75 / 1.25, 2.25 / 1.5, (2.25 + 1 / 3) / 1.75])
    best = best_length(told)
    assert best is not None and best.length == 2


def test_without_a_cost_no_length_is_the_best():
    told = lengths(of_steps(*STEPS), None)
    assert best_length(told) is None and all(each.speed_up is None for each in told)


def test_the_verdict_says_where_it_went():
    found = of_steps(*STEPS)  # 11 drafted and 6 accepted in 4 steps
    assert "1.43 times plain decoding, an estimate." in verdict(found, 0.0, 1.75)
    assert "went into drafting" in verdict(found, 1.0)
    assert "went into judging" in verdict(found, 0.01, 4.0)


def test_a_long_timeline_is_told_in_stretches():
    found = of_steps(*(((2, 1),) * 500))
    assert found.timeline is not None and len(found.timeline) == 100 and set(found.timeline) == {1.0}
    assert found.timeline_of.endswith("stretches of 5")
