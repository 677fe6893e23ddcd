"""Plain decoding to compare a recorded run with: same prompt, sampling, seed and length, on the same clock.

An opening run has the one of its own recording. Every other run was made again, in turns with plain decoding or plain
beams, in one sitting, and the clocks of the turn with the median ratio are kept in `FILE`.
"""

from functools import cache
from pathlib import Path
from typing import Any

from playground.files import read_json
from playground.paths import ASSETS
from playground.trace.events import RunStarted, Trace
from playground.trace.storage import load

FILE = "recorded/beside.json.gz"
PLAIN = (
    "autoregressive.json.gz",
    "plain_smollm2.json.gz",
    "plain_edit.json.gz",
)  # each recorded in the minute of an opening run


def clocks(name: str, trace: Trace, assets: Path = ASSETS) -> dict[str, list[float] | None]:
    """Return the clocks that the player compares for a recorded run, prefill excluded; None where none is kept.

    Args:
        name: of the run's file, without its ending.
        trace: the run. One with other rounds than those that were timed has no clocks.
        assets: with the recorded runs.

    Returns:
        plain: seconds at which plain decoding had each token. again: seconds at the end of each round of the run in the
        same turn; None where the trace itself is of that turn.
    """
    if plain := plain_clock(trace.started, assets):
        return {"plain": plain, "again": None}
    timed = compared(assets / FILE).get(name, {})
    if len(timed.get("again", ())) != len(trace.rounds):
        return {"plain": None, "again": None}
    return {"plain": timed["plain"], "again": timed["again"]}


@cache
def compared(file: Path = ASSETS / FILE) -> dict[str, dict[str, Any]]:
    """Return what was timed of each recorded run, by name: plain, again, and median, low and high of the ratios."""
    return read_json(file)["runs"]


def plain_clock(started: RunStarted, assets: Path = ASSETS) -> list[float] | None:
    """Return the clock of plain decoding that was recorded in turns with an opening run; None for any other run."""
    files = [assets / "traces" / name for name in PLAIN]
    for plain in map(load, filter(Path.is_file, files)):
        if _setting(plain.started) == _setting(started) and plain.started.method != started.method:
            return [each.committed.clock_s for each in plain.rounds]
    return None


def _setting(run: RunStarted) -> tuple[Any, ...]:
    return run.target["name"], run.prompt, run.sampling, run.seed, run.max_new_tokens, run.machine
