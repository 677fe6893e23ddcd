"""The stage at a step is the player's: its own modules, run by Node.js, say the same of every recorded run."""

import pytest

from playground.errors import PlaygroundError
from playground.notebook.stage import first_rounds_end, num_steps, stage_at
from playground.trace import Trace, load
from tests.javascript.node import RECORDED, ran, recorded_file
from tests.metrics.traces import coinciding_trace, empty_trace, interrupted_trace

FOLD = """
    const { folded } = await load("learn/folded.js");
    const { stateOf } = await load("player/trace/records.js");
    const { isSeen } = await load("player/stage/scene.js");
    print(given.map((file) => folded(file).trace.steps.map((step) => {
      const { round } = step;
      const nodes = round ? round.nodes.concat(round.extras).filter((node) => isSeen(node, step)) : [];
      return {
        round: round ? round.number : 0,
        frontier: round ? round.frontier.map(({ token }) => token) : [],
        nodes: nodes.map((node) => [node.token, node.parent.token, node.depth, stateOf(node, step)]),
      };
    })));
"""


def test_steps_of_every_recorded_run_have_the_nodes_and_states_of_the_player():
    for file, steps in zip(RECORDED, ran(FOLD, list(map(recorded_file, RECORDED))), strict=True):
        trace = load(file)
        assert len(steps) == num_steps(trace) > 10
        for step in [*range(0, len(steps), 25), len(steps) - 1]:
            stage = stage_at(trace, step)
            nodes = [[n.token, n.parent.token, n.depth, mark.state] for n, mark in stage.marks.items() if n.parent]
            assert (stage.round, nodes) == (steps[step]["round"], steps[step]["nodes"]), (file.name, step)
            frontier = [each.token for each in stage.frontier]
            assert step == 0 or frontier == steps[step]["frontier"], (file.name, step)


def test_a_run_that_only_began_has_one_step_and_an_interrupted_one_ends_where_it_was_cut():
    trace = interrupted_trace()
    assert stage_at(trace, num_steps(trace) - 1).kind == "drafted"
    drawn_twice = stage_at(coinciding_trace(), 1)
    assert [len(mark.qs) for mark in drawn_twice.marks.values()] == [2, 1], "a token drawn twice is one node"
    assert num_steps(empty_trace()) == 1 and first_rounds_end(empty_trace()) == 0
    assert stage_at(empty_trace(), 0).marks == {}


@pytest.mark.parametrize(("trace", "step", "said"), [(Trace(()), 0, "no step"), (empty_trace(), 1, "0 to 0")])
def test_a_step_that_is_not_there_is_one_sentence(trace, step, said):
    with pytest.raises(PlaygroundError, match=said):
        stage_at(trace, step)
    with pytest.raises(PlaygroundError, match="no step"):
        stage_at(trace, -1)
