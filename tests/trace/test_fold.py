"""The fold of a trace, in Python and in the player: one golden file holds both, and every recorded run folds alike."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from playground.errors import PlaygroundError
from playground.paths import ASSETS
from playground.trace import load, save
from playground.trace.events import Trace
from playground.trace.fold import Fold
from playground.trace.texts import best_text
from tests.javascript.node import ran
from tests.metrics.traces import coinciding_trace, empty_trace, interrupted_trace
from tests.trace.example import speculative_trace

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "fold.json").read_text(encoding="utf-8"))
EXAMPLES = {
    "two rounds": speculative_trace(),
    "draws that coincide": coinciding_trace(),
    "cut short": interrupted_trace(),
}
PLAYER = """
    const { folded } = await load("learn/folded.js");
    const wordsAt = ({ words, emitted }) => words.slice(0, emitted).map(({ node }) => node.id);
    const summary = ({ rounds, steps }) => ({
      rounds: rounds.map((round) => ({
        number: round.number,
        frontier: round.frontier.map(({ id }) => id),
        nodes: round.nodes.concat(round.extras).map((node) => [
          node.id, node.parent.id, node.token, node.draws.map(({ q, verdict }) => [q, verdict && verdict.outcome]),
        ]),
        emitted: round.committed.map(({ id, origin }) => [id, origin]),
        kept: round.numKept,
        text: round.commit ? wordsAt(steps[round.lastStep]).slice(round.numKept) : [],
        clock_s: round.commit ? round.commit.clock_s : null,
      })),
      steps: steps.map(({ kind, round, layers, verdicts }) => [kind, round ? round.number : 0, layers, verdicts]),
    });
    const { readFileSync } = await import("node:fs");
    const { gunzipSync } = await import("node:zlib");
    const read = (path) => JSON.parse(gunzipSync(readFileSync(path)).toString());
    print(PATHS.map((path) => summary(folded(read(path)).trace)));
"""


def summary(trace: Trace) -> dict[str, Any]:
    fold = Fold(trace)
    return {
        "rounds": [
            {
                "number": each.number,
                "frontier": [node.id for node in each.frontier],
                "nodes": [
                    [node.id, node.parent and node.parent.id, node.token, draws_of(node)]
                    for node in (*each.nodes, *each.extras)
                ],
                "emitted": [[node.id, node.origin] for node in each.emitted],
                "kept": each.num_kept,
                "text": [node.id for node in each.words],
                "clock_s": each.committed.clock_s if each.committed else None,
            }
            for each in fold.rounds
        ],
        "steps": [[step.kind, step.round.number if step.round else 0, *step[2:]] for step in fold.steps],
    }


def draws_of(node) -> list[list]:
    return [[draw.q, draw.verdict and draw.verdict.outcome] for draw in node.draws]


def by_player(paths: list[Path]) -> list[dict[str, Any]]:
    return ran(PLAYER.replace("PATHS", json.dumps(list(map(str, paths)))))


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> list[Path]:
    folder = tmp_path_factory.mktemp("examples")
    for name, trace in EXAMPLES.items():
        save(trace, folder / f"{name}.json.gz")
    return [folder / f"{name}.json.gz" for name in EXAMPLES]


def test_the_examples_fold_into_the_golden_file(files):
    assert {name: summary(trace) for name, trace in EXAMPLES.items()} == GOLDEN
    assert dict(zip(EXAMPLES, by_player(files), strict=True)) == GOLDEN


def test_every_recorded_run_folds_alike_in_the_player():
    paths = sorted(ASSETS.glob("traces/*.json.gz"))
    for path, there in zip(paths, by_player(paths), strict=True):
        here = summary(load(path))
        assert here["steps"] == there["steps"], path.name
        for one, other in zip(here["rounds"], there["rounds"], strict=True):
            assert one == other, (path.name, one["number"])


def test_the_text_is_that_of_the_rounds_and_clocks_go_on():
    for path in sorted(ASSETS.glob("traces/*.json.gz")):
        trace = load(path)
        fold = Fold(trace)
        assert [(node.id, node.token) for node in fold.words] == [(word.node, word.token) for word in best_text(trace)]
        clocks = [each.committed.clock_s for each in fold.rounds if each.committed]
        assert all(before < after for before, after in pairwise(clocks)), path.name


def test_a_run_that_only_began_is_one_step():
    assert [step.kind for step in Fold(empty_trace()).steps] == ["start"] and Fold(empty_trace()).rounds == []
    assert Fold(Trace(())).steps == []


def test_a_node_that_no_event_has_made_is_one_sentence():
    started, _, _, scored, *_ = speculative_trace().events
    with pytest.raises(PlaygroundError, match="Node 2 comes before"):
        Fold(Trace((started, scored)))
