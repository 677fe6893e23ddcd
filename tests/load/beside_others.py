"""A visitor of four tokens beside work of others, over loopback: `python -m tests.load.beside_others`

Beside a program's comparison, beside forty of its runs, beside a sweep, a race and both. Printed are the seconds from
the press of Run to the first and the last word of the run, what the visitor was told of place and wait meanwhile, and
how many of the program's requests were taken in. Each case has a server of its own, and two minutes at most.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

import httpx
import psutil

from tests.browser.app_fixture import started_app
from tests.load.class_of_a_hundred import until_idle
from tests.load.pupils import BEGAN, place_clock
from tests.visitors import Visitor, ended_well, page_at

TOKENS = 4
NUM_RUNS = 40
HEAD_START_S = 3.0
CASE_S = 120.0
TEXT = re.compile(r"(?:Waiting|Reading|Done|The very same)[^\"]*")
COMPARISON = ["speculative_sampling,rsd_s,rsd_c,specinfer,spectr", 5, 1.5, 0, 128]
RUN = ["speculative_sampling", "Once upon a time", 2.0, 0, 1.0]  # hot: few of its texts end early


def call(address: str, endpoint: str, values: list) -> str:
    """A program's request from beginning to end, as plain HTTP has it; what it came to."""
    with httpx.Client(base_url=f"{address}/gradio_api/call/", timeout=CASE_S) as client:
        posted = client.post(endpoint, json={"data": values})
        if posted.status_code != 200:
            return f"{posted.status_code} {posted.text}"
        lines = client.get(f"{endpoint}/{posted.json()['event_id']}").text.splitlines()
        return "answered" if "event: complete" in lines else lines[-2][:200]


def page_work(address: str, names: list[str], until: threading.Event) -> Iterator[str]:
    """Presses of Race or Sweep on pages of their own, by the event's name; they leave at the end."""
    config = httpx.get(f"{address}/config").json()
    values = {each["id"]: each["props"].get("value") for each in config["components"]}
    page = page_at(address)
    for name in names:
        runs = next(each for each in config["dependencies"] if each["api_name"] == name)
        [(state, _)] = runs["targets"]
        asks = next(each for each in config["dependencies"] if state in each["outputs"] and each["backend_fn"])
        session = f"other-{name}"

        def follow(session=session, asks=asks, runs=runs) -> None:
            beat = httpx.stream("GET", f"{address}/gradio_api/heartbeat/{session}", timeout=None)
            with suppress(httpx.HTTPError), beat, Visitor(page, session) as other:  # the server ends before they do
                assert ended_well(list(other.post(asks["id"], [values.get(each) for each in asks["inputs"]])))
                for _ in other.post(runs["id"], [None]):
                    if until.is_set():
                        return

        threading.Thread(target=follow, daemon=True).start()
        yield name


@contextmanager
def beside(address: str, case: str) -> Iterator[list[str]]:
    """The work of others; what became of the program's requests, which is complete at the end."""
    until, ended = threading.Event(), []
    requests = {"comparison": [("compare", COMPARISON)], "runs": [("run", [*RUN, n, 512]) for n in range(NUM_RUNS)]}
    with ThreadPoolExecutor(NUM_RUNS) as programs:
        asked = [programs.submit(call, address, *each) for each in requests.get(case, [])]
        list(page_work(address, {"sweep": ["run_sweep"], "race": ["run_race"],
                                 "sweep and race": ["run_sweep", "run_race"]}.get(case, []), until))  # fmt: skip
        time.sleep(HEAD_START_S)
        yield ended
        until.set()
        ended += [each.result() for each in asked if each.done()]
        ended += ["still at work"] * sum(not each.done() for each in asked)
        sys.stdout.flush()
        if not all(each.done() for each in asked):
            programs.shutdown(wait=False, cancel_futures=True)


def visit(address: str) -> str:
    """The visitor; seconds, and what they were told."""
    page, session = page_at(address), "visitor"
    with Visitor(page, session) as visitor:
        visitor.open()
        pressed_at = time.monotonic()
        asked = visitor.ask(**{"New tokens (at most)": TOKENS, "Seed": 77, "Prompt": "A visitor came in, and"})
        told = [(asked[-1]["at"], json.dumps(asked))]
        with place_clock(page, session, told):
            ran = list(visitor.run())
    began = next((each["at"] for each in ran if BEGAN in json.dumps(each)), ran[-1]["at"])
    words = [f"{at - pressed_at:.0f} s {found[0]}" for at, text in told if (found := TEXT.search(text))]
    verdict = "" if ended_well(ran) else f" FAILED: {json.dumps(ran[-1])[:200]}"
    head = f"began after {began - pressed_at:.1f} s, ended after {ran[-1]['at'] - pressed_at:.1f} s{verdict}"
    return "\n    ".join([head, *words[:3], *(["..."] if len(words) > 5 else []), *words[3:][-2:]])


def main() -> None:
    """Read the flags, and print each case."""
    cases = ["nobody", "comparison", "runs", "sweep", "race", "sweep and race"]
    parser = argparse.ArgumentParser(description="A visitor of four tokens beside the work of others.")
    parser.add_argument("cases", nargs="*", default=cases, metavar="CASE", help=", ".join(cases))
    for case in parser.parse_args().cases:
        with started_app() as (address, process):
            until_idle(psutil.Process(process.pid))
            with beside(address, case) as ended:
                print(f"beside {case}: {visit(address)}", flush=True)
                process.terminate()
            counts = {each: ended.count(each) for each in ended}
            for each, number in counts.items():
                print(f"    {number} of the program's requests: {each}")


if __name__ == "__main__":
    main()
