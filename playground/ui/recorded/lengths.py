"""Draft lengths that were tried for the opening run, each with its ratio to plain decoding of the same prompt."""

from __future__ import annotations

from pathlib import Path

from playground.errors import PlaygroundError
from playground.ui.recorded.file import file_of, read

KIND = "opening"


def tried_lengths(file: Path | None = None) -> list[list[float]]:
    """Return [draft length, median ratio] of each; none where the recording is of another pair, or not there."""
    try:
        tried = read(file or file_of(KIND), KIND)["tried"]
    except PlaygroundError:
        return []
    return [[row["draft_length"], row["ratio"]] for row in tried]
