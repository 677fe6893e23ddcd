"""The texts of the strip that says who would have been best at each position."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from playground.ui.recorded.file import provenance, read, write

KIND = "positions"


def write_positions(path: Path, data: dict[str, Any], machine: dict[str, Any]) -> None:
    """Keep them, as `studies.positions.as_data` gives them."""
    write(path, KIND, data, machine)


@cache
def read_positions(path: Path) -> dict[str, Any]:
    """Return the positions of a file.

    Raises:
        PlaygroundError: if there is none, it is damaged, or it is of another pair.
    """
    recording = read(path, KIND, press="`python -m tests.renew --only positions`")
    return {name: recording[name] for name in ("drafters", "texts", "means")} | {"recorded": provenance(recording)}
