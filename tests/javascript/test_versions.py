"""The page opens a file of the version before as the program does, and refuses a damaged one."""

import gzip
import json
from pathlib import Path

from playground.trace import load, to_json
from tests.languages import run_node

FILE = Path(__file__).parents[1] / "trace" / "version_2.json.gz"
FOLD = """
    const root = `${process.argv[1]}/player/trace`;
    const { breach, breachOfFile } = await import(`${root}/checks.js`);
    const { current } = await import(`${root}/version_2.js`);
    const { Trace } = await import(`${root}/trace.js`);
    const { readFileSync } = await import("node:fs");
    console.log(JSON.stringify(process.argv.slice(2).map((path) => {
        const file = current(JSON.parse(readFileSync(path)));
        const trace = new Trace();
        file.events.forEach((event) => trace.push(event));
        const verdicts = trace.rounds.flatMap((round) => round.verdicts.map((each) => [each.node.id, each.outcome]));
        const damaged = file.events.map((event) => breach({ ...event, surprise: 1, round: -1, seed: "1" }));
        const unread = trace.rounds.map((round) => round.unread);
        return [breachOfFile(file), trace.steps.length, verdicts, damaged, unread];
    })));
"""


def test_a_file_of_version_2_is_the_same_run_on_the_page(tmp_path):
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    old.write_bytes(gzip.decompress(FILE.read_bytes()))
    new.write_text(to_json(load(FILE)))
    assert json.loads(old.read_text())["version"] == 2 and json.loads(new.read_text())["version"] == 3
    told, wanted = run_node(FOLD, str(old), str(new))
    assert told == wanted
    why, steps, verdicts, damaged, unread = told
    assert why is None and steps > 100 and len(verdicts) > 50 and not any(unread)
    assert [each for each in damaged if each is None] == damaged[-1:]  # the end has neither a round nor a seed
