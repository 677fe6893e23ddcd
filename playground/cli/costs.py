"""`costs`: the price of verification, a call over several tokens over a call over one, beside published prices."""

import argparse
from datetime import UTC, datetime
from typing import Any

from playground.cli.command import add_command, add_options, print_json, read_placement
from playground.errors import PlaygroundError
from playground.run_options import PlacementOptions

RATES = (0.5, 0.7, 0.9)


def add(commands: Any) -> None:
    """Add `costs` to the subcommands."""
    costs = add_command(
        commands, "costs", _costs, "What a target call over 1 to 32 tokens costs, and the longest draft that pays."
    )
    costs.add_argument("--pair", default="bundled", metavar="ID", help="whose target; see the command pairs")
    costs.add_argument("--target", metavar="MODEL", help="Hub id, folder or GGUF file, instead of a pair's target")
    costs.add_argument("--context", type=int, default=128, metavar="N", help="cached tokens before those of the call")
    costs.add_argument("--threads", type=int, default=1, choices=range(1, 257), metavar="N", help="CPU threads")
    costs.add_argument("--cost-ratio", type=float, default=0.0, metavar="C", help="a draft call over a target call")
    costs.add_argument("--markdown", action="store_true", help="print a table for a document, beside published rows")
    add_options(costs, PlacementOptions)


def _costs(parsed: argparse.Namespace) -> None:
    import msgspec
    import torch

    from playground.bench.calibration import verification_costs
    from playground.lab.verification_costs import CostRow, as_markdown, cost_rows
    from playground.models.language_model import LanguageModel
    from playground.models.loading import Models
    from playground.models.machine import machine

    if not 0 <= parsed.cost_ratio <= 10:
        raise PlaygroundError(f"A cost ratio of {parsed.cost_ratio:g} is out of range. Choose 0 to 10.")
    torch.set_num_threads(parsed.threads)
    target = Models.named(parsed.pair, parsed.target, placement=read_placement(parsed)).load().target
    assert isinstance(target, LanguageModel), target
    seconds, here = verification_costs(target, parsed.context), machine(target.device)
    row = CostRow(
        id=f"{target.name}, {target.facts()['dtype']}, {parsed.threads}",
        engine="this playground",
        model=f"{target.name}, {target.facts()['dtype']}",
        machine=here["gpu"] or here["processor"],
        threads=here["threads"],
        context=parsed.context,
        on=f"{datetime.now(UTC):%Y-%m-%d}",
        costs={size: round(each / seconds[1], 3) for size, each in seconds.items()},
    )
    if parsed.json:
        print_json(msgspec.to_builtins(row, str_keys=True))
    elif parsed.markdown:
        print(as_markdown([row, *cost_rows().values()], RATES, parsed.cost_ratio))
    else:
        print(f"{row.model}, {row.machine}, threads: {row.threads}, context: {row.context}")
        print(f"One token takes {1000 * seconds[1]:.3g} ms. A call over n tokens takes, times that:")
        print("".join(f"{size:>8}" for size in row.costs))
        print("".join(f"{cost:8.2f}" for cost in row.costs.values()))
        for rate, length in zip(RATES, row.longest_paying(RATES, parsed.cost_ratio), strict=True):
            print(f"At acceptance {rate:g} drafts of up to {length} tokens are faster than plain decoding, by formula.")
