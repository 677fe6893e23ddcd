"""Plain decoding stands beside a run of the same prompt, sampling, seed, length and machine, and beside no other."""

import pytest

from playground.trace.storage import load, save
from playground.views.plain_beside import PLAIN, plain_clock
from tests.trace.example import autoregressive_trace, replace


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
