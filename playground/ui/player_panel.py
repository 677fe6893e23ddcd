"""The player on the page: a `gr.HTML` whose value is an append-only log of events.

Gradio sends only what was added to a list, so a round costs its own events on the wire.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable
from typing import Any

import gradio as gr

from playground.trace.events import Event, Trace
from playground.trace.storage import FORMAT, VERSION, event_to_dict
from playground.ui.drawn_panel import PLAYER, drawn_panel, scripts_of
from playground.views.charts import page_charts

_ON_LOAD = """
const host = element.querySelector('.player-host');
const player = specPlayer.mount(host, {
  label: 'Player of a speculative decoding run',
  openInLab: (position) => {  // the Lab may not be there yet: it looks here when it is
    specPlayer.handed = position;
    document.dispatchEvent(new CustomEvent('spec-open-in-lab'));
    trigger('open_in_lab', {});
  },
});
host.player = player;
let shown = {run: null, chunks: 0, figures: null, ended: false};
function show() {
  const value = props.value;
  if (!value || !value.run) return;
  if (value.run !== shown.run) {
    shown = {run: value.run, chunks: 0, figures: null, ended: false};
    if (value.live) player.begin();
    else player.load({format: value.format, version: value.version, events: value.chunks.flatMap(JSON.parse)},
                     {autoplay: value.autoplay});
  }
  if (value.live && value.chunks.length > shown.chunks) {
    player.append(value.chunks.slice(shown.chunks).flatMap(JSON.parse));
  }
  shown.chunks = value.chunks.length;
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
        "player", _ON_LOAD, scripts_of(PLAYER), value=recorded_value(trace, autoplay=autoplay), elem_id="player"
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
        "chunks": [],
        "figures": None,
        "error": None,
        "ended": False,
    }
