"""Threads that run a compiled pass together write what one writes, to the last bit; none waits for one that failed."""

import threading
from importlib import import_module
from itertools import pairwise

import numpy as np
import pytest
import torch

from playground.models.language_model import LanguageModel
from playground.models.machine import machine
from playground.models.modes import use_threads
from playground.models.passes import team as team_module
from playground.models.passes.block_pass import BlockPass
from playground.models.passes.compiled_pass import CompiledPass
from playground.models.passes.team import LOST, Team
from playground.models.products import compiled_kernel
from playground.tree import TokenTree
from tests.models.small import Numbers
from tests.models.test_block_pass import TWO, in_blocks
from tests.models.test_compiled_pass import model_of


@pytest.fixture(autouse=True)
def one_thread_after():
    yield
    use_threads(1)


def logits_by(model, number):
    """Two calls: a branching tree behind a text, then a longer text behind what was kept."""
    use_threads(number)
    tree = TokenTree([3, 1, 4, 1, 5])
    first = model.logits(tree, [4, *(tree.add(4, token) for token in range(9))])
    tree.retain([5])
    return torch.cat([first, model.logits(tree, [tree.add(5, token) for token in range(2)])])


@pytest.mark.skipif(not compiled_kernel(), reason="this needs numba")
@pytest.mark.parametrize("kind", ["llama", "qwen2", "qwen3", "halved", "exact", "rounded"])
def test_a_row_is_the_same_whatever_the_number_of_threads(kind):
    """Five are more than there are groups of heads: one has no attention to compute."""
    if kind in ("exact", "rounded"):
        block_pass = BlockPass(*in_blocks(TWO))
        own, model = (block_pass.rounding_rows() if kind == "rounded" else block_pass), in_blocks(TWO)[0]
    else:
        model = model_of("llama" if kind == "halved" else kind)
        own = CompiledPass(model, halved=kind == "halved")
    fast = LanguageModel(model, Numbers(), name="it", forward_pass=own)
    alone = logits_by(fast, 1)
    for number in (2, 3, 5):
        assert torch.equal(logits_by(fast, number), alone)


def test_torch_has_the_threads_during_a_pass_of_its_own_and_one_beside():
    asked, model = [], LanguageModel(model_of("llama"), Numbers(), name="it")
    model.model.register_forward_pre_hook(lambda *_: asked.append(torch.get_num_threads()))
    logits_by(model, 2)
    assert set(asked) == {2} and torch.get_num_threads() == 1
    assert machine(torch.device("cpu"))["threads"] == 2


def test_who_comes_while_the_threads_work_works_alone():
    team, seen, entered, leave = Team(), [], threading.Event(), threading.Event()

    def wait(index, number, _barrier):
        seen.append((index, number))
        entered.set()
        leave.wait(10)

    first = threading.Thread(target=team.run, args=(wait, 1 + 1))
    first.start()
    assert entered.wait(10)
    team.run(lambda index, number, _barrier: seen.append((index, number, "alone")), 2)
    leave.set()
    first.join(10)
    assert (0, 1, "alone") in seen and (0, 2) in seen


def test_a_thread_that_fails_is_said_and_the_next_program_runs():
    team, ran = Team(), []

    def fail(index, _number, barrier):
        if index:
            raise MemoryError
        while not barrier[LOST]:
            pass

    with pytest.raises(RuntimeError, match="a thread of a compiled pass failed"):
        team.run(fail, 2)
    team.run(lambda index, number, _barrier: ran.append(number), 1)
    assert ran == [1]


@pytest.mark.skipif(not compiled_kernel(), reason="this needs numba")
def test_shares_are_whole_units_and_all_of_them():
    share = import_module("playground.models.passes.meeting").share
    for total, unit, number in ((48, 16, 2), (3, 1, 5), (1000, 16, 3), (16, 64, 2)):
        shares = [share(total, unit, index, number) for index in range(number)]
        assert [shares[0][0], shares[-1][1]] == [0, total]
        assert all(end == start for (_, end), (start, _) in pairwise(shares))
        assert all(start % unit == 0 for start, end in shares if start < end)


@pytest.mark.skipif(not compiled_kernel(), reason="this needs numba")
def test_nobody_waits_at_a_barrier_for_one_that_is_lost():
    meet = import_module("playground.models.passes.meeting").meet
    barrier = np.zeros(team_module.NUMBERS, np.int64)
    barrier[LOST] = 1
    meet(barrier, 2)
    assert barrier[0] == 1
