"""A live run hands over every event, in order, and always gives the device back."""

import threading
import time

import pytest

from playground.decoding.method import make_method
from playground.errors import PlaygroundError
from playground.models.table_model import TableModel
from playground.trace import Trace, validate
from playground.ui.watch.live import LiveRun
from tests.decoding.runs import request, trace_of


def slow_model(pause_s):
    """A table that takes its time, so that a run can be caught in the middle."""

    class Slow(TableModel):
        def forward(self, tree, nodes):
            time.sleep(pause_s)
            return super().forward(tree, nodes)

    return Slow(TableModel.random(5).table)


def endless(pause_s=0.002):
    return request(make_method("autoregressive"), target=slow_model(pause_s), length=1024)


def test_the_batches_are_the_trace():
    run_request = request(make_method("speculative_sampling"))
    events = [event for batch in LiveRun(lambda: run_request).steps() for event in batch]
    validate(Trace(tuple(events)))
    assert events[-1].text == trace_of(run_request).events[-1].text


@pytest.mark.parametrize("least", [0, 10])
def test_stop_ends_the_run_with_its_events_kept_or_before_it_makes_any(least):
    run, events = LiveRun(endless), []
    if not least:
        run.stop.set()
    for batch in run.steps():
        events += batch
        if len(events) > least:
            run.stop.set()
    assert events[-1].finish_reason == "stopped" and bool(events[-1].num_tokens) == bool(least)
    validate(Trace(tuple(events)))


def test_leaving_the_page_frees_the_device_within_a_second():
    """On an idle machine; on a busy one within ten, where the run that is left would take most of a minute."""
    batches = LiveRun(lambda: endless(pause_s=0.05)).steps()
    next(batches)
    started = time.monotonic()
    batches.close()
    events = [event for batch in LiveRun(lambda: request(make_method("autoregressive"))).steps() for event in batch]
    assert events and time.monotonic() - started < 10


def test_what_happened_before_an_error_reaches_the_page_before_it_and_the_device_is_free():
    class Breaking(TableModel):
        calls = 0

        def forward(self, tree, nodes):
            self.calls += 1
            if self.calls > 5:  # the prompt, and four rounds
                raise PlaygroundError("The memory is full.")
            return super().forward(tree, nodes)

    broken, events = request(make_method("autoregressive"), target=Breaking(TableModel.random(5).table)), []
    with pytest.raises(PlaygroundError, match="full"):
        events.extend(event for batch in LiveRun(lambda: broken).steps() for event in batch)
    assert Trace(tuple(events)).committed[-1].round == 4
    assert list(LiveRun(lambda: request(make_method("autoregressive"))).steps())


def test_two_runs_take_turns():
    """Both ask for the device at once; their events come out whole, as if each had run alone."""
    results = {}

    def run(seed):
        run_request = request(make_method("speculative_sampling"), seed=seed, length=200)
        results[seed] = [event for batch in LiveRun(lambda: run_request).steps() for event in batch][-1].text

    threads = [threading.Thread(target=run, args=(seed,)) for seed in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    for seed in (1, 2):
        alone = trace_of(request(make_method("speculative_sampling"), seed=seed, length=200))
        assert results[seed] == alone.events[-1].text


def test_what_is_said_before_a_run_comes_before_its_events():
    run = LiveRun(
        lambda: run.say("reading") or request(make_method("autoregressive")), fetch=lambda: run.say("fetching")
    )
    steps = list(run.steps())
    assert steps[:2] == ["fetching", "reading"]
    validate(Trace(tuple(event for batch in steps[2:] for event in batch)))
