"""The calibration measures every size it names, and nothing that is not there. Times themselves are not tested."""

from collections import Counter
from types import SimpleNamespace

import pytest

from playground.bench import calibration
from playground.bench.calibration import SIZES, calibrate, fastest_of, plain_step_s
from playground.decoding.decode import Request, Round
from playground.decoding.method import make_method
from playground.models.table_model import TableModel
from playground.theory.cost_model import Costs
from playground.trace.events import Committed, Trace
from tests.trace.example import replace, speculative_trace

TARGET, DRAFT = TableModel.random(5, order=2, seed=5), TableModel.random(5, order=1, seed=6)


def test_the_wait_is_foretold_within_a_factor_of_two(monkeypatch):
    """A run whose target calls took a second and whose draft calls took none: then it is the number of target calls."""
    calls = []
    forward = TableModel.forward
    monkeypatch.setattr(TableModel, "forward", lambda self, *asked: calls.append(self) or forward(self, *asked))
    calibrate(TARGET, DRAFT)
    trace = speculative_trace()
    rounds = {"verify_s": 1.0, "draft_s": 0.0}
    events = [replace(event, **rounds) if isinstance(event, Committed) else event for event in trace.events]
    assert 0.5 < calibration.expected_s(Trace(tuple(events))) / sum(each is TARGET for each in calls) < 2
    assert calibration.expected_s(Trace(())) == 0


def test_it_is_foretold_by_the_draft_calls_of_the_run_each_as_long_as_its_depth():
    """The target takes no time here, and both rounds draft two depths in 3 s."""
    events = [
        replace(event, verify_s=0.0, draft_s=3.0) if isinstance(event, Committed) else event
        for event in speculative_trace().events
    ]
    drafted = sum(size - 1 for size in SIZES[1:]) * (calibration.ROUNDS + 1)
    assert calibration.expected_s(Trace(tuple(events))) == pytest.approx(drafted * 3.0 / 2)


def test_every_size_has_its_time(monkeypatch):
    lengths, prompt = set(), calibration._prompt
    monkeypatch.setattr(calibration, "_prompt", lambda model, length: lengths.add(length) or prompt(model, length))
    monkeypatch.setattr(TARGET, "max_positions", 220)
    costs = calibrate(TARGET, DRAFT)
    assert lengths == {110}, "half of what a model can read, where that is less than the usual context"
    assert costs.sizes == SIZES
    assert costs.tree_sizes == (1, 2, 4, 5)  # There are as many siblings as tokens.
    assert min(*costs.chain_s, *costs.tree_s, costs.step_s, costs.draft_s) > 0
    alone = calibrate(TARGET, None)
    assert (alone.sizes, alone.draft_s, alone.cost_ratio) == ((1,), None, None), "without a draft model one node"


def test_a_step_counts_the_whole_round(monkeypatch):
    rounds = []
    monkeypatch.setattr(Round, "seconds", property(lambda item: rounds.append(item) or item.other_s + item.verify_s))
    request = Request(make_method("speculative_sampling"), TARGET, "", DRAFT, max_new_tokens=40, prompt_ids=(0, 1))
    assert plain_step_s(request) > 0
    assert len(rounds) == calibration.STEPS - 1  # the first is slow
    assert not any(item.draft.depths for item in rounds)
    assert plain_step_s(replace(request, max_new_tokens=1)) > 0, "a run of one round has a step too"


def test_a_draft_call_is_a_depths_share_of_a_rounds_drafting(monkeypatch):
    """Of seconds written by hand: 2 ms per drafted depth, 10 ms per target call, 1 ms outside both.

    So in the second round, the first that counts; every later one takes longer, and the fastest counts.
    """
    rounds_of = calibration._rounds

    def timed(request):
        return [
            replace(item, draft_s=late * 0.002 * len(item.draft.depths), verify_s=late * 0.01, other_s=late * 0.001)
            for late, item in enumerate(rounds_of(request), 1)
        ]

    monkeypatch.setattr(calibration, "_rounds", timed)
    costs = calibrate(TARGET, DRAFT)
    assert costs.draft_s == pytest.approx(0.002) and costs.cost_ratio == pytest.approx(0.2)
    assert costs.step_s == pytest.approx(0.011) and set(costs.chain_s) == {0.01}


def test_the_fastest_call_over_siblings_counts_and_the_first_does_not(monkeypatch):
    """A clock that the calls move: over n nodes n seconds, of which the first takes a tenth and the third a half."""
    now, calls = [0.0], Counter()

    def forward(tree, nodes):
        if nodes[0] in tree.trunk:  # the context, which is not timed
            now[0] += 100.0
            return
        calls[len(nodes)] += 1
        now[0] += len(nodes) * {1: 0.1, 3: 0.5}.get(calls[len(nodes)], 1.0)

    monkeypatch.setattr(calibration, "STARS", (1, 2, 4))
    monkeypatch.setattr(calibration.time, "perf_counter", lambda: now[0])
    target = SimpleNamespace(vocab_size=5, device=TARGET.device, forward=forward)
    assert calibration._stars(target, 8) == pytest.approx({1: 0.5, 2: 1.0, 4: 2.0})
    assert set(calls.values()) == {calibration.REPEATS + 1}


COSTS = Costs(step_s=1.0, sizes=(1, 3), chain_s=(1.0, 1.0), tree_sizes=(1,), tree_s=(1.0,), draft_s=0.1)


def test_of_several_calibrations_the_least_of_every_number_counts():
    other = Costs(step_s=0.9, sizes=(1, 3), chain_s=(1.1, 0.8), tree_sizes=(1,), tree_s=(0.7,), draft_s=None)
    assert fastest_of([COSTS, other]) == Costs(0.9, (1, 3), (1.0, 0.8), (1,), (0.7,), 0.1)
    assert fastest_of([other, replace(COSTS, draft_s=0.05), COSTS]).draft_s == 0.05
    assert fastest_of([other]).draft_s is None
