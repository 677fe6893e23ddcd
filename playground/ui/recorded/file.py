"""The files of what was recorded beforehand: JSON under gzip, with the pair, the day and the machine it belongs to.

A recording of another pair than the bundled one that is here is refused by name: it would pass for this one's.
"""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from playground.errors import PlaygroundError
from playground.files import read_json
from playground.models.bundled import BUNDLED, pair_in
from playground.paths import ASSETS
from playground.words import commas, counted, day, paragraph, word

FORMAT, VERSION = "speculative-decoding-recording", 1
KINDS = ("race", "sweep")
# the run on the stage when the page opens, and the draft lengths that were tried for it
OPENING, REAL_OPENING = "opening", "opening_smollm2"
OPENING_OF = {"bundled": OPENING, "smollm2-135m": REAL_OPENING}  # by pair


def file_of(kind: str) -> Path:
    """Return the file of the recording of a kind."""
    return ASSETS / "recorded" / f"{kind}.json.gz"


def write(path: Path, kind: str, content: dict[str, Any], machine: dict[str, Any], models: Path | None = None) -> None:
    """Keep a recording that was made now, with the models that are here."""
    about = {
        "format": FORMAT,
        "version": VERSION,
        "kind": kind,
        "pair": pair_in(models or _models_of(kind)),
        "on": f"{datetime.now(UTC):%Y-%m-%d}",
        "machine": machine,
    }
    text = json.dumps(about | content, separators=(",", ":"), allow_nan=False)
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


def read(path: Path, kind: str, models: Path | None = None, press: str = "") -> dict[str, Any]:
    """Return the recording in a file.

    Raises:
        PlaygroundError: if there is none, it is damaged, or it is of another pair.
    """
    try:
        recording = read_json(path)
        known = (recording["format"], recording["version"], recording["kind"]) == (FORMAT, VERSION, kind)
    except FileNotFoundError:
        raise PlaygroundError(paragraph(word("race_none_kept", kind=kind), _press(press or kind.title()))) from None
    except (OSError, ValueError, KeyError, TypeError):
        known, recording = False, {}
    if not known:
        raise PlaygroundError(paragraph(word("race_unreadable", kind=kind), _press(press or kind.title())))
    here = pair_in(models or _models_of(kind))
    if recording["pair"] != here:
        raise PlaygroundError(
            paragraph(
                word("race_other_pair", kind=kind, pair=recording["pair"], here=here),
                _press(press or kind.title()),
            )
        )
    return recording


def tried(kind: str, file: Path | None = None) -> list[dict[str, Any]]:
    """Return what was tried before a recording was made, a row each; none where it is of another pair, or not there."""
    try:
        return read(file or file_of(kind), kind)["tried"]
    except PlaygroundError:
        return []


def provenance(recording: dict[str, Any]) -> str:
    """Say that it is a recording: of which day, machine and pair."""
    machine = recording["machine"]
    on = commas([machine.get("gpu") or machine["processor"], counted("threads", machine["threads"])])
    if recording["kind"] == "recommendation":
        return word("race_recorded", day=day(recording["on"]), machine=on)
    return word("race_recorded_with", day=day(recording["on"]), machine=on, pair=recording["pair"])


def _models_of(kind: str) -> Path:
    return BUNDLED / "smollm2-135m" if kind == REAL_OPENING else BUNDLED


def _press(button: str) -> str:
    known = {"Race": word("race_start"), "Sweep": word("tab_sweep"), "Recommend": word("tab_recommend")}
    return word("race_press", button=known.get(button, button))
