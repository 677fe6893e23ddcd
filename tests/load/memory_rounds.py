"""What of its memory a server gives back, over loopback: `python -m tests.load.memory_rounds`

A round is five large files opened by five visitors (three sweeps of 9 MB, two runs of 900 tokens), two pairs of models
loaded, and 200 runs, each by a visitor who leaves. Printed is the server's resident memory after each of these: at
once, and with `--idle` so many seconds later.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx
import psutil

from playground import run
from playground.bench.grid import Grid, points
from playground.bench.results import make_manifest
from playground.trace import save
from tests.browser.app_fixture import started_app
from tests.load.class_of_a_hundred import until_idle
from tests.visitors import Page, Visitor, ended_well, page_at

PAIRS = (("assets/models/weaker", "assets/models/draft"), ("assets/models/draft", "assets/models/foreign"))
METHODS = ("speculative_sampling", "autoregressive", "rsd_s", "specinfer")
TOKENS, LONG_RUN = 24, 900
FILE_BYTES = 9_000_000
SWEEP, TRACE = "open_sweep", "open_trace"


def sweep_file(folder: Path, seed: int) -> Path:
    """A sweep of 500 runs of 900 tokens each, and a note."""
    chance = random.Random(seed)
    prompts = tuple(f"Prompt {number} of {seed}" for number in range(10))
    grid = Grid(
        choices=(("rsd_s", {}), ("autoregressive", {})),
        axes={"temperature": (0.5, 0.75, 1.0, 1.25, 1.5)},
        prompts=prompts,
        seeds=tuple(range(5)),
        max_new_tokens=LONG_RUN,
    )
    numbers = {
        "num_tokens": LONG_RUN,
        "seconds": 0.5,
        "tokens_per_s": 128.0,
        "perplexity": 4.5,
        "block_efficiency": 2.0,
    }
    path = folder / f"sweep-{seed}.jsonl"
    with path.open("w") as file:
        file.write(json.dumps(make_manifest(grid.as_dict())) + "\n")
        for point in points(grid):
            row = point.as_dict() | numbers | {"token_ids": [chance.randrange(300, 2000) for _ in range(LONG_RUN)]}
            line = json.dumps(row)
            file.write(json.dumps(row | {"note": "a" * (FILE_BYTES // 500 - len(line))}) + "\n")
    return path


def trace_file(folder: Path) -> Path:
    """A run that is as long as a page may ask for."""
    path = folder / "run.json.gz"
    save(run("speculative_sampling", "Once upon a time", temperature=2.0, max_new_tokens=LONG_RUN, seed=1), path)
    return path


class Server:
    """A server, and what a visitor's page posts to it."""

    def __init__(self, page: Page, process: psutil.Process, idle_s: float) -> None:
        self.page, self.process, self.idle_s = page, process, idle_s
        self.config = httpx.get(f"{page.address}/config").json()
        self.numbers = itertools.count()

    def visit(self, act: Any) -> None:
        """Somebody opens the page, does something, and leaves."""
        session = f"visitor{next(self.numbers)}"
        beat = httpx.stream("GET", f"{self.page.address}/gradio_api/heartbeat/{session}", timeout=None)
        with beat, Visitor(self.page, session) as visitor:
            visitor.open()
            act(visitor)

    def open_file(self, name: str, path: Path) -> None:
        """A file goes to the upload button of an event of this name."""
        headers = {"origin": self.page.address}
        url = f"{self.page.address}/gradio_api/upload"
        stored = httpx.post(url, files={"files": (path.name, path.read_bytes())}, headers=headers, timeout=60).json()
        event = next(each for each in self.config["dependencies"] if _is_upload(each, name))
        file = {"path": stored[0], "orig_name": path.name, "meta": {"_type": "gradio.FileData"}}
        value = [file] if name == SWEEP else file
        self.visit(lambda visitor: _check(list(visitor.post(event["id"], [value])), name))

    def run(self, **form: Any) -> None:
        """A run in Watch."""

        def act(visitor: Visitor) -> None:
            visitor.ask(**form)
            _check(list(visitor.run()), str(form))

        self.visit(act)

    def megabytes(self) -> float:
        """Resident now."""
        return self.process.memory_info().rss / 1e6

    def say(self, what: str) -> None:
        """Memory at once and later."""
        at_once = self.megabytes()
        time.sleep(self.idle_s)
        later = f", {self.idle_s:g} s later {self.megabytes():.0f}" if self.idle_s else ""
        print(f"{what}: {at_once:.0f} MB{later}", flush=True)


def _is_upload(event: dict[str, Any], name: str) -> bool:
    return str(event["api_name"]).startswith(name) and event["targets"][0][1] == "upload"


def _check(told: list[dict[str, Any]], what: str) -> None:
    assert ended_well(told), f"{what}: {json.dumps(told[-1])[:300]}"


def main() -> None:
    """Read the flags, and go round."""
    parser = argparse.ArgumentParser(description="What of its memory a server gives back.")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--idle", type=float, default=0.0, metavar="S")
    flags = parser.parse_args()
    with tempfile.TemporaryDirectory() as place, started_app() as (address, process):
        server = Server(page_at(address), psutil.Process(process.pid), flags.idle)
        until_idle(server.process)
        server.say("start")
        sweeps, trace = [sweep_file(Path(place), seed) for seed in range(3)], trace_file(Path(place))
        for turn in range(1, flags.rounds + 1):
            for path in sweeps:
                server.open_file(SWEEP, path)
            for _ in range(2):
                server.open_file(TRACE, trace)
            server.say(f"round {turn}, five files")
            for target, draft in PAIRS:
                models = {"Models": "other", "Target model": target, "Draft model": draft}
                server.run(**models, **{"New tokens (at most)": TOKENS})
            server.say(f"round {turn}, two pairs")
            for number, method in zip(range(flags.runs), itertools.cycle(METHODS), strict=False):
                server.run(**{"method": method, "New tokens (at most)": TOKENS, "Seed": 1000 * turn + number})
            server.say(f"round {turn}, {flags.runs} runs")


if __name__ == "__main__":
    main()
