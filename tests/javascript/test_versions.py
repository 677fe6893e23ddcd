"""The page opens a file of the version before as the program does, and refuses a damaged one."""

import json
from pathlib import Path

from playground.trace import load, to_json
from tests.javascript.node import ran, recorded_file

FILE = Path(__file__).parents[1] / "trace" / "version_2.json.gz"
FOLD = """
    const { breach, breachOfFile } = await load("player/trace/checks.js");
    const { current } = await load("player/trace/version_2.js");
    const { Trace } = await load("player/trace/trace.js");
    print(given.map((old) => {
        const file = current(old);
        const trace = new Trace();
        file.events.forEach((event) => trace.push(event));
        const verdicts = trace.rounds.flatMap((round) => round.verdicts.map((each) => [each.node.id, each.outcome]));
        const damaged = file.events.map((event) => breach({ ...event, surprise: 1, round: -1, seed: "1" }));
        const unread = trace.rounds.map((round) => round.unread);
        return [breachOfFile(file), trace.steps.length, verdicts, damaged, unread];
    }));
"""


def test_a_file_of_version_2_is_the_same_run_on_the_page():
    old, new = recorded_file(FILE), json.loads(to_json(load(FILE)))
    assert old["version"] == 2 and new["version"] == 3
    told, wanted = ran(FOLD, [old, new])
    assert told == wanted
    why, steps, verdicts, damaged, unread = told
    assert why is None and steps > 100 and len(verdicts) > 50 and not any(unread)
    assert [each for each in damaged if each is None] == damaged[-1:]  # the end has neither a round nor a seed
