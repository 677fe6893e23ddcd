"""Wall and CPU seconds of a run of the tests by part, printed at its end.

A part's wall seconds are those of its workers, added up; its CPU seconds those of the worker and of every process below
it, as a browser is. What a process used between the last look at it and its end is missing.
"""

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import psutil
import pytest

COLLECTING, PAGE, MODULE, COMPUTED, APPS = (
    "starting, collecting",
    "in a browser: the whole page",
    "in a browser: one module",
    "without a browser",
    "apps",
)


class Clock:
    """The seconds of one worker by part.

    Attributes:
        wall_s, cpu_s, num: seconds, and the number of tests.
    """

    def __init__(self) -> None:
        self.wall_s, self.cpu_s, self.num = Counter[str](), Counter[str](), Counter[str]()
        self._seen: dict[int, float] = {}
        self._apps: set[int] = set()
        self._start, self._last_s = psutil.Process(), psutil.Process().create_time() - time.time() + time.monotonic()

    def look(self, part: str, *, is_tree: bool) -> None:
        """Add what was used since the last look to a part.

        Args:
            part: of the run.
            is_tree: look at the processes below, too: those that live on; others count once they have ended.
        """
        now, used = time.monotonic(), psutil.Process().cpu_times()
        self._add(part, 0, used.user + used.system + used.children_user + used.children_system)
        self.wall_s[part] += now - self._last_s
        self._last_s = now
        for process in psutil.Process().children(recursive=True) if is_tree else ():
            with suppress(psutil.Error):
                if process.pid not in self._seen and "app.py" in process.cmdline():
                    self._apps.add(process.pid)
                times = process.cpu_times()
                self._add(APPS if process.pid in self._apps else part, process.pid, times.user + times.system)

    def _add(self, part: str, pid: int, used_s: float) -> None:
        self.cpu_s[part] += used_s - self._seen.get(pid, 0.0)
        self._seen[pid] = used_s


CLOCK = Clock()
TOTAL: dict[str, Counter[str]] = {"wall_s": Counter(), "cpu_s": Counter(), "num": Counter()}


def part_of(item: Any) -> str:
    """Return the part that a test belongs to."""
    if item.get_closest_marker("browser") is None:
        return COMPUTED
    return PAGE if "address" in item.fixturenames else MODULE


def pytest_collection_finish() -> None:
    CLOCK.look(COLLECTING, is_tree=False)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    yield
    part = part_of(item)
    CLOCK.look(part, is_tree=part != COMPUTED)
    CLOCK.num[part] += 1


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["parts"] = {name: dict(getattr(CLOCK, name)) for name in TOTAL}


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    for name, by_part in getattr(node, "workeroutput", {}).get("parts", {}).items():
        TOTAL[name].update(by_part)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if not TOTAL["cpu_s"]:  # no workers: somebody runs a few tests
        return
    terminalreporter.write_sep("-", "seconds by part")
    terminalreporter.write_line(f"{'':<30}{'tests':>8}{'wall':>8}{'CPU':>8}")
    for part in (COLLECTING, PAGE, MODULE, COMPUTED, APPS):
        if seconds := TOTAL["cpu_s"][part]:
            terminalreporter.write_line(
                f"{part:<30}{TOTAL['num'][part] or '':>8}{TOTAL['wall_s'][part]:>8.0f}{seconds:>8.0f}"
            )
    terminalreporter.write_line(f"{'together':<46}{TOTAL['cpu_s'].total():>8.0f}")
