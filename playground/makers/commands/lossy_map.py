"""`lossy-map`: what each lossy rule gains in tokens a call, and what it gives away in distance from the target."""

from typing import Annotated, Any

from playground.cli.command import add_command, flag, print_json

PROMPTS, MAX_NEW_TOKENS = "bundled", 32


def add(commands: Any) -> None:
    """Add `lossy-map` to the subcommands."""
    add_command(commands, map_of_lossy_rules, "lossy-map")


def map_of_lossy_rules(
    *, prompts: Annotated[int, flag("number of them", choices=range(5, 21), metavar="N")] = 20, seed: int = 0
) -> None:
    """Place every lossy rule on a map of tokens a call and distance from the target."""
    import torch

    from playground.bench.prompts import read_prompts
    from playground.makers.lossy_map import DRAFT_LENGTH, NUM_TABLES, lossy_map
    from playground.models.loading import Models
    from playground.models.machine import machine

    torch.set_num_threads(1)
    pair, texts = Models.named().load(), read_prompts(PROMPTS)[:prompts]
    about = {"seed": seed, "max_new_tokens": MAX_NEW_TOKENS}
    conditions = {"target": pair.target.facts(), "machine": machine(), "prompts": len(texts), "tables": NUM_TABLES}
    print_json(conditions | about | {"draft_length": DRAFT_LENGTH} | lossy_map(pair, texts, **about))
