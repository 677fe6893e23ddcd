"""Record an opening run: `python -m tests.opening KIND measure FILE`, then `KIND run FILE` and `KIND plain FILE`.

`measure` tries chains of draft length 1 to 8 in turns with plain decoding of the same prompt, seed and sampling, and
keeps of every length the ratio to plain decoding with its range. It chooses the length with the largest median, unless
the opening names one, and measures that one anew, as the best of eight flatters itself. `run` and `plain` write the run
with that median, and plain decoding of the same turn, as traces. A turn in which a run takes a third longer than its
quickest is made again; a recording with too many of them refuses itself. Nothing else should run on the machine
meanwhile. `python -m tests.renew --only opening` calls this for each kind.
"""

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import torch

from playground.decoding.chat import chat_turn
from playground.decoding.decode import Request
from playground.decoding.method import make_method
from playground.decoding.record import record
from playground.errors import PlaygroundError
from playground.models.loading import Models
from playground.models.machine import machine
from playground.models.sampling import Sampling
from playground.trace.events import Trace
from playground.trace.storage import from_json, save, to_json
from playground.ui.recorded import EDIT, OPENING, file_of, kind_of, read, write

LENGTHS = range(1, 9)
REPEATS, MOST_TURNS = 9, 27
ALIKE = 4 / 3  # A run that takes longer than this times its quickest was disturbed.


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

    def turn_of(*lengths: int) -> dict[int, Trace]:
        of_lengths = {length: run(opening.method, **opening.options | {"draft_length": length}) for length in lengths}
        return {0: run("autoregressive")} | of_lengths

    turn_of(*LENGTHS)  # warms up
    turns = undisturbed(lambda: turn_of(*LENGTHS))
    tried = {length: [_ratio(turn, length) for turn in turns] for length in LENGTHS}
    best = max(tried, key=lambda length: median(tried[length]))
    chosen = opening.options.get("draft_length", best)
    turns = undisturbed(lambda: turn_of(chosen))
    tried[chosen] = [_ratio(turn, chosen) for turn in turns]
    about = [
        {"draft_length": length, "ratio": median(ratios), "least": min(ratios), "most": max(ratios)}
        for length, ratios in tried.items()
    ]
    turn = turns[tried[chosen].index(median(tried[chosen]))]
    traces = {"run": json.loads(to_json(turn[chosen])), "plain": json.loads(to_json(turn[0]))}
    write(path, kind, {"tried": about, "chosen": chosen} | traces, machine())
    for row in about:
        words = "draft length {draft_length}: {ratio:.2f}, lowest {least:.2f}, highest {most:.2f} of {turns} turns"
        print(words.format(**row, turns=REPEATS), file=sys.stderr)
    print(f"chosen: draft length {chosen}", file=sys.stderr)


def undisturbed(make_turn: Callable[[], dict[int, Trace]]) -> list[dict[int, Trace]]:
    """Make turns until `REPEATS` of them are alike.

    Raises:
        PlaygroundError: if `MOST_TURNS` are not enough: the machine is not quiet.
    """
    turns: list[dict[int, Trace]] = []
    while len(turns) < MOST_TURNS:
        turns.append(make_turn())
        times = [{length: seconds_a_token(trace) for length, trace in turn.items()} for turn in turns]
        if len(kept := alike(times)) == REPEATS:
            return [turns[index] for index in kept]
    raise PlaygroundError(
        f"Of {MOST_TURNS} turns only {len(kept)} have no run that took a third longer than its quickest. Nothing is "
        "recorded. Stop what else runs on this machine and record it again."
    )


def alike(times: Sequence[Mapping[int, float]]) -> list[int]:
    """Return the turns in which every run took at most `ALIKE` times as long as the quickest run of its length."""
    quickest = {length: min(turn[length] for turn in times) for length in times[0]}
    return [
        index
        for index, turn in enumerate(times)
        if all(seconds <= ALIKE * quickest[length] for length, seconds in turn.items())
    ]


def _ratio(turn: Mapping[int, Trace], length: int) -> float:
    return seconds_a_token(turn[0]) / seconds_a_token(turn[length])


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
