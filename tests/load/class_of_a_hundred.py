"""A hundred pupils open the page and press Run at once, over loopback: `python -m tests.load.class_of_a_hundred`

They post what a page posts, without a browser. Each has a run of their own, of 48 tokens. Told are how many were
refused, lost or stuck, whether anything of one came to another, and how long they waited. The server has just been
started, and nobody has come before them.
"""

import argparse
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import replace
from statistics import median

import psutil

from tests.browser.app_fixture import started_app
from tests.load.pupils import Visit, visit
from tests.visitors import Page, page_at

LATE_S = 600.0  # A pupil without a run by then is stuck.
IDLE_PERCENT = 10.0  # One core is 100.


def class_at(page: Page, first: int, number: int) -> list[Visit]:
    """Let pupils visit the page at once, numbered from the first one on; return their visits."""
    pupils = ThreadPoolExecutor(number)
    coming = [pupils.submit(visit, page, each) for each in range(first, first + number)]
    wait(coming, LATE_S)
    return [_came(each) for each in coming]


def _came(visit: Future[Visit]) -> Visit:
    if not visit.done():
        return Visit("stuck")
    error = visit.exception()
    return Visit(f"lost: {type(error).__name__}: {error}"[:200]) if error else visit.result()


def report(visits: list[Visit], seconds: float) -> str:
    """In words."""
    ended = [each for each in visits if not each.problem]
    kinds = [each.problem.split(":")[0] for each in visits if each.problem]
    counted = ", ".join(f"{kinds.count(kind)} {kind}" for kind in ("refused", "lost", "stuck"))
    lines = [f"{len(visits)} pupils in {seconds:.0f} s: {len(ended)} runs, {counted}."]
    lines += [f"Something of another came to {sum(bool(each.others) for each in visits)}."]
    if ended:
        off = [abs(each.first_place - num_before(each, ended)) for each in ended]
        lines += [f"The place told first: {off.count(0)} right, {off.count(1)} off by one, at most by {max(off)}."]
        waits = [each.began_at - each.told[0][0] for each in ended]
        runs = [each.ended_at - each.began_at for each in ended]
        lines += [
            f"Told after: longest {max(each.told[0][0] - each.asked_at for each in ended):.1f} s. "
            f"Waits: median {median(waits):.0f} s, longest {max(waits):.0f} s. "
            f"Runs: median {median(runs):.1f} s, longest {max(runs):.1f} s."
        ]
    return "\n".join(lines + [each.problem for each in visits if each.problem][:10])


def num_before(visit: Visit, visits: list[Visit]) -> int:
    """Return the number of runs that came first of those that were not over when this pupil was told."""
    return sum(each.began_at < visit.began_at and each.ended_at > visit.told[0][0] for each in visits)


def until_idle(server: psutil.Process) -> None:
    """Until it has read its models after the start."""
    while server.cpu_percent(interval=1.0) > IDLE_PERCENT:
        pass


def _state(server: psutil.Process) -> str:
    return f"Server: {server.memory_info().rss / 1e6:.0f} MB, {server.num_threads()} threads, {server.num_fds()} files."


def main() -> None:
    """Read the flags, let them all in, and say what came of it; ends with 1 where somebody has no run."""
    parser = argparse.ArgumentParser(description="A hundred pupils press Run at once.")
    parser.add_argument("--pupils", type=int, default=100)
    parser.add_argument("--pair", default="bundled", help="of the catalog")
    parser.add_argument("--classes", type=int, default=1, help="one after the other, at the same server")
    flags = parser.parse_args()
    failed = False
    with started_app() as (address, process):
        page, server = page_at(address), psutil.Process(process.pid)
        page = replace(page, form=page.form | {"Models": flags.pair})
        until_idle(server)
        print(_state(server))
        for turn in range(flags.classes):
            began = time.monotonic()
            visits = class_at(page, turn * flags.pupils, flags.pupils)
            print(report(visits, time.monotonic() - began), _state(server), sep="\n", flush=True)
            failed = failed or any(each.problem or each.others for each in visits)
    sys.exit(failed)


if __name__ == "__main__":
    main()
