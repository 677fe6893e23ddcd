"""A training killed without warning again and again, at random moments: `python -m tests.load.killed_training`

Each time the same command goes on from what is on the disk, and in the end the curve of losses is that of a training
that nobody disturbed, number for number. tests/makers/training/test_train.py does the same once.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path

import torch

from tests.load.killing import ended
from tests.makers.training.test_train import SMALL, curve, train
from tests.makers.training.tiny import write_text

STEPS = 60
LONGEST_S = 1.5  # from the beginning of a process to its kill


def main() -> None:
    """Read the flags, kill, and compare."""
    parser = argparse.ArgumentParser(description="A training that is killed again and again.")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    flags = parser.parse_args()
    torch.set_num_threads(1)  # threads do not come along into a fork
    chance, kills, runs, died_at = random.Random(flags.seed), 0, 0, []
    with tempfile.TemporaryDirectory() as place:
        work = Path(place) / "work"
        assert train("tokenizer", "--text", write_text(Path(place) / "text"), "--work", work, "--vocab", 300) == 0
        _to_the_end(work, "undisturbed")
        whole = curve(work / "undisturbed")
        while kills < flags.kills:
            name = f"killed_{runs}"
            while not ended(partial(_quietly, work, name), chance.uniform(0, LONGEST_S)):
                kills += 1
                log = work / name / "log.jsonl"
                died_at.append(len(log.read_text().splitlines()) if log.exists() else 0)
            assert curve(work / name) == whole, f"training {runs} has another curve"
            runs += 1
    between = sum(0 < steps < STEPS for steps in died_at)
    print(
        f"{kills} kills in {runs} trainings of {STEPS} steps, {between} of them between the first step and the last: "
        "every curve is that of the undisturbed training."
    )


def _to_the_end(work: Path, name: str) -> None:
    flags = ("--layers", 2, "--max-steps", STEPS, *SMALL, "--checkpoint-s", "0.05")
    assert train("target", "--work", work, "--name", name, *flags) == 0


def _quietly(work: Path, name: str) -> None:
    with Path(os.devnull).open("w") as nobody, redirect_stderr(nobody), redirect_stdout(nobody):
        _to_the_end(work, name)


if __name__ == "__main__":
    main()
