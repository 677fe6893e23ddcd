"""Two lanes of tests: each has its folders, begins by itself, and takes work from its own workers only."""

from types import SimpleNamespace

import pytest

from tests import lanes
from tests.lanes import BROWSER, COMPUTE, Lanes, is_of_lane
from tests.parts import CLOCK, COMPUTED

FILES = sorted(lanes.FOLDER.parent.rglob("test_*.py"))


class Worker:
    """A worker as a scheduler knows it."""

    def __init__(self, lane):
        self.workerinput, self.gateway = {"lane": lane}, SimpleNamespace(id=lane)
        self.given, self.stolen, self.shutting_down = [], [], False

    def send_runtest_some(self, indices):
        self.given += indices

    def send_steal(self, indices):
        self.stolen += indices

    def shutdown(self):
        self.shutting_down = True


@pytest.fixture
def session():
    return SimpleNamespace(testscollected=0)


@pytest.fixture
def scheduler(session):
    options = {"tx": ["4*popen"], "lanes": True}
    plugins = SimpleNamespace(getplugin=lambda name: session)
    return Lanes(SimpleNamespace(getvalue=options.get, hook=None, pluginmanager=plugins), None)


def test_every_test_is_collected_in_one_lane_and_the_folder_above_both_in_both():
    for path in FILES:
        assert is_of_lane(path, BROWSER) != is_of_lane(path, COMPUTE), path
        assert is_of_lane(path, "")
    assert is_of_lane(lanes.FOLDER.parent, BROWSER) and is_of_lane(lanes.FOLDER.parent, COMPUTE)
    assert not is_of_lane(lanes.FOLDER.parent / "ui", BROWSER) and not is_of_lane(lanes.FOLDER, COMPUTE)


def test_a_lane_begins_once_its_own_workers_have_collected_and_gives_its_tests_to_them(scheduler, session):
    workers = [Worker(lane) for lane in (BROWSER, BROWSER, COMPUTE, COMPUTE)]
    for worker in workers:
        scheduler.add_node(worker)
    for number, worker in enumerate(workers):
        scheduler.add_node_collection(worker, [f"{worker.gateway.id}{index}" for index in range(8)])
        if scheduler.collection_is_completed:
            scheduler.schedule()
        assert [bool(each.given) for each in workers] == [number >= 1, number >= 1, number >= 3, number >= 3]
    assert session.testscollected == 16 and scheduler.has_pending and not scheduler.tests_finished
    assert [each.given for each in workers] == [[0, 1, 2, 3], [4, 5, 6, 7]] * 2

    for index in workers[0].given[:3]:
        scheduler.mark_test_complete(workers[0], index)
    assert [bool(each.stolen) for each in workers] == [False, True, False, False]


def test_a_crashed_workers_tests_stay_in_its_lane(scheduler):
    workers = [Worker(lane) for lane in (BROWSER, BROWSER, COMPUTE, COMPUTE)]
    for worker in workers:
        scheduler.add_node(worker)
        scheduler.add_node_collection(worker, [f"{worker.gateway.id}{index}" for index in range(8)])
    scheduler.schedule()
    assert scheduler.remove_node(workers[2]) == f"{COMPUTE}0"
    replacing = Worker(COMPUTE)
    scheduler.add_node(replacing)
    scheduler.add_node_collection(replacing, [f"{COMPUTE}{index}" for index in range(8)])
    scheduler.schedule()
    assert sorted(replacing.given + workers[3].given) == [1, 2, 3, 4, 5, 6, 7]


def test_the_seconds_of_this_very_process_are_counted():
    before = CLOCK.cpu_s[COMPUTED]
    sum(range(2_000_000))
    CLOCK.look(COMPUTED, is_tree=False)
    assert CLOCK.cpu_s[COMPUTED] > before
