"""Nothing but decoding is inside a race's times: a clock that only the doubles move shows whose time was counted."""

import pytest

from playground.bench.grid import Grid
from playground.bench.race import race
from playground.decoding import decode, reader, record
from playground.decoding.method import make_method
from playground.metrics.summary import summarise
from playground.models.loading import LoadedPair
from playground.models.table_model import TableModel
from tests.decoding.runs import DRAFT, TARGET

AGE_S = 1000.0  # A recorder, a page and a sleeper cost so much here that one inside a time cannot be missed.


@pytest.fixture
def clock(monkeypatch):
    """A clock in a list, which stands still unless somebody moves it on."""
    now = [0.0]
    for module in (decode, reader):
        monkeypatch.setattr(module.time, "perf_counter", lambda: now[0])
        monkeypatch.setattr(module.time, "sleep", lambda seconds: spend(now, seconds))
    return now


def spend(clock, seconds=AGE_S):
    clock[0] += seconds


def costly(model, clock, seconds):
    """The same model, and every call of it takes this long."""

    class Costly(TableModel):
        def forward(self, tree, nodes):
            spend(clock, seconds)
            return super().forward(tree, nodes)

    return Costly(model.table)


def slow_down(monkeypatch, clock, owner, name):
    """Every call of `owner.name` takes an age."""
    plain = getattr(owner, name)

    def slow(*arguments, **named):
        spend(clock)
        return plain(*arguments, **named)

    monkeypatch.setattr(owner, name, slow)


def run_race(clock, keep):
    pair = LoadedPair(costly(TARGET, clock, 0.010), costly(DRAFT, clock, 0.001))
    grid = Grid((("autoregressive", {}), ("speculative_sampling", {})), {}, ("ab",), (0, 1, 2), max_new_tokens=20)
    return race(grid, pair=pair, keep=lambda run, trace: keep(trace), progress=lambda at: spend(clock))


def of_method(traces):
    return [trace for trace in traces if trace.started.method == "speculative_sampling"]


def test_times_are_those_of_the_models_alone(clock, monkeypatch):
    """Recording, keeping a run and telling the page take an age each, and none of it is in a time."""
    for name in ("started", "hold", "write", "finished"):
        slow_down(monkeypatch, clock, record._Recorder, name)
    stored = []

    def keep(trace):
        spend(clock)
        stored.append(trace)

    plain, speculative = run_race(clock, keep)
    assert plain["tokens_per_s"]["median"] == pytest.approx(100)
    for trace in stored:
        summary = summarise(trace)
        assert summary["verify_s"] == pytest.approx(0.010 * summary["target_calls"], abs=1e-6)
        assert summary["draft_s"] == pytest.approx(0.001 * summary["draft_calls"], abs=1e-6)
        assert summary["other_s"] == pytest.approx(0, abs=1e-6)
    rates = [
        summary["num_tokens"] / (0.010 * summary["target_calls"] + 0.001 * summary["draft_calls"])
        for summary in map(summarise, of_method(stored))
    ]
    assert speculative["tokens_per_s"]["median"] == pytest.approx(sorted(rates)[1])


@pytest.mark.parametrize("inside", ["draft", "verify"])
def test_a_sleep_inside_a_round_would_be_seen(clock, monkeypatch, inside):
    """The test above can fail: what a method spends in its own hooks is counted, as it must be."""
    method = type(make_method("speculative_sampling"))
    slow_down(monkeypatch, clock, method, inside)
    stored = []
    run_race(clock, stored.append)
    spent = [summarise(trace)["other_s"] for trace in of_method(stored)]
    assert min(spent) >= AGE_S
