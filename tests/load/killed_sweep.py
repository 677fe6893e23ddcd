"""A sweep killed without warning again and again, at random moments: `python -m tests.load.killed_sweep --kills 50`

Whatever was being written, the next process goes on where the last one was, and in the end the rows are those of a
sweep that nobody disturbed. tests/bench/test_sweep.py does the same twice.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from functools import partial
from pathlib import Path

import torch

from tests.bench.test_sweep import LARGE, run, untimed
from tests.load.killing import ended

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
            while not ended(partial(run, folder, LARGE), chance.uniform(0, LONGEST_S)):
                kills += 1
            assert untimed(folder) == whole, f"sweep {sweeps} has other rows"
            sweeps += 1
    print(f"{kills} kills in {sweeps} sweeps of {len(whole)} runs: every one has the rows of the undisturbed sweep.")


if __name__ == "__main__":
    main()
