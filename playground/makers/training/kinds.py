"""All kinds of runs, and of drafters of a target, by name."""

from typing import Any

from playground.makers.training.beside import Beside
from playground.makers.training.block import BLOCK, BlockNetwork
from playground.makers.training.head import HEAD, HeadNetwork
from playground.makers.training.pair.runs import DRAFT, TARGET
from playground.makers.training.run import Kind

KINDS: dict[str, Kind[Any]] = {each.name: each for each in (TARGET, DRAFT, HEAD, BLOCK)}
BESIDE: dict[str, type[Beside]] = {each.name: each for each in (HeadNetwork, BlockNetwork)}
