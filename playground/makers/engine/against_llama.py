"""Plain decoding and calls over several nodes against llama.cpp, on the same files and in turns.

The rival runs by node-llama-cpp, on its own, and once more with its process pinned to as many processors as it has
threads: its own threads may share a pinned core, or gain from it, so its better figure counts. A call over n nodes is
for the rival a batch of n tokens with the logits of the last one alone, which is less than a verification needs. Next
to each pair of figures stands what one core could read in that minute, as a plain step is bound by that.
"""

import json
import os
import statistics
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np

from playground.decoding.decode import Request, Round, decode
from playground.decoding.method import make_method
from playground.errors import PlaygroundError
from playground.makers.engine.growth import call_s
from playground.makers.engine.shapes import SHAPES, write_random
from playground.models.language_model import LanguageModel
from playground.models.loading import Models
from playground.models.machine import processor, versions
from playground.models.modes import use_threads
from playground.models.sampling import Sampling

NODES = (1, 2, 5, 9)
NUM_TOKENS, TURNS = 24, 3
READ_BYTES = 2**27  # more than a core's own cache
SCRIPT = Path(__file__).with_name("llama.mjs")
PROMPT = "Once upon a time, there was a little rabbit"
# The real file is Q4_1; of the other types and sizes there are random weights.
ROWS = (
    ("135M", "Q4_1"), ("135M", "Q4_0"), ("135M", "Q8_0"), ("135M", "F16"),
    ("360M", "Q4_0"), ("360M", "Q8_0"), ("1.7B", "Q4_0"),
)  # fmt: skip


class Times(NamedTuple):
    """Milliseconds of one side."""

    step: float  # The fastest turn of plain decoding counts, and a turn is its median.
    calls: dict[str, float]  # over so many nodes, the fastest


def prepare(source: Path, folder: Path, rows: Sequence[tuple[str, str]] = ROWS) -> None:
    """Write the files of random weights that are not in this folder yet, and link to the real one."""
    folder.mkdir(parents=True, exist_ok=True)
    for size, kind in rows:
        file = _file(folder, size, kind)
        if file.exists():
            continue
        if (size, kind) == ROWS[0]:
            file.symlink_to(source.resolve())
        else:
            write_random(source, file, SHAPES[size], kind)


def measure(
    folder: Path, llama: Path, rows: Sequence[tuple[str, str]], threads: Sequence[int], turns: int = TURNS
) -> Iterator[dict[str, object]]:
    """Yield a row of the table for each file and number of threads, as soon as it is measured."""
    try:
        for size, kind in rows:
            target = Models.named(target=str(_file(folder, size, kind))).load().target
            for number in threads:
                yield {"size": size, "file": kind, "threads": number} | _row(
                    target, _file(folder, size, kind), llama, number, turns
                )
            del target
    finally:
        use_threads(1)


def conditions(turns: int) -> dict[str, object]:
    """Return what the rows were measured on, as JSON data."""
    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
        "day": datetime.now(UTC).date().isoformat(),
        "versions": versions(),
        "num_tokens": NUM_TOKENS,
        "turns": turns,
        "statistic": "a turn's median step, the fastest turn; the fastest call",
    }


def of_other_processors(file: Path, processor: str) -> list[dict[str, object]]:
    """Return the reports of a file that were measured on any processor but this one; none where there is no file."""
    reports = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    return [report for report in reports if report["conditions"]["processor"] != processor]


def bytes_per_s() -> float:
    """Bytes that one core reads in a second: the largest of some bytes, the fastest of five times."""
    numbers, seconds = np.ones(READ_BYTES, np.uint8), []  # zeros would be one page of memory
    for _ in range(5):
        start = time.perf_counter()
        numbers.max()
        seconds.append(time.perf_counter() - start)
    return READ_BYTES / min(seconds)


def better(sides: Sequence[Times]) -> Times:
    """Return the smaller of each figure."""
    calls = {size: min(side.calls[size] for side in sides) for size in sides[0].calls}
    return Times(min(side.step for side in sides), calls)


def _row(target: LanguageModel, file: Path, llama: Path, threads: int, turns: int) -> dict[str, object]:
    ours, free, pinned = list[Times](), list[Times](), list[Times]()
    use_threads(threads)
    with ExitStack() as stack:
        start = [stack.enter_context(_llama(llama, file, pin)) for pin in (0, threads)]
        releases = {json.loads(_line(each))["release"] for each in start}
        for _ in range(turns):
            ours.append(_our_times(target))
            for process, times in zip(start, (free, pinned), strict=True):
                times.append(_their_times(process, threads))
    theirs = better([*free, *pinned])
    return {
        "read_gb_per_s": round(bytes_per_s() / 1e9, 1),
        "forward_pass": target.forward_pass.name,
        "ours": better(ours)._asdict(),
        "llama": theirs._asdict() | {"free_step": better(free).step, "pinned_step": better(pinned).step},
        "llama_release": releases.pop(),
    }


def _our_times(target: LanguageModel) -> Times:
    plain = Request(make_method("autoregressive"), target, PROMPT, sampling=Sampling(0.0), max_new_tokens=NUM_TOKENS)
    plain = replace(plain, target=_without_end(target))
    rounds = [item for item in decode(plain) if isinstance(item, Round)]
    steps = [each.draft_s + each.verify_s + each.other_s for each in rounds]
    calls = {str(size): min(call_s(target, 16, size, 5)) * 1e3 for size in NODES}
    return Times(statistics.median(steps) * 1e3, calls)


def _without_end(target: LanguageModel) -> LanguageModel:
    """Return the model that writes on behind an end token, as random weights may begin with one."""
    endless = target.by(target.forward_pass)
    endless.eos_ids = frozenset()
    return endless


def _their_times(process: "subprocess.Popen[str]", threads: int) -> Times:
    assert process.stdin is not None
    process.stdin.write(json.dumps([threads, NUM_TOKENS, NODES]) + "\n")
    process.stdin.flush()
    answer = json.loads(_line(process))
    return Times(answer["ms"], answer["calls"])


@contextmanager
def _llama(folder: Path, file: Path, pin: int) -> Iterator["subprocess.Popen[str]"]:
    """Run the rival's process, on as many processors as `pin`; 0: on all."""
    allowed = sorted(os.sched_getaffinity(0))[:pin] if pin else []
    command = ["taskset", "-c", ",".join(map(str, allowed))] if allowed else []
    command += ["node", str(SCRIPT), str(folder.resolve()), str(file)]
    with subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            yield process
        finally:
            process.kill()


def _line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise PlaygroundError("llama.cpp did not answer. Install it by `npm install node-llama-cpp` in its folder.")
    return line


def _file(folder: Path, size: str, kind: str) -> Path:
    return folder / f"SmolLM2-{size}.{kind}.gguf"
