"""Expected speed: what drafting is worth by the formulas, where it breaks even, and the reader's own runs beside it."""

from collections.abc import Iterator

from playground.bench.batches import measure_batches
from playground.lab.expected_speed import expected_speed
from playground.lab.load import under_load
from playground.models.language_model import LoadedPair
from playground.trace import event_to_dict, from_bytes
from playground.ui.lab import live
from playground.ui.lab.panel import answers
from playground.ui.page.model_chooser import BUNDLED, chosen_models


def open_trace(name: str, content: bytes) -> dict[str, object]:
    """Return the events of a trace file, whose content goes over in base64."""
    return {"events": [event_to_dict(event) for event in from_bytes(content, name).events]}


def batches(draft_length: int) -> dict[str, object]:
    """Begin to measure batches of the bundled pair."""
    pair = chosen_models(BUNDLED, None, None)
    return live.begin_steps(lambda: _measure(pair.load(), draft_length))


def _measure(pair: LoadedPair, draft_length: int) -> Iterator[dict[str, object]]:
    return measure_batches(pair.target, pair.draft, draft_length)


ask = answers(
    speed=expected_speed, load=under_load, batches=batches, open_trace=open_trace, follow=live.follow, stop=live.stop
)
