"""The recommendation that is there when the Recommend tab is opened."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from playground.recommender.files import SHOP
from playground.ui.recorded.file import file_of, provenance, read, write

KIND, MODELS = "recommendation", SHOP / "models"


def write_recommendation(
    path: Path, items: list[int], panel: dict[str, Any], versions: dict[str, Any], machine: dict[str, Any]
) -> None:
    """Keep a press: the history, the lists with their runs, and the versions of the draft side by side."""
    write(path, KIND, {"items": items, "panel": panel, "versions": versions}, machine, MODELS)


@cache
def read_recommendation(path: Path | None = None) -> dict[str, Any]:
    """The one in a file; that which is kept with the page when None.

    Raises:
        PlaygroundError: if there is none, it is damaged, or it was made with other models.
    """
    recording = read(path or file_of(KIND), KIND, MODELS, press="Recommend")
    same = "Strict verification gives the same list with every draft; how soon depends on the draft."
    note = f"{provenance(recording)} {same}"
    return recording | {
        "panel": recording["panel"] | {"recorded": provenance(recording)},
        "versions": {"tables": [recording["versions"] | {"note": note}]},
    }
