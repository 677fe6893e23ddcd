"""Acceptance by depth in the player, by Node.js alone: over a whole run it is what playground/metrics counts."""

import gzip
import json
import shutil
import subprocess

import pytest

from playground.metrics.acceptance import acceptance_by_depth
from playground.paths import ASSETS
from playground.theory.proportion import wilson_interval
from playground.trace import load

COUNT = """
    const { folded } = await import(`${process.argv[1]}/learn/folded.js`);
    const byDepth = await import(`${process.argv[1]}/player/trace/by_depth.js`);
    const { acceptanceByDepth, intervalOf, overlapOf, rateOf } = byDepth;
    const files = JSON.parse(await new Response(process.stdin).text());
    const shown = (depth) => ({
      tries: depth.tries, passed: depth.passed, rate: rateOf(depth), overlap: overlapOf(depth),
      interval: depth.tries ? intervalOf(depth) : null,
    });
    const told = files.map((file) => {
      const { trace } = folded(file);
      const at = (step) => acceptanceByDepth(trace, step).map(shown);
      return trace.steps.map((step) => ({ rounds: step.totals.rounds, depths: at(step) }));
    });
    console.log(JSON.stringify(told));
"""


def test_the_player_counts_what_the_metrics_count():
    """Of every recorded run, over all of it; and a step in mid-round shows what the last complete round came to."""
    paths = sorted(ASSETS.glob("traces/*.gz"))
    files = [json.loads(gzip.decompress(path.read_bytes())) for path in paths]
    node = shutil.which("node")
    assert node, "tests/run installs Node.js where there is none"
    done = subprocess.run(
        [node, "--input-type=module", "-e", COUNT, str(ASSETS)],
        input=json.dumps(files),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    for path, steps in zip(paths, json.loads(done.stdout), strict=True):
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
