"""Plain decoding stands beside a run of the same prompt, sampling, seed, length and machine, and beside no other."""

import gzip
import json

import pytest

from playground.trace.storage import load, save
from playground.views.plain_beside import FILE, PLAIN, clocks, plain_clock
from tests.trace.example import autoregressive_trace, replace, speculative_trace


@pytest.fixture
def kept(tmp_path):
    """A folder of assets with one recorded run of plain decoding, and that run."""
    (tmp_path / "traces").mkdir()
    save(autoregressive_trace(), tmp_path / "traces" / PLAIN[0])
    return tmp_path, load(tmp_path / "traces" / PLAIN[0])


def test_the_clock_is_that_of_its_tokens(kept):
    assets, plain = kept
    clock = plain_clock(replace(plain.started, method="rsd_s"), assets)
    assert clock == [each.committed.clock_s for each in plain.rounds] and clock == sorted(clock)
    assert len(clock) == plain.finished.num_tokens


@pytest.mark.parametrize(
    "other", [{"seed": 99}, {"prompt": "Another"}, {"max_new_tokens": 7}, {"machine": {}}, {"sampling": {}}]
)
def test_no_other_run_has_it_beside(kept, other):
    assets, plain = kept
    assert plain_clock(replace(plain.started, method="rsd_s", **other), assets) is None
    assert plain_clock(plain.started, assets) is None, "nor plain decoding itself"


def test_a_run_that_was_timed_again_has_the_clocks_of_that_turn_unless_it_has_other_rounds_now(tmp_path):
    trace = speculative_trace()
    timed = {"plain": [0.1, 0.2], "again": [0.1 * (i + 1) for i in range(len(trace.rounds))]}
    content = {"runs": {"chain": timed, "changed": timed | {"again": [0.1]}}}
    (tmp_path / FILE).parent.mkdir()
    (tmp_path / FILE).write_bytes(gzip.compress(json.dumps(content).encode()))
    assert clocks("chain", trace, tmp_path) == timed
    for name in ("changed", "another"):
        assert clocks(name, trace, tmp_path) == {"plain": None, "again": None}
