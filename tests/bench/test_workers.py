"""Jobs shared out among workers that may die: none is lost, none is answered twice."""

import itertools

import pytest

from playground.bench import sweep
from playground.bench.grid import Grid
from playground.bench.race import race
from playground.bench.workers.pool import JobRunner, LostError, share_out
from playground.bench.workers.runs import LOST
from playground.errors import PlaygroundError
from playground.models.loading import LoadedPair
from tests.decoding.runs import DRAFT, TARGET


class Fakes:
    """Workers of this process. Some die: `dies(job, time)` says of the how manieth time that a job is begun."""

    def __init__(self, number, dies=lambda job, time: False):
        self.number, self.dies, self.lost = number, dies, 0
        self.there, self.begun = set(), {}

    def spawn(self, prepare):
        self.there.add(fake := Fake(self, prepare))
        assert len(self.there) <= self.number
        return fake

    def wait(self, busy):
        return busy[-1:]  # the last one is the first to be ready


class Fake:
    def __init__(self, pool, prepare):
        self.pool, self.runner, self.job = pool, JobRunner(prepare), None

    def begin(self, job):
        self.job = job
        self.pool.begun[job] = self.pool.begun.get(job, 0) + 1

    def answer(self):
        if self.pool.dies(self.job, self.pool.begun[self.job]):
            raise LostError
        return self.runner.do(self.job)

    def close(self):
        self.pool.there.discard(self)


def squares():
    return lambda job: job * job


def test_every_job_is_answered_once_however_many_workers_die():
    pool = Fakes(3, dies=lambda job, time: job % 3 == 1 and time <= 2)
    result = list(share_out(pool, squares, range(30)))
    assert sorted(result) == [(job, job * job) for job in range(30)]
    assert pool.lost == 20 and not pool.there


def test_a_job_that_kills_every_worker_has_no_answer_and_the_others_have_theirs():
    pool = Fakes(2, dies=lambda job, time: job == 0)
    results = dict(share_out(pool, squares, range(6)))
    assert results == {0: None} | {job: job * job for job in range(1, 6)} and pool.begun[0] == pool.lost == 3


def test_workers_that_can_do_nothing_are_given_up():
    with pytest.raises(PlaygroundError, match=r"6 workers were lost before any had made a run\. Try fewer"):
        list(share_out(pool := Fakes(2, dies=lambda job, time: True), squares, range(50)))
    assert not pool.there

    def refuse():
        raise PlaygroundError("No such models.")

    with pytest.raises(PlaygroundError, match=r"No such models\."):
        list(share_out(Fakes(2), refuse, range(5)))


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_worker_without_room_leaves_its_job_to_the_others(place):
    hired = itertools.count()

    def prepare():
        if next(hired) == place:
            raise PlaygroundError("There is no room.")
        return squares()

    pool = Fakes(3)
    assert sorted(share_out(pool, prepare, range(20))) == [(job, job * job) for job in range(20)]
    assert pool.number == 2 and pool.lost == 0 and not pool.there


def test_a_stop_drops_what_is_in_hand_and_ends_all_workers():
    pool, done = Fakes(2), []
    for pair in share_out(pool, squares, range(9), stop=lambda: len(done) == 4):
        done.append(pair)
    assert len(done) == 4 and not pool.there


COUNTED = ("label", "options", "runs", "block_efficiency", "acceptance_per_draw", "perplexity", "target_calls")


GRID = Grid((("autoregressive", {}), ("rsd_c", {})), {}, ("ab", "ba"), (0, 1), max_new_tokens=8)


def raced(monkeypatch, pool=None):
    """A race of two entries on two prompts, each twice, made here or by workers."""
    monkeypatch.setattr(sweep, "worker_pool", lambda engine, workers: pool)
    message = []
    rows = race(GRID, pair=LoadedPair(TARGET, DRAFT), progress=lambda at: message.append((at.done, at.total)))
    assert message == [(done, 8) for done in range(9)]
    return rows


def test_a_race_that_is_shared_out_counts_the_same_and_a_lost_worker_loses_nothing(monkeypatch):
    shared = raced(monkeypatch, Fakes(2, dies=lambda asked, time: (asked.prompt, asked.seed) == (1, 1) and time == 1))
    for field in COUNTED:
        assert [row[field] for row in shared] == [row[field] for row in raced(monkeypatch)]
    assert all("others shared the machine" in row["energy_reason"] for row in shared)


def test_an_entry_whose_run_kills_every_worker_fails_in_a_sentence(monkeypatch):
    pool = Fakes(2, dies=lambda asked, time: (asked.label, asked.prompt, asked.seed) == ("rsd_c", 2, 0))
    rows = raced(monkeypatch, pool)
    assert rows[0]["runs"] == 4 and rows[1]["failed"] == LOST
