"""Measured and estimated energy stand side by side and never mix."""

import pytest

from playground.errors import PlaygroundError
from playground.metrics.energy import energy, estimate_energy, machine_from, nearest_machine
from playground.theory.roofline import A100, CPU_CORE, L40, Machine, ModelSize, work_seconds
from playground.trace.events import Committed, RunFinished, RunStarted, Trace
from tests.metrics.traces import empty_trace, interrupted_trace
from tests.trace.example import autoregressive_trace, replace, speculative_trace

HAND = Machine("hand", "by hand", flops_per_s=100.0, bytes_per_s=10.0, flop_w=3.0, memory_w=5.0, source="")
TARGET = {"name": "t", "parameters": 50, "layers": 2, "dtype": "float16", "device": "cpu", "kv_bytes_per_token": 4}
DRAFT = TARGET | {"name": "d", "parameters": 5}
WORK = ([2, 3, 9], [2, 2, 12])  # They are the passes, tokens fed and tokens read of the example's two rounds.


def joules_of(size, **work):
    flop_s, memory_s = work_seconds(HAND, size, **work)
    return flop_s * HAND.flop_w + memory_s * HAND.memory_w


def known(trace, *, work=WORK, **facts):
    """The trace as a recorder of today would have written it: with the models' sizes and the draft model's work."""
    works = iter(work)
    changed = []
    for event in trace.events:
        if isinstance(event, RunStarted):
            event = replace(event, target=TARGET | facts, draft=DRAFT | facts if event.draft else None)
        if isinstance(event, Committed):
            event = replace(event, draft_work=list(next(works)))
        changed.append(event)
    return Trace(tuple(changed))


def test_the_empty_trace_has_taken_no_energy():
    assert estimate_energy(known(empty_trace())).joules == 0
    assert energy(known(empty_trace()))["reason"] == "the run has not ended"


def test_the_estimate_is_equation_9_over_all_rounds():
    trace = known(speculative_trace())
    estimate = estimate_energy(trace, HAND)
    small, large = ModelSize(5, 2, 4), ModelSize(50, 2, 4)
    assert estimate.draft_j == pytest.approx(joules_of(small, passes=4, fed=5, read=21))
    scored = [event for event in trace.events if type(event).__name__ == "Scored"]
    fed = sum(len(event.fed) for event in scored)
    read = sum(event.num_cached + len(event.fed) for event in scored)
    assert estimate.verify_j == pytest.approx(joules_of(large, passes=2, fed=fed, read=read))
    assert estimate.joules == estimate.draft_j + estimate.verify_j


def test_no_phase_of_an_estimate_lasts_longer_than_the_calls_of_its_run():
    """A core whose constants would have it read for 40 times the run's length is taken to be as fast as the run."""
    trace = known(speculative_trace(), parameters=2_000_000_000)
    measured_s = sum(each.committed.draft_s + each.committed.verify_s for each in trace.rounds)
    estimate, slow = estimate_energy(trace), estimate_energy(trace, CPU_CORE)
    longest = [max(sum(part[kind] for part in each.seconds.values()) for kind in (0, 1)) for each in (estimate, slow)]
    assert longest[0] == pytest.approx(measured_s) and longest[1] > 40 * measured_s
    assert estimate.joules == pytest.approx((CPU_CORE.flop_w + CPU_CORE.memory_w) * measured_s)
    assert "Raised to the rates of this run" in estimate.machine.source


def test_a_run_that_its_machine_could_have_made_keeps_the_machines_constants():
    assert estimate_energy(known(speculative_trace())).machine == CPU_CORE


def test_plain_decoding_wastes_nothing():
    trace = known(autoregressive_trace(), work=[[0, 0, 0]] * 9)
    estimate = estimate_energy(trace, HAND)
    assert estimate.draft_j == 0 and estimate.rejected_j == 0 and estimate.verify_j > 0


def test_rejected_drafts_take_their_share_of_drafting_and_what_the_target_would_have_spared():
    """In the example's first round one of two drafts became text; in the second, both did."""
    estimate = estimate_energy(known(speculative_trace()), HAND)
    small, large = ModelSize(5, 2, 4), ModelSize(50, 2, 4)
    first_draft = joules_of(small, passes=2, fed=3, read=9)
    one_node = joules_of(large, passes=0, fed=1, read=1)
    assert estimate.rejected_j == pytest.approx(first_draft / 2 + one_node)


def test_an_interrupted_run_is_estimated_up_to_its_last_complete_round():
    whole, part = (known(trace) for trace in (speculative_trace(), interrupted_trace()))
    assert 0 < estimate_energy(part).joules < estimate_energy(whole).joules


@pytest.mark.parametrize(
    "facts", [{"layers": 0}, {"dtype": "int3"}, {"kv_bytes_per_token": None}, {"parameters": None}]
)
def test_without_the_models_sizes_there_is_no_estimate(facts):
    assert estimate_energy(known(speculative_trace(), **facts)) is None


def test_without_the_draft_models_work_there_is_no_estimate():
    assert estimate_energy(known(speculative_trace(), work=[[], []])) is None
    assert estimate_energy(known(autoregressive_trace(), work=[[]] * 3), HAND).draft_j == 0


def test_the_estimate_never_fills_in_for_a_measurement():
    joules = energy(known(speculative_trace()))
    assert joules["joules"] is None and joules["estimated_joules"] > 0
    assert joules["estimated_with"]["id"] == "cpu_core" and "assumption" in joules["estimated_with"]["source"]


