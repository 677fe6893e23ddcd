"""`drafters` and `positions`: one target, many drafters, by kind of text; and several drafts at one position."""

from __future__ import annotations

import argparse
from typing import Any

from playground.cli.command import add_command, add_sampling, add_warping, print_json, read_sampling, say_progress
from playground.errors import PlaygroundError

PROMPTS = "bundled"


def add(commands: Any) -> None:
    """Add `drafters` and `positions` to the subcommands."""
    drafters = add_command(
        commands,
        "drafters",
        _drafters,
        "Drafters of one target: acceptance, cost, block efficiency and speed-up, by kind of text, as JSON.",
    )
    drafters.add_argument(
        "--methods",
        metavar="ID:drafter=WORD,..",
        help="as for compare; drafters are draft, other, foreign (of another tokenizer), head, exit4 (first "
        "layers of the target), suffix (the text)",
    )
    drafters.add_argument("--seeds", default="0", metavar="S1,S2", help="every prompt runs with each")
    add_warping(drafters)
    drafters.set_defaults(max_new_tokens=32)

    positions = add_command(
        commands,
        "positions",
        _positions,
        "How likely one of several drafts is accepted under each rule, exactly, on texts of the target, as JSON.",
    )
    positions.add_argument(
        "--num-drafts", required=True, metavar="K1,K2,..", help="so many i.i.d. drafts of the draft model at a position"
    )
    add_sampling(positions)
    positions.set_defaults(max_new_tokens=32)


def _drafters(parsed: argparse.Namespace) -> None:
    import torch

    from playground.bench.entry import enter, read_choices
    from playground.bench.grid import read_seeds
    from playground.bench.prompts import read_kinds
    from playground.makers.studies.drafters import METHODS, drafter_table, run_drafters
    from playground.models.loading import Models
    from playground.models.machine import machine

    torch.set_num_threads(1)
    entries = enter(read_choices(parsed.methods or METHODS))
    prompts, seeds = read_kinds(PROMPTS), read_seeds(parsed.seeds)
    sampling = read_sampling(parsed)
    settings = {"sampling": sampling, "max_new_tokens": parsed.max_new_tokens}

    def progress(done: int, total: int) -> None:
        if done % 50 == 0 or done == total:
            say_progress(f"run {done} of {total}")

    pair = Models.named().load()
    tallies = run_drafters(pair, entries, prompts, seeds=seeds, settings=settings, progress=progress)
    rows = drafter_table(tallies, entries, prompts)
    conditions = sampling.as_dict() | {"max_new_tokens": parsed.max_new_tokens, "seeds": list(seeds)}
    about = {"target": pair.target.facts(), "prompts": PROMPTS, **conditions, "machine": machine()}
    print_json(about | {"rows": rows})


def _positions(parsed: argparse.Namespace) -> None:
    import torch

    from playground.bench.prompts import read_prompts
    from playground.makers.studies.positions import several_drafts
    from playground.models.loading import Models

    torch.set_num_threads(1)
    sampling, pair = read_sampling(parsed), Models.named().load()
    settings = {"seed": parsed.seed, "sampling": sampling, "max_new_tokens": parsed.max_new_tokens}

    def progress(done: int, total: int) -> None:
        say_progress(f"text {done} of {total}")

    numbers = _read_numbers(parsed.num_drafts)
    result = several_drafts(pair, read_prompts(PROMPTS), num_drafts=numbers, progress=progress, **settings)
    conditions = sampling.as_dict() | {"max_new_tokens": parsed.max_new_tokens, "seed": parsed.seed}
    print_json({"target": pair.target.facts(), "prompts": PROMPTS, **conditions, **result})


def _read_numbers(words: str) -> list[int]:
    """Parse numbers of drafts, 1 to 6."""
    numbers = [int(word) if word.strip().isdecimal() else 0 for word in words.split(",")]
    if not all(1 <= number <= 6 for number in numbers):
        raise PlaygroundError(f"--num-drafts {words} is not a list of numbers from 1 to 6. Write 2,3,4.")
    return numbers
