"""The recorded recommendation that the Recommend tab opens on."""

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from playground.recommender.files import SHOP
from playground.trace.events import Facts, Trace
from playground.trace.storage import event_from_dict
from playground.ui.recommend.press import KINDS, facts_of
from playground.ui.recommend.tables import beside, steps_of
from playground.ui.recorded import file_of, provenance, read, write
from playground.words import paragraph, word

KIND, MODELS = "recommendation", SHOP / "models"


def write_recommendation(
    path: Path, items: list[int], panel: Mapping[str, object], versions: Mapping[str, str], machine: Facts
) -> None:
    """Keep a press: the history, the lists with their runs, and the versions of the draft side by side."""
    write(path, KIND, {"items": items, "panel": panel, "versions": versions}, machine, MODELS)


@cache
def read_recommendation(path: Path | None = None) -> dict[str, Any]:
    """Return the one in a file; that which is kept with the page when None.

    Raises:
        PlaygroundError: if there is none, it is damaged, or it was made with other models.
    """
    recording = read(path or file_of(KIND), KIND, MODELS, press="Recommend")
    lists = [
        each | {"title": KINDS[each["kind"]], "facts": facts_of(_trace_of(each["chunk"]))}
        for each in recording["panel"]["lists"]
    ]
    versions = beside([], "") | {
        "note": paragraph(provenance(recording), word("shop_same_list")),
        "rows": [
            row | {"cells": [each | {"text": _worded(each["text"])} for each in row["cells"]]}
            for row in recording["versions"]["rows"]
        ],
    }
    return recording | {
        "panel": recording["panel"] | {"lists": lists},
        "versions": {"tables": [versions]},
    }


def _trace_of(chunk: str) -> Trace:
    return Trace(tuple(event_from_dict(event) for event in json.loads(chunk)))


def _worded(text: str) -> str:
    """Return a cell that the file holds in English, "2 of 3", as a word; numbers stay as they are."""
    steps = re.fullmatch(r"(\d+) of (\d+)", text)
    return steps_of(*steps.groups()) if steps else text
