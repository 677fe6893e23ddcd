"""All kinds of runs, and of drafters beside a target, by name."""

from __future__ import annotations

from typing import Any

from playground.training.beside import Beside
from playground.training.block import beside as block
from playground.training.block.run import BLOCK
from playground.training.exits import beside as exits
from playground.training.exits.run import EXITS
from playground.training.head import beside as head
from playground.training.head.run import HEAD
from playground.training.pair.draft import DRAFT
from playground.training.pair.target import TARGET
from playground.training.run import Kind

KINDS: dict[str, Kind[Any]] = {each.name: each for each in (TARGET, DRAFT, HEAD, BLOCK, EXITS)}
BESIDE: dict[str, Beside[Any]] = {each.name: each for each in (head.BESIDE, block.BESIDE, exits.BESIDE)}
