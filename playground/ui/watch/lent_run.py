"""A run on a GPU that is lent for one call: it is made whole there, and shown once it is back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playground.decoding import record
from playground.errors import PlaygroundError
from playground.trace.events import Event
from playground.ui.live.zero_gpu import explained, gpu_call, seconds_for
from playground.ui.page.model_chooser import on_lent_gpu
from playground.ui.watch.form import WatchForm

if TYPE_CHECKING:
    from collections.abc import Iterator

WAITING = "Waiting for a GPU. It is lent for one call, so the run will come whole ..."


def lent_run(form: WatchForm) -> Iterator[list[Event] | str]:
    """Yield a message, then all events together.

    Raises:
        PlaygroundError: if the run is refused, or no GPU is lent.
    """
    yield WAITING
    try:
        came = _whole_run(form)
    except Exception as error:
        if sentence := explained(error):
            raise sentence from None
        raise
    if isinstance(came, str):
        raise PlaygroundError(came)
    yield came


def seconds_of(form: WatchForm) -> int:
    """Seconds for which the run needs the GPU."""
    spec = form.spec()
    calls = int(getattr(spec.method.options, "draft_length", 0)) * spec.method.num_draft_models
    weight_bytes = spec.models.memory().weights_bytes
    return seconds_for(num_tokens=int(form.tokens), num_draft_calls=calls, weight_bytes=weight_bytes)


@gpu_call(seconds_of)
def _whole_run(form: WatchForm) -> list[Event] | str:
    """All events of a run; a sentence where it is refused, as an error would lose its words on the way back."""
    try:
        with on_lent_gpu():
            return list(record.run(form.spec().request()).events)
    except PlaygroundError as error:
        return str(error)
