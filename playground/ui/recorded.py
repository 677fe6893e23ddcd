"""The files of what was recorded beforehand: JSON under gzip, with the pair, the day and the machine it belongs to.

A recording of another pair than the bundled one that is here is refused by name: it would pass for this one's.
"""

import gzip
import json
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import gradio as gr

from playground.errors import PlaygroundError
from playground.files import read_json, write_file
from playground.models.bundled import BUNDLED, HEAD, pair_in
from playground.paths import ASSETS
from playground.trace.events import Facts
from playground.ui.live import turns
from playground.ui.page.links import TAB, is_for, sets_nothing_up
from playground.ui.page.messages import say
from playground.views.plain_beside import compared
from playground.words import commas, counted, day, paragraph, word

FORMAT, VERSION = "speculative-decoding-recording", 1
KINDS = ("race", "sweep", "race_smollm2")
# the run on the stage when the page opens, and the draft lengths that were tried for it
OPENING = "opening"
EDIT = "edit"  # a text that the chat model writes again, with changes
OF_PAIR = {"bundled": "", "smollm2-135m": "_smollm2"}  # A recording's kind ends so.


def kind_of(kind: str, pair: str) -> str:
    """Return the kind of a recording with a pair of the catalogue; that with the bundled pair where there is none."""
    return kind + OF_PAIR.get(pair, "")


def opening_of(pair: str) -> str:
    """Return the kind of the recording that the page opens on with a pair."""
    return kind_of(EDIT, pair) if OF_PAIR.get(pair) else OPENING


def file_of(kind: str) -> Path:
    """Return the file of the recording of a kind."""
    return ASSETS / "recorded" / f"{kind}.json.gz"


def write(path: Path, kind: str, content: dict[str, Any], machine: Facts, models: Path | None = None) -> None:
    """Keep a recording that was made now, with the models that are here."""
    about = {
        "format": FORMAT,
        "version": VERSION,
        "kind": kind,
        "pair": pair_in(models) if models else _pair_of(kind),
        "on": f"{datetime.now(UTC):%Y-%m-%d}",
        "machine": machine,
    }
    text = json.dumps(about | content, separators=(",", ":"), allow_nan=False)
    write_file(path, gzip.compress(text.encode(), mtime=0))


def read(path: Path, kind: str, models: Path | None = None, press: str = "") -> dict[str, Any]:
    """Return the recording in a file.

    Raises:
        PlaygroundError: if there is none, it is damaged, or it is of another pair.
    """
    try:
        recording = read_json(path)
        known = (recording["format"], recording["version"], recording["kind"]) == (FORMAT, VERSION, kind)
    except FileNotFoundError:
        raise PlaygroundError(paragraph(word("race_none_kept", kind=_plain(kind)), _press(press or kind))) from None
    except (OSError, ValueError, KeyError, TypeError):
        known, recording = False, {}
    if not known:
        raise PlaygroundError(paragraph(word("race_unreadable", kind=_plain(kind)), _press(press or kind)))
    here = pair_in(models) if models else _pair_of(kind)
    if recording["pair"] != here:
        other = word("race_other_pair", kind=_plain(kind), pair=recording["pair"], here=here)
        raise PlaygroundError(paragraph(other, _press(press or kind)))
    return recording


@cache
def index() -> list[dict[str, str]]:
    """Return the runs kept with the page: title, file, and the arguments that it was made with."""
    return json.loads((ASSETS / "traces" / "index.json").read_text(encoding="utf-8"))


def tried(kind: str, file: Path | None = None) -> list[dict[str, Any]]:
    """Return what was tried before a recording was made, a row each; none where it is of another pair, or not there."""
    try:
        return read(file or file_of(kind), kind)["tried"]
    except PlaygroundError:
        return []


def rated(name: str) -> dict[str, float] | None:
    """Return median, low and high of a recorded run's speed over its rival's; None where it was not timed.

    An opening run has those of its own recording, which its end and its draft lengths show.
    """
    try:
        recording = read(file_of(name), name)
    except PlaygroundError:
        timed = compared().get(name)
        return {end: timed[end] for end in ("median", "low", "high")} if timed else None
    chosen = next(row for row in recording["tried"] if row["draft_length"] == recording["chosen"])
    return {"median": chosen["ratio"], "low": chosen["least"], "high": chosen["most"]}


def provenance(recording: dict[str, Any]) -> str:
    """Say that it is a recording: of which day and machine, and with which bundled pair."""
    machine = recording["machine"]
    on = commas([machine.get("gpu") or machine["processor"], counted("threads", machine["threads"])])
    if recording["kind"] == "recommendation" or _plain(recording["kind"]) != recording["kind"]:
        return word("race_recorded", day=day(recording["on"]), machine=on)
    return word("race_recorded_with", day=day(recording["on"]), machine=on, pair=recording["pair"])


def opened(
    request: gr.Request, tab: str, there: Any, read: Callable[[], Any], value: Callable[[Any], Any], *, link: str
) -> tuple[Any, Any, Any]:
    """(panel, message, what is there now): what a link sets up or the reader has asked for is awaited instead.

    Args:
        request: of the reader who opened the tab.
        tab: its name in a link.
        there: what the tab shows already, or None.
        read: reads the recording, or says why it cannot be shown.
        value: what the panel shows of it.
        link: of the form that the tab opens on, which the address names as soon as the tab is open.
    """
    query = {
        name: each for name, each in request.query_params.items() if name == TAB or not sets_nothing_up({name: each})
    }
    set_up = is_for(tab, query) and not sets_nothing_up(query) and query != dict(parse_qsl(link.removeprefix("?")))
    session = request.session_hash or ""
    is_awaited = turns.is_asked(session) and not turns.is_asked(session, turns.RUN)  # a run is shown in Watch, not here
    if there is not None or set_up or is_awaited:
        return gr.skip(), gr.skip(), gr.skip()
    try:
        recording = read()
    except PlaygroundError as error:
        return gr.skip(), say(error.args[0]), gr.skip()
    return value(recording), gr.skip(), recording


def _pair_of(kind: str) -> str:
    """Return the digest of what a recording is of; in the chat model's opening run its head drafts nothing."""
    if _plain(kind) == kind:
        return pair_in()
    return pair_in(BUNDLED / "smollm2-135m", beside=() if _plain(kind) == OPENING else (HEAD,))


def _plain(kind: str) -> str:
    """Return a kind without the pair."""
    return kind.removesuffix(OF_PAIR["smollm2-135m"])


def _press(button: str) -> str:
    known = {"race": word("race_start"), "sweep": word("tab_sweep"), "Recommend": word("tab_recommend")}
    return word("race_press", button=known.get(_plain(button), button))
