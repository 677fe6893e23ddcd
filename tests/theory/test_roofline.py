"""Equation 9 with numbers that can be checked by hand."""

import dataclasses

import numpy as np
import pytest

from playground.theory.roofline import (
    A100,
    CPU_CORE,
    L40,
    MACHINES,
    Machine,
    ModelSize,
    call_growth,
    crossover_batch,
    free_nodes,
    work_seconds,
)

HAND = Machine("hand", "by hand", flops_per_s=100.0, bytes_per_s=10.0, flop_w=3.0, memory_w=5.0, source="")
SMALL = ModelSize(parameters=50, bytes_per_parameter=2, kv_bytes_per_token=4)


def test_no_work_takes_no_time_and_a_pass_what_can_be_checked_by_hand():
    assert work_seconds(HAND, SMALL, passes=0, fed=0, read=0) == (0, 0)
    # 2 * 50 * 3 operations in 3 s; 50 * 2 + 4 * 7 bytes in 12.8 s
    assert work_seconds(HAND, SMALL, passes=1, fed=3, read=7) == pytest.approx((3, 12.8))


def test_time_is_linear_in_the_work_of_many_runs_at_once():
    works = np.array(work_seconds(HAND, SMALL, passes=[2, 1, 3], fed=[5, 1, 6], read=[30, 9, 39]))  # (2, 3)
    assert works[:, 2] == pytest.approx(works[:, 0] + works[:, 1])


def test_on_a_gpu_reading_the_weights_dominates_a_small_batch():
    """The paper's argument: for its 13 B model, 16 tokens in a pass take hardly more energy than one."""
    large = ModelSize(13e9, 2, kv_bytes_per_token=2 * 40 * 5120 * 2)
    seconds = [work_seconds(L40, large, passes=1, fed=fed, read=128 + fed) for fed in (1, 16)]
    one, sixteen = (flop_s * L40.flop_w + memory_s * L40.memory_w for flop_s, memory_s in seconds)
    assert one < sixteen < 1.15 * one


@pytest.mark.parametrize("machine", [L40, A100, CPU_CORE])
def test_reading_takes_more_power_than_arithmetic_as_the_paper_says(machine):
    assert 1.2 <= machine.memory_w / machine.flop_w <= 1.3 and machine.source
    assert MACHINES[machine.id] is machine


@pytest.mark.parametrize("value", [0, -1, float("inf"), float("nan")])
def test_a_constant_that_is_none_is_refused(value):
    with pytest.raises(ValueError, match="bytes_per_s must be a positive number"):
        Machine("x", "x", 1.0, value, 1.0, 1.0, "")


def test_negative_work_is_refused():
    with pytest.raises(ValueError, match="negative"):
        work_seconds(HAND, SMALL, passes=1, fed=np.array([1, -1]), read=1)


def test_a_call_grows_once_its_arithmetic_takes_longer_than_reading():
    """An L40 at 16 bits: 181e12 * 2 / (2 * 864e9) = 209.5 nodes are free."""
    free = free_nodes(L40, 2)
    assert free == pytest.approx(209.49, abs=0.01)
    assert call_growth(L40, 2, [1, 100, 209]).tolist() == [1, 1, 1]
    assert call_growth(L40, 2, 2 * free) == pytest.approx(2)


def test_a_machine_that_reads_faster_than_it_calculates_has_no_free_nodes():
    slow = dataclasses.replace(L40, flops_per_s=1e9)
    assert free_nodes(slow, 2) < 1
    assert call_growth(slow, 2, [1, 7]).tolist() == pytest.approx([1, 7])


def test_batches_cross_over_where_their_tokens_reach_the_ridge():
    """An A100 at 16 bits: 312e12 / 2039e9 = 153 tokens, so 30.6 sequences of 4 drafts and a token of the target's."""
    assert crossover_batch(A100, 2, 4) == pytest.approx(30.6, abs=0.01)
    assert crossover_batch(A100, 2, 0) == pytest.approx(free_nodes(A100, 2))
