"""The speed of a recorded run follows from its clocks, or from those that were timed later."""

import pytest

from playground.paths import ASSETS
from playground.trace import load
from playground.ui.recorded import index
from playground.ui.speeds import speeds
from playground.views.plain_beside import compared


def test_a_run_that_was_timed_again_has_the_rates_of_that_turn():
    """64 tokens in the last second of each clock; their quotient is the median ratio, which is kept to 3 places."""
    speed = next(each for each in speeds() if each.name == "rsd_s")
    timed = compared()["rsd_s"]
    assert speed.own == load(ASSETS / "traces" / "rsd_s.json.gz").finished.num_tokens / timed["again"][-1]
    assert speed.plain == len(timed["plain"]) / timed["plain"][-1]
    assert speed.own / speed.plain == pytest.approx(speed.ratio[0], abs=0.01)


def test_plain_decoding_stands_by_itself_with_its_own_rate_and_every_run_is_there():
    by_name = {each.name: each for each in speeds()}
    assert [*by_name] == [entry["file"].partition(".")[0] for entry in index()]
    plain, trace = by_name["autoregressive"], load(ASSETS / "traces" / "autoregressive.json.gz")
    assert plain.plain is plain.ratio is None
    assert plain.own == trace.finished.num_tokens / trace.rounds[-1].committed.clock_s
