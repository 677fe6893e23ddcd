"""All kinds of runs, and of drafters of a target, by name."""

from __future__ import annotations

from typing import Any

from playground.makers.training.beside import Beside
from playground.makers.training.block import beside as block
from playground.makers.training.block.run import BLOCK
from playground.makers.training.exits import beside as exits
from playground.makers.training.exits.run import EXITS
from playground.makers.training.head import beside as head
from playground.makers.training.head.run import HEAD
from playground.makers.training.pair.draft import DRAFT
from playground.makers.training.pair.target import TARGET
from playground.makers.training.run import Kind

KINDS: dict[str, Kind[Any]] = {each.name: each for each in (TARGET, DRAFT, HEAD, BLOCK, EXITS)}
BESIDE: dict[str, Beside[Any]] = {each.name: each for each in (head.BESIDE, block.BESIDE, exits.BESIDE)}
