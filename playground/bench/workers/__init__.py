"""Where many runs happen: here, one after another, or in workers that may die, several at a time."""

from typing import Literal

Engine = Literal["local", "processes", "ray"]
ENGINES: tuple[Engine, ...] = ("local", "processes", "ray")
