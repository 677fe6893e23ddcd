"""A race or a sweep keeps the device to itself, waits for the page between runs, and loses nothing when stopped."""

import threading
import time
from dataclasses import replace

import pytest

from playground.bench.workers import runs as runs_module
from playground.decoding.method import make_method
from playground.ui.live.device import device
from playground.ui.live.job import LiveJob
from playground.ui.runs.race.runs import RaceRuns
from playground.ui.runs.sweep.saved_sweep import SavedSweep
from playground.ui.watch.live import LiveRun
from tests.decoding.runs import request
from tests.ui.live.test_device import wait_for
from tests.ui.runs.race.races import setup
from tests.ui.runs.sweep.sweeps import GRID, PAIR, new_sweep


def race(repeats=4, **changes):
    return RaceRuns(setup(repeats=repeats, **changes))  # 6 runs for each repeat


def sweep(repeats=2, length=6):
    return new_sweep(replace(GRID, seeds=tuple(range(repeats)), max_new_tokens=length))  # 12 for each


both = pytest.mark.parametrize("make", [race, sweep])


@pytest.fixture(autouse=True)
def every_run(monkeypatch, tmp_path):
    """A step after each run."""
    monkeypatch.setenv("PLAYGROUND_SWEEPS", str(tmp_path / "sweeps"))
    for job in (RaceRuns, SavedSweep):
        monkeypatch.setattr(job, "least_interval_s", 0.0)


def live(job, pair=PAIR, **settings):
    return LiveJob(job, lambda: pair, **settings)


def plain_run():
    return LiveRun(lambda: request(make_method("autoregressive")))


@both
def test_steps_are_told_from_the_start_to_the_end_with_every_run(make):
    work = live(make())
    steps = list(work.steps())
    assert [step.done for step in steps] == list(range(25)) and {step.total for step in steps} == {24}
    assert sorted(row["run"] for row in work.job.rows) == list(range(1, 25))
    assert work.num_new == 24 and not work.was_stopped


@both
def test_while_the_page_works_no_run_goes_on(make, monkeypatch):
    """The page takes its time over each step; a run that went on meanwhile would be slowed by it."""
    page_is_busy, overlaps, plain = threading.Event(), [], runs_module.run

    def watched(request, stop, **settings):
        def asked():  # before every round
            overlaps.append(page_is_busy.is_set())
            return stop()

        return plain(request, asked, **settings)

    monkeypatch.setattr(runs_module, "run", watched)
    for _ in live(make()).steps():
        page_is_busy.set()
        time.sleep(0.01)
        page_is_busy.clear()
    assert overlaps and not any(overlaps)


@both
@pytest.mark.parametrize("when", ["before", "first step"])
def test_stopping_at_once_measures_nothing(make, when):
    work = live(make())
    if when == "before":
        work.stop.set()
        work._load = lambda: pytest.fail("the models were loaded")
    for _ in work.steps():
        work.stop.set()
    assert not work.job.rows and work.was_stopped
    if when == "before" and make is sweep:
        assert not work.job.folder.exists()


def test_a_run_waits_for_one_run_of_the_job_and_not_for_all():
    """One device for both, and whoever waits for it has it between two runs."""
    began = threading.Event()

    def request_it():
        began.set()
        return request(make_method("autoregressive"))

    steps = live(race()).steps()
    next(steps)
    other = threading.Thread(target=lambda: list(LiveRun(request_it).steps()))
    other.start()
    wait_for(lambda: device._waiting)
    assert not began.is_set()
    next(steps)
    assert began.is_set()
    assert len(list(steps)) > 3
    other.join(20)


def test_a_short_job_beside_a_long_one_ends_before_it():
    """They take turns, run by run, on the one device."""
    long = live(race(40)).steps()
    next(long)
    short = threading.Thread(target=lambda: list(live(race(1)).steps()))
    short.start()
    while short.is_alive():
        next(long)
    assert next(long).done < next(long).total
    long.close()


def test_a_page_that_stopped_asking_does_not_hold_a_stopped_job():
    """The page may never come back for the next step; Stop must end the waiting."""
    work = live(race())
    steps = work.steps()
    next(steps)
    work.stop.set()
    work._thread.join(5)
    assert not work._thread.is_alive()


def test_who_waits_for_a_moment_between_runs_gets_it():
    job = race()
    work = live(job)
    for step in work.steps():
        with job.between_runs():
            assert work._timed.locked()  # held by us: no run can begin
            before = len(job.rows)
            time.sleep(0.02)
            assert len(job.rows) <= before + 1, "at most the row of the run before was taken in meanwhile"
        assert step.total == 24
    assert len(job.rows) == 24
