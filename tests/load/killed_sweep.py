"""A sweep killed without warning again and again, at random moments: `python -m tests.load.killed_sweep --kills 50`

Whatever was being written, the next process goes on where the last one was, and in the end the rows are those of a
sweep that nobody disturbed. tests/bench/test_sweep.py does the same twice.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import tempfile
import time
from pathlib import Path

import torch

from tests.bench.test_sweep import LARGE, run, untimed

LONGEST_S = 1.0  # from the beginning of a process to its kill


def main() -> None:
    """Read the flags, kill, and compare."""
    parser = argparse.ArgumentParser(description="A sweep that is killed again and again.")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    flags = parser.parse_args()
    torch.set_num_threads(1)  # threads do not come along into a fork
    chance, kills, sweeps = random.Random(flags.seed), 0, 0
    with tempfile.TemporaryDirectory() as place:
        run(Path(place) / "undisturbed", LARGE)
        whole = untimed(Path(place) / "undisturbed")
        while kills < flags.kills:
            folder = Path(place) / str(sweeps)
            while not _ended(folder, chance.uniform(0, LONGEST_S)):
                kills += 1
            assert untimed(folder) == whole, f"sweep {sweeps} has other rows"
            sweeps += 1
    print(f"{kills} kills in {sweeps} sweeps of {len(whole)} runs: every one has the rows of the undisturbed sweep.")


def _ended(folder: Path, seconds: float) -> bool:
    """Sweep in a process that is killed after so long; whether it had ended by then."""
    child = os.fork()
    if not child:
        run(folder, LARGE)
        os._exit(0)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    status = os.waitpid(child, 0)[1]
    assert os.WIFSIGNALED(status) or os.waitstatus_to_exitcode(status) == 0, f"the sweep failed: {status}"
    return not os.WIFSIGNALED(status)


if __name__ == "__main__":
    main()
