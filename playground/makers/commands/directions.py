"""`directions`: do the papers' orderings hold on this pair?"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from playground.cli.command import add_command, print_json, say_progress
from playground.errors import PlaygroundError

PROMPTS, MAX_NEW_TOKENS = "ninety", 64  # a third of them chooses shapes where a paper leaves them open


def add(commands: Any) -> None:
    """Add `directions` to the subcommands."""
    directions = add_command(
        commands, "directions", _directions, "Whether the papers' orderings of methods hold on a pair, in counts."
    )
    directions.add_argument(
        "--seeds", type=int, choices=range(1, 101), default=1, metavar="N", help="runs per prompt and side"
    )
    directions.add_argument("--only", metavar="WORDS", help="claims whose name has these words")
    directions.add_argument(
        "--kept", type=Path, metavar="FOLDER", help="keeps what was counted of each run; the same call goes on from it"
    )


def _directions(parsed: argparse.Namespace) -> None:
    import torch

    from playground.bench.prompts import read_prompts
    from playground.makers.studies.directions import claims, measure
    from playground.models.loading import Models

    torch.set_num_threads(1)
    wanted = [claim for claim in claims() if not parsed.only or parsed.only.lower() in claim.name.lower()]
    if not wanted:
        names = "; ".join(dict.fromkeys(claim.name for claim in claims()))
        raise PlaygroundError(f"No claim has {parsed.only!r} in its name. The claims: {names}.")
    settings = {"max_new_tokens": MAX_NEW_TOKENS, "seeds": parsed.seeds, "kept": parsed.kept}
    rows = []
    for row in measure(Models.named().load(), read_prompts(PROMPTS), wanted=wanted, **settings):
        rows.append(row)
        width = "" if row["low"] is None else f" ({row['low']:+.3f} to {row['high']:+.3f})"
        line = (
            f"{row['claim']}, {row['setting']}: {row['higher']['value']:.3f} against {row['lower']['value']:.3f} "
            f"({row['measure']}), difference {row['difference']:+.3f}{width}: "
            f"{row['verdict']}."
        )
        say_progress(line)
    print_json(rows)
