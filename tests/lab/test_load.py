"""The lab of load: the makers' costs, published ones, the change of sign that follows from them, and its refusals."""

import pytest

from playground.errors import PlaygroundError
from playground.files import read_json
from playground.lab import load
from playground.lab.load import MEASURED, ON_GPU, PUBLISHED, TYPED, capacity, under_arrivals, under_load
from playground.metrics.load import StepCosts, expected_rounds, read_again, read_costs, speed_ups
from playground.paths import ASSETS
from playground.theory.arrivals import Served

ASKED = {
    "batch": 8, "draft_length": 3, "table": TYPED, "costs": "1: 10, 1000: 10", "cost_ratio": 0.0, "round_ms": 0.0,
    "num_experts": 0, "per_token": 8,
}  # fmt: skip


def answer_for(rate=0.9, **changed):
    return under_load(rate, **ASKED | changed)


def test_where_tokens_cost_nothing_the_longest_draft_is_best_and_a_perfect_drafter_wins():
    answer = answer_for()
    assert answer["best"] == 16 and answer["unpaid_from"] is None and not answer["perfect_loses"]
    assert answer["perfect"][4] == pytest.approx(5) and answer["tokens_per_s"][0] == pytest.approx(800)
    assert answer_for(batch=128, draft_length=16)["best"] == 16, "the most of both is not refused"
    assert answer["experts"] is None and answer["by_batch"][0] == pytest.approx(max(answer["speed_up"][1:]))


def test_where_no_draft_pays_the_length_that_loses_least_is_named():
    """Two tokens cost twice what one costs: at acceptance 0 a longer draft costs more and brings nothing."""
    answer = answer_for(0.0, costs="1: 10, 1000: 10000")
    assert (answer["best"], answer["drafted"]) == (0, 1)


def test_a_perfect_drafter_loses_exactly_where_every_length_is_slower_at_acceptance_1():
    outcomes = set()
    for batch in (1, 32, 128):
        for table in (MEASURED, *PUBLISHED):
            answer = answer_for(batch=batch, table=table, cost_ratio=0.1)
            assert answer["perfect_loses"] == all(value < 1 for value in answer["perfect"][1:])
            outcomes.add(answer["perfect_loses"])
    assert outcomes == {True, False}


@pytest.mark.parametrize("table", PUBLISHED)
def test_published_costs_turn_a_gain_at_one_sequence_into_a_loss_at_32(table):
    """Acceptance 0.9 at every batch size, one draft a round. The cost of drafting, which is not published, is set so
    that one sequence gains 23 %; what 32 sequences lose then follows from the published costs alone."""
    tokens, ms = read_costs(PUBLISHED[table].costs)
    step = StepCosts(tokens, ms)
    cost_ratio = (1.9 * step.step_ms(1) / 1.23 - step.step_ms(2)) / step.step_ms(1)
    one, many = (speed_ups(0.9, batch, StepCosts(tokens, ms, cost_ratio))[1] for batch in (1, 32))
    assert one == pytest.approx(1.23) and 0.3 < cost_ratio < 0.4
    assert many == pytest.approx({"mi50": 0.918, "deepseek": 0.859}[table], abs=0.001)
    fixed = StepCosts(tokens, ms, round_ms=cost_ratio * step.step_ms(1))  # drafting takes as long under every load
    assert table != "mi50" or speed_ups(0.9, 32, fixed)[1] == pytest.approx(1.044, abs=0.001)


def test_the_costs_of_the_relative_example_are_those_published_times_their_tokens():
    published = {1: 1, 2: 0.605, 3: 0.473, 4: 0.408, 6: 0.351, 8: 0.32, 12: 0.287, 16: 0.27, 24: 0.248, 32: 0.243}
    published |= {48: 0.232, 64: 0.228}
    tokens, ms = read_costs(PUBLISHED["deepseek"].costs)
    assert dict(zip(tokens, ms, strict=True)) == pytest.approx({n: 100 * n * cost for n, cost in published.items()})


def test_measured_costs_are_the_recorded_ones():
    answer, engine = answer_for(table=MEASURED), read_json(ASSETS / "engine.json")
    tokens, ms = read_costs(answer["costs"])
    assert ms[0] == pytest.approx(1000 * engine["tree_cost"]["chain_one_node_s"], rel=0.005)
    assert [str(each) for each in tokens] == list(engine["tree_cost"]["chain"]) and engine["conditions"]["machine"][
        "processor"
    ] in answer["source"]


def test_on_a_gpu_drafts_of_one_sequence_are_nearly_free_to_verify_and_a_deep_draft_model_is_not():
    answer = answer_for(table=ON_GPU, batch=1, cost_ratio=0.14)
    assert "1.6 billion parameters, NVIDIA H100" in answer["source"] and "c was 0.64" in answer["source"]
    tokens, ms = read_costs(answer["costs"])
    assert ms[tokens.index(64)] < 1.2 * ms[0] and ms[tokens.index(128)] > 2 * ms[0]
    deep = answer_for(table=ON_GPU, batch=1, cost_ratio=0.64)
    assert max(answer["speed_up"]) > max(deep["speed_up"])


