"""Engines of many runs: one after another here, or several at a time in workers that may die."""

from typing import Literal

Engine = Literal["local", "processes", "ray"]
ENGINES: tuple[Engine, ...] = ("local", "processes", "ray")
