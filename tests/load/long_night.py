"""Many runs in one server: do its memory and its pace come to a plateau and stay? `python -m tests.load.long_night`

Every run is another visitor's, who opens the page, runs the next of all methods with another seed, and leaves; with
`--after-class 100` so many pupils have pressed Run at once before. Told are the server's resident memory, threads, open
files and processor time of a run, which says of a slowdown what a clock could not where the machine has other work. The
first plateau is the second tenth of the runs, by when every method has run, and the end the last tenth.
"""

import argparse
import itertools
import sys
import time
from dataclasses import dataclass
from statistics import fmean, median

import httpx
import psutil

from playground.decoding.method import methods
from tests.browser.app_fixture import started_app
from tests.load.class_of_a_hundred import class_at, report, until_idle
from tests.visitors import Page, Visitor, ended_well, page_at

TOLERANCE = 0.10  # Memory and processor time at the plateau may grow by it.
TOKENS = 24


@dataclass(frozen=True)
class State:
    """Of the server, once a run is over; `seconds` of the processor since the run before."""

    megabytes: float
    threads: int
    files: int
    seconds: float


def night(runs: int, minutes: float, pupils: int) -> list[State]:
    """One state after each run, as many runs as the time allows."""
    states: list[State] = []
    with started_app() as (address, process):
        page, server = page_at(address), psutil.Process(process.pid)
        if pupils:
            until_idle(server)
            began = time.monotonic()
            print(report(class_at(page, 0, pupils), time.monotonic() - began), flush=True)
        until, before = time.monotonic() + 60 * minutes, _worked_s(server)
        for number, method in zip(range(runs), itertools.cycle(sorted(methods())), strict=False):
            if time.monotonic() > until:
                break
            _visit(page, number, method)
            now = _worked_s(server)
            states.append(State(server.memory_info().rss / 1e6, server.num_threads(), server.num_fds(), now - before))
            before = now
            if (number + 1) % max(1, runs // 20) == 0:
                print(f"{number + 1:>6} runs: {states[-1]}", flush=True)
    return states


def _worked_s(server: psutil.Process) -> float:
    times = server.cpu_times()
    return times.user + times.system


def _visit(page: Page, number: int, method: str) -> None:
    session = f"night{number}"
    with (
        httpx.stream("GET", f"{page.address}/gradio_api/heartbeat/{session}", timeout=None),
        Visitor(page, session) as visitor,
    ):
        visitor.open()
        visitor.ask(**{"method": method, "New tokens (at most)": TOKENS, "Seed": number})
        assert ended_well(list(visitor.run())), f"{method}, seed {number}"


def verdict(states: list[State]) -> tuple[bool, str]:
    """Whether all is flat, and in words."""
    tenth = max(1, len(states) // 10)
    plateau, end = states[tenth : 2 * tenth] or states, states[-tenth:]
    before, after = (median(each.megabytes for each in part) for part in (plateau, end))
    growth = after / before - 1
    pace = [fmean(each.seconds for each in part) for part in (plateau, end)]
    slowdown = pace[1] / pace[0] - 1
    told = f"{len(states)} runs: {before:.0f} MB at the first plateau, {after:.0f} MB at the end ({growth:+.1%})"
    flat = True
    for name in ("threads", "files"):
        most, last = (max(getattr(each, name) for each in part) for part in (plateau, end))
        flat = flat and last <= max(most + 1, most * (1 + TOLERANCE))  # one thread more or less comes and goes
        told += f"; {name} {most}, then {last}"
    told += f"; {pace[0]:.3f} s of the processor a run, then {pace[1]:.3f} ({slowdown:+.1%})"
    return flat and max(growth, slowdown) <= TOLERANCE, told


def main() -> None:
    """Read the flags, run, and say what came of it; ends with 1 where memory grew."""
    parser = argparse.ArgumentParser(description="Many runs in one server: do memory and pace stay?")
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--minutes", type=float, default=600.0, help="no run begins after so long")
    parser.add_argument("--after-class", type=int, default=0, metavar="N", help="so many pupils at once before them")
    flags = parser.parse_args()
    is_flat, told = verdict(night(flags.runs, flags.minutes, flags.after_class))
    print(told)
    sys.exit(not is_flat)


if __name__ == "__main__":
    main()
