"""The makers' commands, behind those of the product: what `python -m playground` runs."""

from collections.abc import Sequence

from playground import cli
from playground.flags import Parser
from playground.makers.commands import against_llama, benchmark, lossy_map, recommender, several_drafts, train

COMMANDS = (recommender, benchmark, against_llama, several_drafts, lossy_map, train)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one subcommand of the product or of the makers; its exit code."""
    return cli.main(arguments, COMMANDS)


def parser() -> Parser:
    """Every subcommand, those of the makers last."""
    return cli.parser(COMMANDS)
