"""Beam width: how DSBD chooses how many beams a depth keeps, exactly and by simulation."""

import threading
from typing import Any

from msgspec.structs import asdict

from playground.lab import beam_width
from playground.ui.contract.lab import Depth, Rounds, Wait, Width
from playground.ui.lab.panel import answers
from playground.ui.live.device import a_run_is_timed
from playground.ui.live.worker import apart
from playground.ui.page.checks import whole
from playground.words import word

HIGHEST_SEED = 10_000
MOST_SIMULATING = 4  # one works, the others wait for it, each in a thread of the page, of which there are forty
_slots = threading.BoundedSemaphore(MOST_SIMULATING)


@answers(Width | Depth | Rounds)
def ask(question: Width | Depth | Rounds) -> dict[str, Any]:
    """Answers the section's questions: the width while one drags, simulations once one has let go."""
    rows = question.target, question.draft
    setup = {name: getattr(question, name) for name in ("num_draws", "min_width", "num_layers", "threshold")}
    if isinstance(question, Width):
        return beam_width.chosen_width(*rows, **setup)
    if a_run_is_timed() or not _slots.acquire(blocking=False):
        return asdict(Wait())
    try:
        seed = whole(question.seed, word("field_seed"), 0, HIGHEST_SEED)
        if isinstance(question, Depth):
            return apart(beam_width.simulated_counts, *rows, num_draws=question.num_draws, seed=seed)
        return apart(beam_width.simulated_rounds, *rows, **setup, seed=seed)
    finally:
        _slots.release()
