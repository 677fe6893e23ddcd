"""Models that would do harm, named by a visitor of a running server: `python -m tests.load.strangers`

Each of the models of tests/models/sources/hostile.py is named in the field, then run, with the chat template on; then
run again and stopped. Meanwhile a second visitor runs four tokens. Printed per model: whether the server lives, the
second visitor's seconds, those from Stop to the end, the memory that stays, and the sentence. With `--group`, a folder
of a cgroup (version 1 or 2) that has a limit, the server is put into it. Some ten minutes.
"""

import argparse
import json
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import psutil

from tests.browser.app_fixture import started_app
from tests.models.sources.hostile import CASES, CHAT, whole
from tests.visitors import Page, Visitor, ended_well, page_at

TOKENS = 4
MOST_WAIT_S, MOST_STOP_S, MOST_STAYS = 5.0, 2.0, 50e6
STOP_AFTER_S = 0.3
SETTLE_S = 10.0  # in which memory may go back
SAID = re.compile(r'"(?:text|info)"(?:: |\], )"((?:[^"\\]|\\.)+)')  # a whole message, or the change of one


class Result(NamedTuple):
    """What came of a model.

    Attributes:
        lives: whether the server does.
        second_s: until the second visitor's four tokens were there.
        stop_s: from Stop to the end of the run.
        stays: bytes more than before.
        need, run: the sentences.
    """

    lives: bool
    second_s: float
    stop_s: float
    stays: float
    need: str
    run: str

    def is_good(self) -> bool:
        """True if all is as it should be."""
        is_soon = self.second_s <= MOST_WAIT_S and self.stop_s <= MOST_STOP_S
        return self.lives and is_soon and self.stays <= MOST_STAYS and bool(self.need and self.run)


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


def attack(page: Page, events: dict[str, int], process: psutil.Process, name: str, *, chat: bool, key: str) -> Result:
    """Name a model, run it beside a second visitor, run it again and stop it."""
    form = {"Models": "other", "Target model": name, "Chat template": chat, "method": "autoregressive"}
    form |= {"Prompt": "x" * 3_900, "Drafter": "draft"}
    before = process.memory_info().rss
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
        return Result(process.is_running(), float("inf"), float("inf"), 0, "", f"{type(error).__name__}: {error}")
    return Result(process.is_running(), second_s, stop_s, stays, need, said)


def main() -> None:
    """Read the flags, and print a line per model and a last one over all."""
    parser = argparse.ArgumentParser(description="Models that would do harm, beside a second visitor.")
    parser.add_argument("--group", type=Path, help="folder of a cgroup with a limit of memory")
    parser.add_argument("cases", nargs="*", help="names of models; all if none is given")
    flags = parser.parse_args()
    good, slowest, results = 0, 0.0, []
    with tempfile.TemporaryDirectory() as place, started_app() as (address, child):
        process, page, events = psutil.Process(child.pid), page_at(address), events_of(address)
        if flags.group:
            (flags.group / "cgroup.procs").write_text(str(child.pid))
        base = whole(Path(place) / "whole")
        attack(page, events, process, str(base), chat=False, key="base")  # transformers itself is read with the first
        second_visitor(page, "warm")
        for number, case in enumerate(case for case in CASES if not flags.cases or case.name in flags.cases):
            folder = Path(place) / case.name
            shutil.copytree(base, folder)
            name = case.spoil(folder) or str(folder)
            result = attack(page, events, process, name, chat=case.when == CHAT, key=f"{number}")
            shutil.rmtree(folder)
            good, slowest = good + result.is_good(), max(slowest, result.second_s)
            results.append(result)
            print(
                f"{'good' if result.is_good() else 'BAD '} {case.name}: second visitor {result.second_s:.1f} s, stop "
                f"{result.stop_s:.1f} s, stays {result.stays / 1e6:.0f} MB; {result.run.replace(place, '')[:200]}",
                flush=True,
            )
        stays = max(result.stays for result in results) / 1e6
        stop_s = max(result.stop_s for result in results)
    print(f"{good} of {len(results)} good; slowest {slowest:.1f} s, last Stop {stop_s:.1f} s, most {stays:.0f} MB")


if __name__ == "__main__":
    main()
