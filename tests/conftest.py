"""For every test: one thread, as the app runs. Two would spin against whatever else the machine does.

The order of the browser's tests: the tests of the whole page first, of which one worker gets most, while the other has
those of one module. First of all come those that run one at a time among all workers: they are over before the other
worker comes to one and waits. And the mark of the browser's tests, by which `--quick` leaves them out.
"""

import asyncio
from collections.abc import Iterator

import pytest
import torch

pytest_plugins = ["tests.parts"]
torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def no_loop_of_a_browser(request) -> Iterator[None]:
    """In a worker that has had a browser, Playwright's event loop counts as running between its tests, too.

    Work that is left inside a loop is not waited for, so the next test would find it going on.
    """
    loop = None if request.node.get_closest_marker("browser") else asyncio._get_running_loop()
    if loop:
        asyncio._set_running_loop(None)
    yield
    if loop:
        asyncio._set_running_loop(loop)


def pytest_collection_modifyitems(items):
    """Those that run one at a time first, then the app's and the browser's, everything else in its own order.

    A browser test that fails is run once more on a new page, and the last lines name it: a fault fails both times, a
    machine that stood still for a minute does not, and a fault that shows now and then is not hidden.
    """
    for item in items:
        if "browser" in item.path.parts:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.flaky(reruns=1))
    items.sort(
        key=lambda item: (
            item.get_closest_marker("browser") is None,
            "undisturbed" not in item.fixturenames,
            "address" not in item.fixturenames,
        )
    )
