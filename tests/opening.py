"""Record an opening run: `python -m tests.opening KIND measure FILE`, then `KIND run FILE` and `KIND plain FILE`.

`measure` tries chains of draft length 1 to 8 in turns with plain decoding of the same prompt, seed and sampling, and
keeps of every length the ratio to plain decoding with its range, and chooses the length with the largest median,
unless the opening names one. `run`
and `plain` write the run with that median, and plain decoding of the same turn, as traces.
Nothing else should run on the machine meanwhile. `python -m tests.renew --only opening` calls this for each kind.
"""

import argparse
import json
import sys
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import torch

from playground.decoding.chat import chat_turn
from playground.decoding.decode import Request
from playground.decoding.method import make_method
from playground.decoding.record import record
from playground.models.loading import Models
from playground.models.machine import machine
from playground.models.sampling import Sampling
from playground.trace.events import Trace
from playground.trace.storage import from_json, save, to_json
from playground.ui.recorded import EDIT, OPENING, file_of, kind_of, read, write

LENGTHS = range(1, 9)
REPEATS = 9


class Opening(NamedTuple):
    """A run to record.

    Attributes:
        pair: of the catalogue.
        method: one with a draft length.
        options: of it beside that; with a draft length that is the one whose run is kept.
        chat: whether the prompt is a message.
    """

    pair: str
    method: str
    prompt: str
    sampling: Sampling
    seed: int
    tokens: int
    options: dict[str, Any] = {}
    chat: bool = False


REAL_OPENING = kind_of(OPENING, "smollm2-135m")
OPENINGS = {
    # Its first round rejects a draft, whatever its length above 1.
    OPENING: Opening(
        "bundled",
        "speculative_sampling",
        "Once upon a time, there was a little rabbit who lived in",
        Sampling(0.8),
        seed=3,
        tokens=64,
    ),
    REAL_OPENING: Opening(
        "smollm2-135m",
        "prompt_lookup",
        "def add(a, b):\n    return a + b\n\n\ndef subtract(a, b):\n    return a - b\n\n\ndef",
        Sampling(0),
        seed=0,
        tokens=48,
    ),
    # Where the text repeats the prompt it is copied, up to 14 tokens a call; at the words to be corrected the head
    # drafts, and one of three siblings saves a round. Of 55 edits the one that shows all of it and keeps its meaning.
    kind_of(EDIT, "smollm2-135m"): Opening(
        "smollm2-135m",
        "hybrid",
        "Correct the spelling and write the whole text again: The library is closed on Sunday and on Monday morning. "
        "Please return all books untill the end of the month. If you have lost a book, talk to the woman at the desk "
        "and she will help you to find anuther one.",
        Sampling(0),
        seed=0,
        tokens=128,
        options={"draft_length": 2, "width": 3, "least_score": 1.5, "per_token": 4.0},
        chat=True,
    ),
}


def measure(path: Path, kind: str) -> None:
    """Try every length, and keep all of it."""
    opening = OPENINGS[kind]
    pair = Models.named(opening.pair).load()
    prompt, ids = chat_turn(pair.target, opening.prompt) if opening.chat else (opening.prompt, ())

    def run(name: str, **options: Any) -> Trace:
        method = make_method(name, options)
        request = Request(
            method,
            pair.target,
            prompt,
            pair.draft,
            opening.sampling,
            opening.seed,
            opening.tokens,
            ids,
            message=opening.prompt if opening.chat else "",
        )
        return Trace(tuple(event for batch in record(request, interval_s=60) for event in batch))

    turns: list[dict[int, Trace]] = []
    for _ in range(REPEATS + 1):
        turns.append({0: run("autoregressive")})
        turns[-1] |= {length: run(opening.method, **opening.options | {"draft_length": length}) for length in LENGTHS}
    turns = turns[1:]  # the first warms up
    tried = {length: [seconds_a_token(turn[0]) / seconds_a_token(turn[length]) for turn in turns] for length in LENGTHS}
    best = max(tried, key=lambda length: median(tried[length]))
    chosen = opening.options.get("draft_length", best)
    about = [
        {"draft_length": length, "ratio": median(ratios), "least": min(ratios), "most": max(ratios)}
        for length, ratios in tried.items()
    ]
    turn = turns[tried[chosen].index(median(tried[chosen]))]
    traces = {"run": json.loads(to_json(turn[chosen])), "plain": json.loads(to_json(turn[0]))}
    write(path, kind, {"tried": about, "chosen": chosen} | traces, machine())
    for row in about:
        print("draft length {draft_length}: {ratio:.2f} ({least:.2f} to {most:.2f})".format(**row), file=sys.stderr)
    print(f"chosen: draft length {chosen}", file=sys.stderr)


def seconds_a_token(trace: Trace) -> float:
    """Decoding time of a run per token that it emitted, prefill excluded."""
    assert trace.finished is not None
    return trace.rounds[-1].committed.clock_s / trace.finished.num_tokens


def main(arguments: list[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.opening", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("kind", choices=OPENINGS)
    parser.add_argument("part", choices=["measure", "run", "plain"])
    parser.add_argument("file", type=Path)
    asked = parser.parse_args(arguments)
    torch.set_num_threads(1)
    if asked.part == "measure":
        measure(asked.file, asked.kind)
    else:
        recorded = read(file_of(asked.kind), asked.kind)
        save(from_json(json.dumps(recorded[asked.part])), asked.file)


if __name__ == "__main__":
    main()
