"""A branch of the run on the stage: what the reader would have otherwise, and the run that comes of it."""

from collections.abc import Iterator
from typing import Any

import gradio as gr
from msgspec.structs import asdict

from playground.decoding.run_spec import rebuild_request
from playground.decoding.what_if import Change, branch
from playground.errors import PlaygroundError
from playground.ui.contract.from_page import WhatIf
from playground.ui.contract.to_page import PlayerValue
from playground.ui.live import turns
from playground.ui.live.device import on_device
from playground.ui.page.drawn_panel import heard
from playground.ui.page.files import shown_trace
from playground.ui.page.messages import complain, failure, say
from playground.ui.page.model_chooser import chosen_models
from playground.ui.watch.player_panel import recorded_value
from playground.words import word

GOES_ON = word("watch_error_goes_on")
OF_A_BRANCH = word("watch_error_of_a_branch")
MAKING = word("watch_error_making")


def ask(
    request: gr.Request, event: gr.EventData, shown: PlayerValue, pair: str, target: str, draft: str
) -> Iterator[tuple[Any, Any]]:
    """Yield (player, message) for a reader's what-if. An impossible change leaves the stage as it is."""
    message = heard(event, WhatIf)
    if turns.is_asked(request.session_hash or ""):
        yield gr.skip(), complain(GOES_ON)
        return
    yield gr.skip(), say(MAKING)
    yield answered(shown, message, pair, target, draft)


def answered(shown: PlayerValue, message: WhatIf, pair: str, target: str, draft: str) -> tuple[Any, Any]:
    """(player, message): the branch, or why there is none."""
    try:
        change, trace = Change(**asdict(message)), shown_trace(shown)
        if trace.started.branch:
            raise PlaygroundError(OF_A_BRANCH)
        models = chosen_models(pair, target, draft)
        branched = on_device(lambda: branch(rebuild_request(trace, models.load()), change, trace))
    except Exception as error:
        return gr.skip(), failure(word("watch_error_the_branch"), error)
    value = recorded_value(branched, link=shown.get("link")) | {"made_here": True, "branch_of": shown["run"]}
    return value, say(word("watch_error_branched", round=change.round))
