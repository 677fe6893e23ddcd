"""Two lanes of tests beside each other, `--lanes`: what waits in a browser, and what computes.

Two workers have the browser's tests and share one app; the others have the rest at a lower priority, and so the time in
which a page waits. Each lane collects its own folders only, and steals from its own workers. Whatever a lane is, it is
one run of pytest with one summary.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import WorkStealingScheduling

BROWSER, COMPUTE = "browser", "compute"
NUM_BROWSER_WORKERS = 2
LOWER_PRIORITY = 5
FOLDER = Path(__file__).parent / "browser"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--lanes", action="store_true", help="browser tests in the first two workers, others in the rest")


def pytest_configure(config: pytest.Config) -> None:
    if lane_of(config) == COMPUTE and hasattr(os, "nice"):
        os.nice(LOWER_PRIORITY)


def lane_of(config: pytest.Config) -> str:
    """Return the lane of this worker; "" outside of lanes."""
    return getattr(config, "workerinput", {}).get("lane", "")


def is_of_lane(path: Path, lane: str) -> bool:
    """Tell whether a test file, or a folder that may hold some, is collected in a lane."""
    is_browser = path.is_relative_to(FOLDER)
    return not lane or is_browser == (lane == BROWSER) or (not is_browser and FOLDER.is_relative_to(path))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return None if is_of_lane(collection_path, lane_of(config)) else True


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item], config: pytest.Config) -> None:
    """Drop what was named on the command line, which pytest collects whatever is ignored."""
    items[:] = [item for item in items if is_of_lane(item.path, lane_of(config))]


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Give a worker its lane; one that replaces a crashed worker has the same specification, and so its lane."""
    if node.config.getoption("lanes"):
        spec = node.gateway.spec
        spec.lane = spec.lane or (BROWSER if int(node.gateway.id[2:]) < NUM_BROWSER_WORKERS else COMPUTE)
        node.workerinput["lane"] = spec.lane


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Lanes | None:
    return Lanes(config, log) if config.getoption("lanes") else None


class Lanes:
    """A scheduler of xdist: one that steals work for each lane, which begins once its own workers have collected.

    Args:
        config: of the run, with the number of workers.
        log: of xdist.
    """

    def __init__(self, config: pytest.Config, log: Any) -> None:
        self.config = config
        self.lanes = {name: WorkStealingScheduling(config, log) for name in (BROWSER, COMPUTE)}
        num_workers = self.lanes[BROWSER].numnodes
        self.lanes[BROWSER].numnodes = min(NUM_BROWSER_WORKERS, num_workers)
        self.lanes[COMPUTE].numnodes = num_workers - NUM_BROWSER_WORKERS

    @property
    def nodes(self) -> list[Any]:
        return [node for lane in self.lanes.values() for node in lane.nodes]

    @property
    def collection_is_completed(self) -> bool:
        """True once one lane can begin: the other does not wait for it."""
        return any(lane.collection_is_completed for lane in self.lanes.values())

    @property
    def tests_finished(self) -> bool:
        return all(lane.tests_finished for lane in self.lanes.values())

    @property
    def has_pending(self) -> bool:
        return any(lane.has_pending for lane in self.lanes.values())

    def schedule(self) -> None:
        for lane in self.lanes.values():
            if lane.collection_is_completed:
                lane.schedule()

    def add_node(self, node: Any) -> None:
        self._lane(node).add_node(node)

    def add_node_collection(self, node: Any, collection: Sequence[str]) -> None:
        self._lane(node).add_node_collection(node, collection)
        # xdist counts the tests of the worker that collected last
        session = self.config.pluginmanager.getplugin("session")
        session.testscollected = sum(len(next(iter(lane.node2collection.values()), ())) for lane in self.lanes.values())

    def mark_test_complete(self, node: Any, item_index: int, duration: float = 0) -> None:
        self._lane(node).mark_test_complete(node, item_index, duration)

    def mark_test_pending(self, item: str) -> None:
        for lane in self.lanes.values():
            if item in (lane.collection or ()):
                lane.mark_test_pending(item)

    def remove_pending_tests_from_node(self, node: Any, indices: Sequence[int]) -> None:
        self._lane(node).remove_pending_tests_from_node(node, indices)

    def remove_node(self, node: Any) -> str | None:
        return self._lane(node).remove_node(node)

    def _lane(self, node: Any) -> WorkStealingScheduling:
        return self.lanes[node.workerinput["lane"]]
