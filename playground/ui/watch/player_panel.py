"""The player on the page: a `gr.HTML` whose value is a log of events.

Gradio sends only what was added to a list, so a round costs its own events on the wire. But at each message the page
writes the whole value out to see whether it changed: while a run goes on, the value holds the newest events alone.
"""

import json
import uuid
from typing import Any

import gradio as gr

from playground.decoding.method import methods
from playground.metrics.energy import estimate_at_end
from playground.trace.events import Trace
from playground.trace.storage import FORMAT, VERSION, events_json
from playground.ui.contract.from_page import LinkNoted, OpenRun, Turned, WhatIf
from playground.ui.contract.to_page import LinkParts, PlayerValue
from playground.ui.page.controls import declared
from playground.ui.page.drawn_panel import drawn_panel
from playground.ui.watch import pace
from playground.views.charts import page_charts
from playground.words import keyed

WINDOW = 24  # chunks in the value of a run that goes on
# options of methods that say how long and how wide drafts are: what a branch may change from a round on
SIZES = (
    *("draft_length", "block_length", "depth", "width", "beam_width", "window", "candidates"),
    *("num_drafts", "num_draws", "num_nodes", "total_tokens", "first_draws", "chains", "first_branching"),
)
OVERLAP = 8  # So many are sent again when it moves on: messages that the page takes in at once must not leave a gap.


def player_panel(value: PlayerValue) -> gr.HTML:
    """Return the player, showing a recorded run from the start."""
    return drawn_panel(
        "player",
        hears=[OpenRun, LinkNoted, WhatIf, Turned],
        settings={"sizes": sizes()},
        value=value,
        server_functions=[pace.took],
        elem_id="player",
    )


def sizes() -> dict[str, list[dict[str, Any]]]:
    """By method, the options that say how long and how wide its drafts are."""
    return {
        name: [
            {key: option[key] for key in ("name", "key", "label", "unit", "min", "max")}
            for option in declared(name)["options"]
            if option["name"] in SIZES
        ]
        for name in methods()
    }


def recorded_value(trace: Trace, *, link: LinkParts | None = None) -> PlayerValue:
    """Return a finished run, whole; `link` brings it back."""
    return {
        **_value(live=False),
        "link": link,
        "chunks": [events_json(trace.events)],
        "figures": json.dumps(keyed(page_charts(trace))),
        "estimate": keyed(estimate_at_end(trace)),
        "ended": True,
    }


def live_value() -> PlayerValue:
    """Return a run that is about to begin."""
    return _value(live=True)


def newest(value: PlayerValue, log: list[str]) -> PlayerValue:
    """Return a live value with the newest of these chunks, continuing the value before it."""
    first = value["first"] if len(log) - value["first"] <= WINDOW else len(log) - OVERLAP
    return {**value, "first": first, "chunks": log[first:]}


def whole(value: PlayerValue, log: list[str]) -> PlayerValue:
    """Return a live value with all of these chunks: the last one of a run, and what can be saved."""
    return {**value, "first": 0, "chunks": list(log)}


def _value(*, live: bool) -> PlayerValue:
    return {
        "run": uuid.uuid4().hex,
        "format": FORMAT,
        "version": VERSION,
        "live": live,
        "link": None,
        "first": 0,
        "chunks": [],
        "figures": None,
        "estimate": None,
        "plain": None,
        "again": None,
        "beside": None,
        "tried": None,
        "error": None,
        "ended": False,
    }