def test_what_was_measured_is_told_as_it_stands_in_the_trace():
    measured = {"joules": 12.5, "source": "a counter", "reason": None, "window_s": 0.5, "resolution_s": 0.1}
    *before, end = speculative_trace().events
    assert isinstance(end, RunFinished)
    joules = energy(Trace((*before, replace(end, energy=measured))))
    assert joules.items() >= measured.items() and joules["estimated_joules"] is None


def test_a_trace_without_a_word_of_energy_says_so():
    *before, end = speculative_trace().events
    assert energy(Trace((*before, replace(end, energy={}))))["reason"] == "the trace does not say"


@pytest.mark.parametrize(
    ("device", "gpu", "machine"),
    [("cpu", None, CPU_CORE), ("cuda:0", "NVIDIA A100-SXM4-80GB", A100), ("cuda:0", "Some GPU", L40)],
)
def test_the_constants_follow_the_machine_of_the_run(device, gpu, machine):
    start = speculative_trace().events[0]
    assert nearest_machine(replace(start, target=TARGET | {"device": device}, machine={"gpu": gpu})) is machine


def test_constants_can_be_changed_and_say_so():
    changed = machine_from("l40", {"memory_w": "200"})
    assert changed.memory_w == 200 and changed.flop_w == L40.flop_w and "Changed here: memory_w" in changed.source
    assert machine_from("l40") == L40


@pytest.mark.parametrize(
    ("name", "constants", "message"),
    [
        ("l4", {}, "Did you mean 'l40'"),
        ("l40", {"memory": "2"}, "Did you mean 'memory_w'"),
        ("l40", {"memory_w": "much"}, "must be a number"),
        ("l40", {"memory_w": "0"}, "positive number"),
        ("l40", {"memory_w": "nan"}, "positive number"),
    ],
)
def test_constants_that_cannot_be_are_refused(name, constants, message):
    with pytest.raises(PlaygroundError, match=message):
        machine_from(name, constants)


def test_the_seconds_of_the_three_parts_are_those_that_watts_are_multiplied_by():
    """Other watts than the machine's: one's own for arithmetic and for memory."""
    trace = known(speculative_trace())
    estimate = estimate_energy(trace, HAND)
    small, large = ModelSize(5, 2, 4), ModelSize(50, 2, 4)
    assert estimate.seconds["draft"] == pytest.approx(work_seconds(HAND, small, passes=4, fed=5, read=21))
    assert estimate.seconds["rejected"] == pytest.approx(work_seconds(HAND, large, passes=0, fed=1, read=1))
    assert estimate.seconds["text"] == pytest.approx(work_seconds(HAND, large, passes=2, fed=5, read=9))
    said = energy(trace, HAND)
    assert said["estimated_seconds"] == estimate.seconds and said["estimated_with"]["id"] == "hand"
    assert said["estimated_draft_joules"] == estimate.draft_j and said["estimated_verify_joules"] == estimate.verify_j
    assert said["estimated_joules"] == estimate.joules and said["estimated_rejected_joules"] == estimate.rejected_j


def test_every_draft_model_has_its_own_size_and_one_without_a_size_leaves_no_estimate():
    work = [[2, 3, 9, 1, 1, 2], [2, 2, 12, 1, 1, 3]]
    trace = known(speculative_trace(), work=work)
    other = Trace((replace(trace.started, other_drafts=[DRAFT | {"parameters": 20}]), *trace.events[1:]))
    drafting = joules_of(ModelSize(5, 2, 4), passes=4, fed=5, read=21)
    drafting += joules_of(ModelSize(20, 2, 4), passes=2, fed=2, read=5)
    assert estimate_energy(other, HAND).draft_j == pytest.approx(drafting)
    unknown = Trace((replace(trace.started, other_drafts=[{"name": "table"}]), *trace.events[1:]))
    assert estimate_energy(unknown, HAND) is None


def test_of_a_file_in_blocks_the_bytes_of_the_blocks_are_read_and_without_them_nothing_is_said():
    blocks = {"forward_pass": "lean, compiled, GGUF blocks", "dtype": "float32"}
    trace = known(speculative_trace(), **blocks)
    assert estimate_energy(trace, HAND) is None
    start = replace(trace.started, target=trace.started.target | {"reads": {"weights": 40, "bytes": 25}})
    estimate = estimate_energy(Trace((start, *trace.events[1:])), HAND)
    assert estimate is None, "the draft's are not known either"
    start = replace(start, draft=start.draft | {"reads": {"weights": 8, "bytes": 5}})
    estimate = estimate_energy(Trace((start, *trace.events[1:])), HAND)
    assert estimate.verify_j == pytest.approx(joules_of(ModelSize(40, 0.625, 4), passes=2, fed=6, read=10))


@pytest.mark.parametrize(
    ("dtype", "width"), [("float64", 8), ("float32", 4), ("bfloat16", 2), ("float16", 2), ("float16 and float32", 2)]
)
def test_a_weight_is_read_in_its_own_width(dtype, width):
    estimate = estimate_energy(known(speculative_trace(), dtype=dtype), HAND)
    assert estimate.verify_j == pytest.approx(joules_of(ModelSize(50, width, 4), passes=2, fed=6, read=10))
