"""For every test: one thread, as the app runs. Two would spin against whatever else the machine does.

The order: the tests in a browser first. `tests/run` gives them to one of its two workers, which starts the app and the
browser once, and the quick ones to the other, which helps out at the end. And their mark, by which `--quick` leaves
them out.
"""

import pytest
import torch

torch.set_num_threads(1)


def pytest_collection_modifyitems(items):
    """The browser's tests first, everything else in its own order."""
    for item in items:
        if "browser" in item.path.parts:
            item.add_marker(pytest.mark.browser)
    items.sort(key=lambda item: item.get_closest_marker("browser") is None)
