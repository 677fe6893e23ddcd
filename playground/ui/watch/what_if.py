"""A branch of the run on the stage: what the reader would have otherwise, and the run that comes of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gradio as gr

from playground.decoding.run_spec import rebuild_request
from playground.decoding.what_if import Change, branch
from playground.errors import PlaygroundError
from playground.ui.live import turns
from playground.ui.live.device import on_device
from playground.ui.page.drawn_panel import event_value
from playground.ui.page.files import shown_trace
from playground.ui.page.messages import complain, failure, say
from playground.ui.page.model_chooser import chosen_models
from playground.ui.watch.player_panel import recorded_value
from playground.words import word

GOES_ON = word("watch_error_goes_on")
OF_A_BRANCH = word("watch_error_of_a_branch")
MAKING = word("watch_error_making")
DAMAGED = word("watch_error_change")

WISHED = ("round", "node", "token", "outcome", "options")  # what the page sends, see `Change`


def ask(
    request: gr.Request, event: gr.EventData, shown: dict[str, Any], pair: str, target: str, draft: str
) -> Iterator[tuple[Any, Any]]:
    """Yield (player, message) for a reader's what-if. An impossible change leaves the stage as it is."""
    if turns.is_asked(request.session_hash or ""):
        yield gr.skip(), complain(GOES_ON)
        return
    yield gr.skip(), say(MAKING)
    wish = {name: event_value(event, name) for name in WISHED}
    yield answered(shown, wish, pair, target, draft)


def answered(shown: dict[str, Any], wish: Any, pair: str, target: str, draft: str) -> tuple[Any, Any]:
    """(player, message): the branch, or why there is none."""
    try:
        change, trace = change_of(wish), shown_trace(shown)
        if trace.started.branch:
            raise PlaygroundError(OF_A_BRANCH)
        models = chosen_models(pair, target, draft)
        branched = on_device(lambda: branch(rebuild_request(trace, models.load()), change, trace))
    except Exception as error:
        return gr.skip(), failure(word("watch_error_the_branch"), error)
    value = recorded_value(branched, found=shown.get("found")) | {"made_here": True, "branch_of": shown["run"]}
    return value, say(word("watch_error_branched", round=change.round))


def change_of(wish: Any) -> Change:
    """Return the change that the page sent.

    Raises:
        PlaygroundError: if a program posted something else.
    """
    wish = wish if isinstance(wish, dict) else {}
    numbers = {name: wish[name] for name in ("round", "node", "token") if wish.get(name) is not None}
    outcome, options = wish.get("outcome"), wish.get("options") or {}
    sound = all(isinstance(each, int) and not isinstance(each, bool) for each in numbers.values())
    if "round" not in numbers or not sound or outcome not in (None, "accepted", "rejected"):
        raise PlaygroundError(DAMAGED)
    if not isinstance(options, dict):
        raise PlaygroundError(DAMAGED)
    return Change(**numbers, outcome=outcome, options=options)