def test_experts_are_an_estimate_beside_the_costs():
    experts = answer_for(num_experts=128, per_token=8, batch=4)["experts"]
    assert experts["plain"] == pytest.approx(128 * (1 - (120 / 128) ** 4))
    assert experts["drafted"] == pytest.approx(128 * (1 - (120 / 128) ** 16)), "three drafts and one token, four times"
    assert experts["growth"] == pytest.approx(experts["drafted"] / experts["plain"])


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"costs": "1 10"}, "is not a cost"),
        ({"costs": ""}, "0 entries"),
        ({"table": "nobody's"}, "Unknown table"),
        ({"num_experts": 4}, "8 of 4 experts"),
        ({"round_ms": -1.0}, "cannot be negative"),
    ],
)
def test_what_cannot_be_is_refused(changed, sentence):
    with pytest.raises(PlaygroundError, match=sentence):
        answer_for(**changed)


def test_experts_touched_enter_the_cost_of_a_step():
    """One of four experts a token: a second token touches .75 of one more, of the half of 10 ms that reads one."""
    step = StepCosts((1, 8), (10.0, 10.0), num_experts=4, per_token=1, expert_share=0.5)
    assert step.step_ms(1) == 10 and step.step_ms(2) == pytest.approx(10 + 5 * 0.75)
    mixture = {"num_experts": 4, "per_token": 1, "batch": 1, "costs": "1: 10, 8: 10"}
    answer = answer_for(1.0, **mixture, expert_share=0.5)
    assert answer["tokens_per_s"][1] == pytest.approx(2000 / 13.75)
    assert answer_for(1.0, **mixture)["tokens_per_s"][1] == pytest.approx(200), "a table may have them already"


def test_what_a_state_that_cannot_be_cut_reads_again_enters_the_cost_of_a_round():
    """Of one draft at .6: rejected with .4, and the token before it is read again. Of two: .4 + 2 * .24."""
    assert read_again(0.6, 1) == pytest.approx(0.4) and read_again(0.6, 2) == pytest.approx(0.4 + 0.48)
    assert read_again(1.0, 5) == read_again(0.6, 0) == 0 and read_again(0.0, 5) == 1
    asked = {"costs": "1: 10, 11: 110", "batch": 1}  # A token takes ten milliseconds.
    assert answer_for(0.6, **asked)["tokens_per_s"][1] == pytest.approx(1000 * 1.6 / 20)
    assert answer_for(0.6, **asked, reads_again=True)["tokens_per_s"][1] == pytest.approx(1000 * 1.6 / 24)
    assert answer_for(1.0, **asked, reads_again=True)["speed_up"] == answer_for(1.0, **asked)["speed_up"]


def test_drafts_are_free_up_to_the_ridge_over_the_tokens_of_a_sequence():
    """A100, 16 bits: 312e12 operations and 2039e9 bytes a second meet at 153 tokens, 38 sequences of 3 drafts."""
    free = {each["machine"]: each["sequences"] for each in answer_for(draft_length=3)["free_up_to"]}
    assert free["NVIDIA A100 80 GB SXM"] == pytest.approx(312e12 / 2039e9 / 4)


def test_goodput_counts_what_the_last_round_of_a_text_writes_past_its_end():
    """Two tokens at acceptance .6 and one draft: one round with .6, else two, where 1.6 a round would need 1.25."""
    assert expected_rounds(0.6, 1, 2) == pytest.approx(1.4) and expected_rounds(0.6, 0, 7) == 7
    assert expected_rounds(1.0, 3, 4) == 1 and expected_rounds(1.0, 3, 5) == 2
    high = [answer_for(rate, costs="1: 10, 9: 10, 128: 500", batch=1)["written_past_the_end"] for rate in (0.5, 0.9)]
    assert 0 < high[0] < high[1] < 0.06


def test_the_slowest_in_20_is_the_latency_that_a_twentieth_exceeds(monkeypatch):
    served = Served([float(each) for each in range(1, 22)], 40.0, 1.5)  # 1 to 21 s: one of 21 is above 20
    monkeypatch.setattr(load, "serve", lambda *_, **__: served)
    result = load.under_arrivals(0.5, 2, 1.0, StepCosts((1,), (10.0,)))
    assert result.pop("capacity_per_s") > 1
    assert result == {"median_s": 11, "slowest_in_20_s": 20, "tokens_per_s": 40, "mean_batch": 1.5}


def test_requests_that_arrive_one_by_one_answer_in_the_time_of_their_rounds():
    """Far apart, each is alone: 64 steps of 10 ms, or 32 rounds of two tokens of a perfect drafter."""
    plain, drafted = answer_for(1.0, draft_length=1, arrivals_per_s=0.001)["served"]
    assert plain["median_s"] == pytest.approx(0.64) and drafted["median_s"] == pytest.approx(0.32)
    assert plain["mean_batch"] == pytest.approx(1, abs=0.01) and answer_for()["served"] == []


def test_past_what_a_full_batch_serves_no_latency_is_said_and_below_it_more_requests_change_little():
    """A step of 10 ms at any size: 32 sequences in 64 steps are 50 requests a second; with half the rounds, 100."""
    step = StepCosts((1, 1000), (10.0, 10.0))
    assert [capacity(1.0, length, step) for length in (0, 1)] == pytest.approx([50, 100])
    for arrivals, is_said in ((45.0, True), (50.0, False), (60.0, False)):
        few, many = (under_arrivals(1.0, 0, arrivals, step, count) for count in (500, 4000))
        assert (few["median_s"] is not None) == (many["median_s"] is not None) == is_said
        assert is_said or few["tokens_per_s"] == many["tokens_per_s"] == pytest.approx(50 * 64)
        assert not is_said or many["median_s"] == pytest.approx(few["median_s"], rel=0.1)
    plain, drafted = answer_for(1.0, draft_length=1, arrivals_per_s=70.0)["served"]
    assert plain["median_s"] is None and plain["capacity_per_s"] == pytest.approx(50) and drafted["median_s"] > 0
