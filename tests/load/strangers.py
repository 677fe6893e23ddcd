"""Models that would do harm, named by a visitor of a running server: `python -m tests.load.strangers`

Each of the models of tests/models/sources/hostile.py is named in the field of its owner's page, then run; then run
again and stopped. Meanwhile a second visitor runs four tokens, and the server is asked for a small file ten times a
second. Printed per model: whether the server lives, the slowest of those answers, the second visitor's seconds, those
from Stop to the end, the memory that stays, and the sentence. At the end it gets SIGTERM while it reads the last one.
"""

import argparse
import json
import re
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import psutil

from tests.browser.app_fixture import started_app
from tests.models.sources.hostile import CASES, STRANGE, whole
from tests.visitors import Page, Visitor, ended_well, page_at

TOKENS = 4
MOST_PING_S, MOST_WAIT_S, MOST_STOP_S, MOST_STAYS = 1.0, 5.0, 2.0, 50e6
PING, PING_S = "/robots.txt", 0.1
STOP_AFTER_S = 0.3
SETTLE_S = 10.0  # Memory may go back for so long.
SAID = re.compile(r'"(?:text|info)"(?:: |\], )"((?:[^"\\]|\\.)+)')  # a whole message, or the change of one


class Result(NamedTuple):
    """What came of a model.

    Attributes:
        lives: whether the server does.
        ping_s: the slowest answer meanwhile.
        second_s: until the second visitor's four tokens were there.
        stop_s: from Stop to the end of the run.
        stays: bytes more than before.
        need, run: the sentences.
    """

    lives: bool
    ping_s: float
    second_s: float
    stop_s: float
    stays: float
    need: str
    run: str

    def is_good(self) -> bool:
        """True if all is as it should be."""
        is_soon = self.ping_s <= MOST_PING_S and self.second_s <= MOST_WAIT_S and self.stop_s <= MOST_STOP_S
        return self.lives and is_soon and self.stays <= MOST_STAYS and bool(self.need and self.run)


@contextmanager
def pinged(address: str) -> Iterator[list[float]]:
    """Ask for a small file again and again; the seconds of each answer."""
    answers, over = [0.0], threading.Event()

    def ask() -> None:
        while not over.wait(PING_S):  # each by a connection of its own, as a busy server drops one that was kept
            began = time.monotonic()
            httpx.get(f"{address}{PING}", timeout=60).raise_for_status()
            answers.append(time.monotonic() - began)

    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(ask)
        try:
            yield answers
        finally:
            over.set()
            asking.result()


def events_of(address: str) -> dict[str, int]:
    """The page's events by name."""
    return {each["api_name"]: each["id"] for each in httpx.get(f"{address}/config", timeout=60).json()["dependencies"]}


def sentence_of(told: list[dict[str, Any]]) -> str:
    """The last that a visitor was told in words."""
    words = [found for each in told for found in SAID.findall(json.dumps(each.get("output", {})))]
    return json.loads(f'"{words[-1]}"') if words else ""


def press(page: Page, session: str, **changes: Any) -> Iterator[dict[str, Any]]:
    """Open the page, press Run, and yield what is told of the run."""
    with Visitor(page, session) as visitor:
        yield from visitor.ask(**{"New tokens (at most)": TOKENS}, **changes)
        yield from visitor.run()


def second_visitor(page: Page, session: str) -> float:
    """Seconds until four tokens of the bundled pair are there."""
    began = time.monotonic()
    told = list(press(page, session, Seed=hash(session) % 10_000, Prompt="A visitor came in, and"))
    return time.monotonic() - began if ended_well(told, 2) else float("inf")


