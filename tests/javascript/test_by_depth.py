"""Acceptance by depth in the player, by Node.js alone: over a whole run it is what playground/metrics counts."""

import pytest

from playground.metrics.acceptance import acceptance_by_depth
from playground.metrics.interval import wilson_interval
from playground.trace import load
from tests.javascript.node import RECORDED, ran, recorded_file

COUNT = """
    const { folded } = await load("learn/folded.js");
    const { acceptanceByDepth, intervalOf, overlapOf, rateOf } = await load("player/trace/by_depth.js");
    const shown = (depth) => ({
      tries: depth.tries, passed: depth.passed, rate: rateOf(depth), overlap: overlapOf(depth),
      interval: depth.tries ? intervalOf(depth) : null,
    });
    print(given.map((file) => {
      const { trace } = folded(file);
      const at = (step) => acceptanceByDepth(trace, step).map(shown);
      return trace.steps.map((step) => ({ rounds: step.totals.rounds, depths: at(step) }));
    }));
"""


def test_the_player_counts_what_the_metrics_count():
    """Of every recorded run, over all of it; and a step in mid-round shows what the last complete round came to."""
    for path, steps in zip(RECORDED, ran(COUNT, list(map(recorded_file, RECORDED))), strict=True):
        counted = acceptance_by_depth(load(path))
        last = steps[-1]["depths"]
        assert [each["tries"] for each in last] == [each.num_tries for each in counted], path.name
        assert [each["passed"] for each in last] == [each.num_passed for each in counted], path.name
        for found, right in zip(last, counted, strict=True):
            assert found["rate"] == pytest.approx(right.rate) and found["overlap"] == pytest.approx(right.exact)
            interval = wilson_interval(right.num_passed, right.num_tries)
            assert found["interval"] == (interval and pytest.approx(interval))
        by_rounds = {}
        for step in steps:
            assert by_rounds.setdefault(step["rounds"], step["depths"]) == step["depths"], path.name
