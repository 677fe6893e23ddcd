"""Plain decoding to compare a recorded run with: same prompt, sampling, seed and length, on the same clock."""

from pathlib import Path
from typing import Any

from playground.paths import ASSETS
from playground.trace.events import RunStarted
from playground.trace.storage import load

PLAIN = (
    "autoregressive.json.gz",
    "plain_smollm2.json.gz",
    "plain_edit.json.gz",
)  # each recorded in the minute of an opening run


def plain_clock(started: RunStarted, assets: Path = ASSETS) -> list[float] | None:
    """Seconds at which plain decoding had each token, prefill excluded; None where no such run is kept.

    Args:
        started: the beginning of the run to compare with.
        assets: with the recorded runs.
    """
    files = [assets / "traces" / name for name in PLAIN]
    for plain in map(load, filter(Path.is_file, files)):
        if _setting(plain.started) == _setting(started) and plain.started.method != started.method:
            return [each.committed.clock_s for each in plain.rounds]
    return None


def _setting(run: RunStarted) -> tuple[Any, ...]:
    return run.target["name"], run.prompt, run.sampling, run.seed, run.max_new_tokens, run.machine
