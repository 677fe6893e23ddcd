"""`several-drafts`: how often one of K drafts is accepted by each rule, on texts of the bundled target."""

import argparse
from typing import Any

from playground.cli.command import add_command, print_json, say_progress

PROMPTS, MAX_NEW_TOKENS = "bundled", 32
SETTINGS = ({"top_p": 1.0}, {"top_p": 0.95})  # all tokens, and those of the paper's Table 3


def add(commands: Any) -> None:
    """Add `several-drafts` to the subcommands."""
    several = add_command(
        commands,
        "several-drafts",
        _several_drafts,
        "Acceptance of one of K drafts by each rule, as in a paper's table.",
    )
    several.add_argument("--num-drafts", type=int, nargs="+", default=[2, 3, 4], choices=range(1, 7), metavar="K")
    several.add_argument("--prompts", type=int, default=20, choices=range(1, 21), metavar="N")
    several.add_argument("--seed", type=int, default=0)


def _several_drafts(parsed: argparse.Namespace) -> None:
    import torch

    from playground.bench.prompts import read_prompts
    from playground.makers.several_drafts import several_drafts
    from playground.models.loading import Models
    from playground.models.machine import machine
    from playground.models.sampling import Sampling

    torch.set_num_threads(1)
    pair, prompts = Models.named().load(), read_prompts(PROMPTS)[: parsed.prompts]
    about = {"num_drafts": parsed.num_drafts, "seed": parsed.seed, "max_new_tokens": MAX_NEW_TOKENS}
    settings = []
    for setting in SETTINGS:
        say_progress(f"top-p {setting['top_p']:g}: {len(prompts)} texts ...")
        settings.append(setting | several_drafts(pair, prompts, sampling=Sampling(1.0, **setting), **about))
    conditions = {"target": pair.target.facts(), "machine": machine(), "prompts": len(prompts), "temperature": 1.0}
    print_json(conditions | about | {"settings": settings})
