"""Plain decoding beside a run, by Node.js alone: how many tokens it had by a moment of the recorded clock."""

import json
import shutil
import subprocess

import pytest

from playground.views.modules import ASSETS

COUNT = """
    const { hadBy } = await import(`${process.argv[1]}/player/playback/clocks.js`);
    const cases = JSON.parse(await new Response(process.stdin).text());
    console.log(JSON.stringify(cases.map(([times, now]) => hadBy(times, now))));
"""


def test_a_part_of_the_next_token_counts_and_none_beyond_the_last():
    """By hand: two tokens a second, then one after another second."""
    times = [0.5, 1.0, 2.0]
    moments = {0.0: 0.0, 0.25: 0.5, 0.5: 1.0, 0.75: 1.5, 1.0: 2.0, 1.5: 2.5, 2.0: 3.0, 9.0: 3.0}
    node = shutil.which("node")
    assert node, "tests/run installs Node.js where there is none"
    done = subprocess.run(
        [node, "--input-type=module", "-e", COUNT, str(ASSETS)],
        input=json.dumps([[times, now] for now in moments]),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout) == pytest.approx(list(moments.values()))
