"""The way products read is chosen by times on this machine, kept, and changes no bit."""

import numpy as np
import pytest
import torch

from playground.models.language_model import LanguageModel
from playground.models.passes import tuning
from playground.models.passes.block_pass import BlockPass
from playground.models.passes.compiled_pass import WIDTH, CompiledPass
from playground.models.passes.tuning import AHEAD, saved_readings, sentence, tune
from playground.models.products import compiled_kernel
from playground.tree import TokenTree
from tests.models.small import Numbers
from tests.models.test_block_pass import TWO, in_blocks

MATRIX = (np.zeros(tuning.ENOUGH_BYTES // 2, np.int16),), np.array((0, 512, 2**15, 0, 0, 1, 1))


class Machine:
    """A clock that products move on, each by what its reading takes."""

    def __init__(self, seconds):
        self.now, self.num_products, self._seconds = 0.0, 0, seconds

    def perf_counter(self):
        return self.now

    def multiply(self, _weights, position, given, _output):
        self.num_products += 1
        self.now += self._seconds(int(position[5]), int(position[6]), len(given))


@pytest.fixture
def chosen(monkeypatch, tmp_path):
    def choose(seconds, most_rows=8):
        saved_readings.cache_clear()
        machine, position = Machine(seconds), MATRIX[1].copy()
        monkeypatch.setattr(tuning, "time", machine)
        tune(machine.multiply, [(MATRIX[0], position)], most_rows, tmp_path, "a processor")
        return (int(position[5]), int(position[6])), machine.num_products

    yield choose
    saved_readings.cache_clear()


def by_distance(best):
    return lambda ahead, rows, count: 1e-4 * (count + (ahead != best)) / (2 if rows == 6 and count > 8 else 1)


def test_the_fastest_distance_and_group_are_chosen_once_and_kept(chosen, tmp_path):
    (reading, num_products), again = chosen(by_distance(2048)), chosen(by_distance(0))
    assert reading == (2048, 6) and num_products == tuning.TURNS * (2 * len(tuning.DISTANCES) + 5)
    assert again == ((2048, 6), 0)
    assert chosen(by_distance(0), most_rows=5) == ((2048, 5), 0), "more rows than are compiled never go together"
    assert sentence(saved_readings(tmp_path)) == (
        f"a processor: asks 2048 bytes ahead (0.60 ms for 1 and 5 rows, 0.80 with {AHEAD}, 0.80 without), 6 rows "
        "together"
    )


def test_what_is_hardly_faster_is_not_chosen(chosen):
    assert chosen(lambda ahead, rows, _count: 1e-3 - 1e-5 * (ahead == 0) - 1e-5 * (rows == 5))[0] == (AHEAD, 8)


def test_timing_ends_after_its_seconds(chosen):
    """The second turn is made whole."""
    assert chosen(lambda *_: 1.0)[1] == 2 * (2 * len(tuning.DISTANCES) + 5)


@pytest.mark.parametrize("content", ["", "[]", '{"another processor": {"ahead": 0}}'])
def test_a_file_without_this_processor_is_timed_anew(content, chosen, tmp_path):
    (tmp_path / tuning.FILE).write_text(content)
    assert chosen(by_distance(0))[0] == (0, 6)


def test_matrices_that_stay_in_a_cache_are_not_timed(tmp_path):
    position = np.array((0, 512, 2**14, 0, 0, 1, 1))
    tune(None, [(MATRIX[0], position)], 8, tmp_path, "a processor")
    assert tuple(position[5:]) == (1, 1) and not [*tmp_path.iterdir()]
    assert sentence(saved_readings(tmp_path)).startswith("nothing timed yet")


@pytest.mark.skipif(not compiled_kernel(), reason="this needs numba")
@pytest.mark.parametrize("kind", ["dense", "exact", "rounded"])
def test_no_reading_changes_a_bit(kind):
    model, blocks = in_blocks(TWO)
    own = CompiledPass(model) if kind == "dense" else BlockPass(model, blocks)
    fast = LanguageModel(model, Numbers(), name="it", forward_pass=own.rounding_rows() if kind == "rounded" else own)
    results = []
    for reading in ((AHEAD, 5), (0, 1), (16384, 3)):
        for position in [*own._arrays[0].reshape(-1, WIDTH), own._head_matrix]:
            position[5:] = reading
        tree = TokenTree([3, 1, 4, 1, 5])
        results.append(fast.logits(tree, [4, *(tree.add(4, token) for token in range(9))]))
    assert torch.equal(results[0], results[1]) and torch.equal(results[0], results[2])
