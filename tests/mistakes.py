"""The exact distributions of the known mistakes on the usual trials: `python -m tests.mistakes FILE` writes them.

Enumerating them takes a minute, and `check` would do so in every call.
"""

import json
import sys
from itertools import product
from pathlib import Path

from playground.exactness.diagnosis import SAVED, enumerate_mistake, mistakes, saved_as
from playground.exactness.trial import NUM_TOKENS, VOCAB_SIZE, Trial

TRIALS = (
    Trial(),
    Trial(1),
    Trial(1, 1, "likeliest"),
    Trial(2, 1, "likeliest"),
    *(Trial(1, num_drafts, drawn) for num_drafts in (2, 3) for drawn in ("independent", "distinct", "likeliest")),
)
DIGITS = 15


def main(file: Path = SAVED) -> None:
    """Write the file."""
    texts = list(product(range(VOCAB_SIZE), repeat=NUM_TOKENS))
    saved = {
        saved_as(name, trial): [round(chances.get(text, 0.0), DIGITS) for text in texts]
        for trial in TRIALS
        for name in mistakes(trial)
        for chances in [enumerate_mistake(name, trial)]
    }
    rows = (f" {json.dumps(name)}: {json.dumps(row, separators=(',', ':'))}" for name, row in saved.items())
    file.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
