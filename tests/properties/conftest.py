"""How many inputs each property is held to: a few in the test command, always the same ones; many by hand.

PLAYGROUND_INPUTS=5600 nice python -m pytest -c .pytest.ini -n0 tests/properties   # 100,000 new ones each time

By hand each input is also held to half a second of the processor, and the end says how many there were and which of
them took longest.
"""

import functools
import os
import time

from hypothesis import HealthCheck, settings

USUAL = 25
ASKED = int(os.environ.get("PLAYGROUND_INPUTS", "0"))
MOST_S = 0.5  # of the processor, whatever else it does meanwhile

settings.register_profile(
    "playground",
    max_examples=ASKED or USUAL,
    derandomize=not ASKED,
    deadline=None,  # a busy machine is no fault
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
settings.load_profile("playground")

_took: dict[str, list[float]] = {}  # seconds of each input, by property


def pytest_collection_modifyitems(items):
    if not ASKED:
        return
    properties = {item.obj for item in items if hasattr(item, "obj") and hasattr(item.obj, "hypothesis")}
    for each in properties:
        each.hypothesis.inner_test = _clocked(each.hypothesis.inner_test)


def _clocked(test):
    @functools.wraps(test)
    def clocked(*args, **kwargs):
        for is_last in (False, True):
            began = time.process_time()
            test(*args, **kwargs)
            seconds = time.process_time() - began
            if seconds <= MOST_S or not _took.get(test.__name__):
                break  # the first input of a property reads what the others find there
            assert not is_last, f"{seconds:.2f} s of the processor for one input"
        _took.setdefault(test.__name__, []).append(seconds)

    return clocked


def pytest_terminal_summary(terminalreporter):
    if not _took:
        return
    slowest = {name: max(each[1:], default=0.0) for name, each in _took.items()}
    name = max(slowest, key=slowest.__getitem__)
    number = sum(map(len, _took.values()))
    terminalreporter.write_line(
        f"{number:,} inputs; the slowest took {slowest[name]:.3f} s of the processor, in {name}."
    )
