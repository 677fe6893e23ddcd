"""A hundred pupils open the page and press Run at once, over loopback: `python -m tests.load.class_of_a_hundred`

They post what a page posts, without a browser. Each has a run of their own, of 48 tokens. Told are how
many were refused, lost or stuck, whether anything of one came to another, and how each wait that was told, at first or
later, compares with the wait that came. The server has just been started, and nobody has come before them.
"""

import argparse
import re
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import replace
from statistics import median

import psutil

from tests.browser.app_fixture import started_app
from tests.load.pupils import Visit, visit
from tests.visitors import Page, page_at

LATE_S = 600.0  # who has no run by then is stuck
SHORT_S = 5.0  # a wait is not rated where it was told to be less, and was
FACTOR = 2.0
IDLE_PERCENT = 10.0  # of one core
TOLD = re.compile(r"About (\d+) (s|minutes)")


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


def rates(visit: Visit) -> list[tuple[float, float]]:
    """(told, true rest) of each wait that was told in seconds, first to last."""
    told = [(_seconds(text), visit.began_at - at) for at, text in visit.told if at < visit.began_at]
    return [(seconds, rest) for seconds, rest in told if seconds is not None and max(seconds, rest) > SHORT_S]


def _seconds(text: str) -> float | None:
    found = TOLD.search(text)
    return float(found[1]) * (60 if found[2] == "minutes" else 1) if found else None


def report(visits: list[Visit], seconds: float) -> str:
    """In words."""
    ended = [each for each in visits if not each.problem]
    kinds = [each.problem.split(":")[0] for each in visits if each.problem]
    counted = ", ".join(f"{kinds.count(kind)} {kind}" for kind in ("refused", "lost", "stuck"))
    lines = [f"{len(visits)} pupils in {seconds:.0f} s: {len(ended)} runs, {counted}."]
    lines += [f"Something of another came to {sum(bool(each.others) for each in visits)}."]
    if ended:
        waits = [each.began_at - each.told[0][0] for each in ended]
        runs = [each.ended_at - each.began_at for each in ended]
        lines += [
            f"Waits: median {median(waits):.0f} s, longest {max(waits):.0f} s. "
            f"Runs: median {median(runs):.1f} s, longest {max(runs):.1f} s."
        ]
        long = [each for each, waited_s in zip(ended, waits, strict=True) if waited_s > SHORT_S]
        untold = sum(not any(_seconds(text) for _, text in each.told) for each in long)
        lines += [f"{len(long)} waited over {SHORT_S:g} s; {untold} of them were told their place alone."]
    rated = [found for each in ended if (found := rates(each))]
    lines += [_compared("The first wait that each was told", [each[0] for each in rated])]
    lines += [_compared("All that were told", [rate for each in rated for rate in each])]
    return "\n".join(lines + [each.problem for each in visits if each.problem][:10])


def _compared(name: str, told: list[tuple[float, float]]) -> str:
    if not told:
        return f"{name}: none that could be rated."
    ratios = [seconds / max(rest, 1e-3) for seconds, rest in told]
    right = sum(1 / FACTOR <= each <= FACTOR for each in ratios)
    return (
        f"{name}: {right} of {len(told)} within a factor of {FACTOR:g} "
        f"(told over waited: median {median(ratios):.2f}, {min(ratios):.2f} to {max(ratios):.2f})."
    )


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
