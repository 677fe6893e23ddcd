"""The player on the page: a `gr.HTML` whose value is a log of events.

Gradio sends only what was added to a list, so a round costs its own events on the wire. But at each message the page
writes the whole value out to see whether it changed: while a run goes on, the value holds the newest events alone.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable
from typing import Any

import gradio as gr

from playground.trace.events import Event, Trace
from playground.trace.storage import FORMAT, VERSION, event_to_dict
from playground.ui.page import pace as page_pace
from playground.ui.page.drawn_panel import PLAYER, drawn_panel
from playground.views.charts import page_charts

SLOW_S = 0.15  # a page that takes longer for a message says so
WINDOW = 24  # chunks in the value of a run that goes on
OVERLAP = 8  # of them are sent again when it moves on: messages that the page takes in at once must not leave a gap

_ON_LOAD = """
const host = element.querySelector('.player-host');
const player = specPlayer.mount(host, {
  label: 'Player of a speculative decoding run',
  openInLab: (position) => {
    specPlayer.handOver(position);
    trigger('open_in_lab', {});
  },
});
host.player = player;
let shown = {run: null, figures: null, ended: false};
let live = {run: null, chunks: 0, events: []};  // all of the run that goes on
let told = 0;  // seconds that the server knows a message to take here
function time(run, began) {  // how long until what came is drawn, and the page free again
  requestAnimationFrame(() => setTimeout(() => {
    const seconds = (performance.now() - began) / 1000;
    if (Math.max(seconds, told) < SLOW_S || (seconds < 2 * told && told < 2 * seconds)) return;
    told = seconds;
    server.took({run, seconds}).catch(() => {});
  }));
}
function arrived(value) {  // the events that are new; chunks that were missed come with the last message
  if (value.run !== live.run) live = {run: value.run, chunks: 0, events: []};
  if (value.first > live.chunks) return [];
  const events = value.chunks.slice(live.chunks - value.first).flatMap(JSON.parse);
  live.chunks = Math.max(live.chunks, value.first + value.chunks.length);
  live.events.push(...events);
  return events;
}
function show() {
  const value = props.value;
  const began = performance.now();
  if (!value || !value.run) return;
  let events = value.live ? arrived(value) : [];
  if (value.run !== shown.run) {
    shown = {run: value.run, figures: null, ended: false};
    if (value.live) {
      told = 0;
      player.begin();
      events = live.events;
    } else player.load({format: value.format, version: value.version, events: value.chunks.flatMap(JSON.parse)},
                       {autoplay: value.autoplay});
  }
  if (events.length) player.append(events);
  if (events.length && !value.ended) time(value.run, began);
  if (value.figures && value.figures !== shown.figures) {
    shown.figures = value.figures;
    specPlayer.withPlotly('PLOTLY_ADDRESS', () => player.setFigures(JSON.parse(shown.figures)));
  }
  if (value.error) player.error(value.error);
  if (value.live && value.ended && !shown.ended) { shown.ended = true; player.finish(); }
}
watch('value', show);
show();
"""


def player_panel(trace: Trace, autoplay: bool = True) -> gr.HTML:
    """The player, showing a recorded run from the start."""
    return drawn_panel(
        "player",
        _ON_LOAD.replace("SLOW_S", str(SLOW_S)),
        {"specPlayer": PLAYER / "player.js"},
        value=recorded_value(trace, autoplay=autoplay),
        server_functions=[page_pace.took],
        elem_id="player",
    )


def recorded_value(trace: Trace, *, autoplay: bool = True) -> dict[str, Any]:
    """A finished run, whole."""
    return _value(live=False, autoplay=autoplay) | {
        "chunks": [chunk(trace.events)],
        "figures": json.dumps(page_charts(trace)),
        "ended": True,
    }


def live_value() -> dict[str, Any]:
    """A run that is about to begin."""
    return _value(live=True, autoplay=True)


def newest(value: dict[str, Any], log: list[str]) -> dict[str, Any]:
    """A live value with the newest of these chunks, continuing the value before it."""
    first = value["first"] if len(log) - value["first"] <= WINDOW else len(log) - OVERLAP
    return value | {"first": first, "chunks": log[first:]}


def whole(value: dict[str, Any], log: list[str]) -> dict[str, Any]:
    """A live value with all of these chunks: the last one of a run, and what can be saved."""
    return value | {"first": 0, "chunks": list(log)}


def chunk(events: Iterable[Event]) -> str:
    """Events as one JSON array: a string is compared and appended faster than what is in it."""
    return json.dumps([event_to_dict(event) for event in events], separators=(",", ":"))


def _value(*, live: bool, autoplay: bool) -> dict[str, Any]:
    return {
        "run": uuid.uuid4().hex,
        "format": FORMAT,
        "version": VERSION,
        "live": live,
        "autoplay": autoplay,
        "first": 0,  # how many chunks came before these
        "chunks": [],
        "figures": None,
        "error": None,
        "ended": False,
    }
