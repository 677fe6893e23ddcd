"""Plain decoding beside a recorded run: same prompt, sampling, seed and length, so that both stand on one clock."""

from __future__ import annotations

from pathlib import Path

from playground.paths import ASSETS
from playground.trace.events import RunStarted
from playground.trace.storage import load

PLAIN = "autoregressive.json.gz"


def plain_clock(started: RunStarted, assets: Path = ASSETS) -> list[float] | None:
    """Seconds at which plain decoding had each token, prefill excluded; None where no such run is kept.

    Args:
        started: the beginning of the run that it is to stand beside.
        assets: with the recorded runs.
    """
    plain = load(assets / "traces" / PLAIN)
    settings = [
        (run.prompt, run.sampling, run.seed, run.max_new_tokens, run.machine) for run in (started, plain.started)
    ]
    if settings[0] != settings[1] or started.method == plain.started.method:
        return None
    return [each.committed.clock_s for each in plain.rounds]
