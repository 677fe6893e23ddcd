"""`several-drafts`: how often one of K drafts is accepted by each rule, on texts of the bundled target."""

from collections.abc import Sequence
from typing import Annotated, Any

from playground.cli.command import add_command, flag, print_json, say_progress

PROMPTS, MAX_NEW_TOKENS = "bundled", 32
SETTINGS = ({"top_p": 1.0}, {"top_p": 0.95})  # all tokens, and those of the paper's Table 3


def add(commands: Any) -> None:
    """Add `several-drafts` to the subcommands."""
    add_command(commands, acceptance_of_several, "several-drafts")


def acceptance_of_several(
    *,
    num_drafts: Annotated[
        Sequence[int], flag("at one position", nargs="+", type=int, action="store", choices=range(1, 7), metavar="K")
    ] = (2, 3, 4),
    prompts: Annotated[int, flag("number of them", choices=range(1, 21), metavar="N")] = 20,
    seed: int = 0,
) -> None:
    """Measure acceptance of one of K drafts by each rule, as in a paper's table."""
    import torch

    from playground.bench.prompts import read_prompts
    from playground.makers.several_drafts import several_drafts
    from playground.models.loading import Models
    from playground.models.machine import machine
    from playground.models.sampling import Sampling

    torch.set_num_threads(1)
    pair, texts = Models.named().load(), read_prompts(PROMPTS)[:prompts]
    about = {"num_drafts": list(num_drafts), "seed": seed, "max_new_tokens": MAX_NEW_TOKENS}
    settings = []
    for setting in SETTINGS:
        say_progress(f"top-p {setting['top_p']:g}: {len(texts)} texts ...")
        settings.append(setting | several_drafts(pair, texts, sampling=Sampling(1.0, top_p=setting["top_p"]), **about))
    conditions = {"target": pair.target.facts(), "machine": machine(), "prompts": len(texts), "temperature": 1.0}
    print_json(conditions | about | {"settings": settings})