def stopped(page: Page, stop: int, session: str, form: dict[str, Any]) -> float:
    """Seconds from Stop to the end of a run."""
    with ThreadPoolExecutor(1) as pool, Visitor(page, session) as same, Visitor(page, session) as visitor:
        list(visitor.ask(**{"New tokens (at most)": TOKENS}, **form))
        run = pool.submit(lambda: list(visitor.run()))
        time.sleep(STOP_AFTER_S)
        pressed_at = time.monotonic()
        same._client.post("/gradio_api/run/predict", json={"fn_index": stop, "data": [], "session_hash": session})
        run.result()
    return max(0.0, time.monotonic() - pressed_at)


def attack(page: Page, events: dict[str, int], process: psutil.Process, name: str, *, key: str) -> Result:
    """Name a model, run it beside a second visitor, run it again and stop it."""
    form = {"Models": "other", "Target model": name, "method": "autoregressive"}
    form |= {"Prompt": "x" * 3_900, "Drafter": "draft"}
    before = process.memory_info().rss
    with pinged(page.address) as answers:
        return _attacked(page, events, process, name, form, key, before)._replace(ping_s=max(answers))


def _attacked(
    page: Page, events: dict[str, int], process: psutil.Process, name: str, form: dict[str, Any], key: str, before: int
) -> Result:
    try:
        with Visitor(page, f"need-{key}") as visitor:
            need = sentence_of(list(visitor.post(events["say_need"], [name, ""])))
        with ThreadPoolExecutor(2) as pool:
            run = pool.submit(lambda: list(press(page, f"run-{key}", **form)))
            time.sleep(STOP_AFTER_S)
            second_s = pool.submit(second_visitor, page, f"second-{key}").result()
            said = sentence_of(run.result())
        stop_s = stopped(page, events["stop_run"], f"stop-{key}", form)
        until = time.monotonic() + SETTLE_S
        while (stays := process.memory_info().rss - before) > MOST_STAYS and time.monotonic() < until:
            time.sleep(0.5)
    except (httpx.HTTPError, AssertionError, psutil.Error) as error:
        return Result(process.is_running(), 0, float("inf"), float("inf"), 0, "", f"{type(error).__name__}: {error}")
    return Result(process.is_running(), 0, second_s, stop_s, stays, need, said)


def main() -> None:
    """Read the flags, and print a line per model, one of the end, and a last one over all."""
    parser = argparse.ArgumentParser(description="Models that would do harm, beside a second visitor.")
    parser.add_argument("cases", nargs="*", help="names of models; those that run away if none is given")
    flags, results = parser.parse_args(), []
    with tempfile.TemporaryDirectory() as place, started_app() as (address, child):
        process, page, events = psutil.Process(child.pid), page_at(address), events_of(address)
        base = whole(Path(place) / "whole")
        attack(page, events, process, str(base), key="base")  # transformers itself is read with the first
        second_visitor(page, "warm")
        known = {case.name: case for case in (*CASES, *STRANGE)}
        for number, case in enumerate([known[each] for each in flags.cases] or STRANGE):
            folder = Path(place) / case.name
            shutil.copytree(base, folder)
            name = case.spoil(folder) or str(folder)
            result = attack(page, events, process, name, key=f"{number}")
            results.append(result)
            print(
                f"{'good' if result.is_good() else 'BAD '} {case.name}: slowest answer {result.ping_s:.1f} s, second "
                f"visitor {result.second_s:.1f} s, stop {result.stop_s:.1f} s, stays {result.stays / 1e6:.0f} MB; "
                f"{result.run.replace(place, '')[:200]}",
                flush=True,
            )
        with ThreadPoolExecutor(1) as pool:
            pool.submit(lambda: list(press(page, "last", **{"Models": "other", "Target model": name})))
            time.sleep(STOP_AFTER_S)
            child.terminate()
            told_at = time.monotonic()
            child.wait(60)
    good, slowest = sum(result.is_good() for result in results), max(result.ping_s for result in results)
    print(f"SIGTERM: the server ended after {time.monotonic() - told_at:.1f} s")
    print(f"{good} of {len(results)} good; slowest answer {slowest:.1f} s")


if __name__ == "__main__":
    main()
