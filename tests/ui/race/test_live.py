"""A live race keeps the device to itself, waits for the page between runs, and loses nothing when stopped."""

import threading
import time

import pytest

from playground.bench import race as race_module
from playground.decoding.method import make_method
from playground.errors import PlaygroundError
from playground.ui.live.device import device
from playground.ui.race import live as live_race
from playground.ui.race.live import LiveRace
from playground.ui.watch.live import LiveRun
from tests.decoding.runs import request
from tests.ui.race.races import LABELS, setup
from tests.ui.watch.test_live import slow_model


@pytest.fixture
def every_run(monkeypatch):
    """A step after each run."""
    monkeypatch.setattr(live_race, "LEAST_INTERVAL_S", 0.0)


def test_a_race_ends_with_its_rows_and_its_runs(every_run):
    run_request = setup()
    race = LiveRace(run_request)
    steps = list(race.steps())
    assert [row["label"] for row in race.rows] == LABELS
    assert all(row["runs"] == 6 for row in race.rows)
    assert len(race.runs.numbers) == run_request.num_runs == 18
    assert [step.done for step in steps] == list(range(22)) and {step.total for step in steps} == {21}


def test_an_entry_that_cannot_run_has_a_row_that_says_why(every_run):
    run_request = setup()

    class Short(type(run_request)):
        def requests(self):
            made, _ = super().requests()
            del made["speculative_sampling"]
            return made, {"speculative_sampling": "It needs a draft model."}

    race = LiveRace(Short(**{name: getattr(run_request, name) for name in run_request.__dataclass_fields__}))
    list(race.steps())
    assert [row["label"] for row in race.rows] == LABELS and race.num_runs == 12
    assert race.rows[1]["failed"] == "It needs a draft model." and race.rows[2]["runs"] == 6


def test_while_the_page_works_no_run_goes_on(every_run, monkeypatch):
    """The page takes its time over each step; a run that went on meanwhile would be slowed by it."""
    page_is_busy, overlaps, plain = threading.Event(), [], race_module.run

    def watched(request, stop, **settings):
        def asked():  # before every round
            overlaps.append(page_is_busy.is_set())
            return stop()

        return plain(request, asked, **settings)

    monkeypatch.setattr(race_module, "run", watched)
    for _ in LiveRace(setup()).steps():
        page_is_busy.set()
        time.sleep(0.01)
        page_is_busy.clear()
    assert overlaps and not any(overlaps)


def test_stop_keeps_the_runs_that_are_done(every_run):
    race = LiveRace(setup(repeats=20, table=slow_model(0.001)))
    for step in race.steps():
        if step.done == 8:
            race.stop.set()
    assert 4 <= len(race.runs.numbers) < 20
    assert sum(row["runs"] for row in race.rows) == len(race.runs.numbers)


@pytest.mark.parametrize("when", ["before", "first step"])
def test_stopping_at_once_measures_nothing(every_run, when):
    race = LiveRace(setup())
    if when == "before":
        race.stop.set()
    for _ in race.steps():
        race.stop.set()
    assert not race.runs.numbers


def test_leaving_the_page_frees_the_device(every_run):
    """Within seconds on any machine; the race that is left would take minutes."""
    steps = LiveRace(setup(repeats=20, length=500, table=slow_model(0.002))).steps()
    next(steps)
    started = time.monotonic()
    steps.close()
    assert list(LiveRun(lambda: request(make_method("autoregressive"))).steps())
    assert time.monotonic() - started < 20


def test_a_run_waits_for_one_run_of_the_race_and_not_for_all(every_run):
    """One device for both, and whoever waits for it has it between two runs."""
    began = threading.Event()

    def request_it():
        began.set()
        return request(make_method("autoregressive"))

    steps = LiveRace(setup(repeats=2)).steps()
    next(steps)
    other = threading.Thread(target=lambda: list(LiveRun(request_it).steps()))
    other.start()
    while not device._waiting:
        time.sleep(0.001)
    assert not began.is_set()
    next(steps)
    assert began.is_set()
    assert len(list(steps)) > 3
    other.join(20)


def test_a_short_race_beside_a_long_one_ends_before_it(every_run):
    """They take turns, run by run, on the one device."""
    long = LiveRace(setup(repeats=20)).steps()
    next(long)
    short = threading.Thread(target=lambda: list(LiveRace(setup(repeats=1)).steps()))
    short.start()
    while short.is_alive():
        next(long)
    next(long)
    long.close()


def test_an_error_in_the_worker_reaches_the_page_and_frees_the_device():
    def refuse(tell):
        raise PlaygroundError("There are no models.")

    with pytest.raises(PlaygroundError, match="no models"):
        list(LiveRace(setup(), fetch=refuse).steps())
    assert list(LiveRun(lambda: request(make_method("autoregressive"))).steps())


def test_a_page_that_stopped_asking_does_not_hold_a_stopped_race(every_run):
    """The page may never come back for the next step; Stop must end the waiting."""
    race = LiveRace(setup())
    steps = race.steps()
    next(steps)
    race.stop.set()
    race._thread.join(5)
    assert not race._thread.is_alive()
