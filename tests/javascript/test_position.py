"""A position of a run as the Lab takes it, by Node.js alone: the numbers are those of the trace."""

import json

import pytest

from playground.paths import ASSETS
from playground.trace import load
from playground.trace.events import Drafted, Scored
from playground.trace.storage import to_json
from tests.browser.lens_traces import recorded
from tests.javascript.node import ran

REJECTED = """
    const { folded } = await load("learn/folded.js");
    const { positionOf } = await load("player/trace/position.js");
    const { trace } = folded(given.file);
    const rejected = trace.steps.filter(({ kind, verdict }) => kind === "verified" && verdict.outcome === "rejected");
    const all = rejected.map(({ round, verdict: { node } }) => ({
      ...positionOf(trace, node), token: node.token, parent: node.parent.id, number: round.number,
    }));
    const isWanted = ({ lumped, several }) => (!given.lumped || lumped === given.lumped) && (!given.several || several);
    print(all.find(isWanted) ?? all[0]);
"""


def in_trace(trace, position):
    """The position's {token: (p, q)} as recorded, its exact shared mass, and how many drafts were drawn there."""
    scored = next(each for each in trace.events if isinstance(each, Scored) and each.round == position["number"])
    row = scored.nodes.index(position["parent"])
    depths = [each for each in trace.events if isinstance(each, Drafted) and each.round == position["number"]]
    drafts = sum(depth.parents.count(position["parent"]) for depth in depths)
    return {token: (p, q) for token, p, q, *_ in scored.alternatives[row]}, scored.overlaps[row], drafts


@pytest.mark.parametrize("name", ["speculative_sampling", "rsd_s"])
def test_a_rejected_token_has_its_own_numbers_and_all_others_are_one_or_two(name):
    trace = load(ASSETS / "traces" / f"{name}.json.gz")
    position = ran(REJECTED, {"file": json.loads(to_json(trace)), "lumped": 2})
    pairs, exact, drafts = in_trace(trace, position)
    p, q = position["p"], position["q"]
    assert len(p) == 8 and position["lumped"] == 2 and position["drafts"] == drafts
    assert position["names"][-2:] == ["others:p>q", "others:q>p"]
    assert all(pair in pairs.values() for pair in zip(p[:-2], q[:-2], strict=True))
    assert (p[0], q[0]) == pairs[position["token"]], "the token itself is among them"
    assert p[-2] > q[-2] and p[-1] < q[-1]
    assert sum(p) == pytest.approx(1) and sum(q) == pytest.approx(1) and position["exact"] == exact
    assert sum(map(min, p, q)) == pytest.approx(exact, abs=1e-4)  # the trace's four digits
    assert not position["several"]


def test_draws_with_laws_of_their_own_are_said_to_have_them():
    file = recorded("specinfer", first_draws=3, temperature_spread=3, draft_length=1)
    assert ran(REJECTED, {"file": file, "several": True})["several"]
    assert not ran(REJECTED, {"file": recorded("specinfer", first_draws=3, draft_length=1), "several": True})["several"]


def test_where_the_trace_holds_no_q_there_is_a_sentence():
    position = ran(REJECTED, {"file": json.loads(to_json(load(ASSETS / "traces" / "dsbd.json.gz")))})
    assert "no single draft distribution" in position["why"] and "p" not in position
