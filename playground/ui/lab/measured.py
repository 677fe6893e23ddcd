"""Measured here: acceptance and price by the length of the text, two clocks, and the speed of every recorded run."""

from dataclasses import asdict
from typing import Literal

import msgspec

from playground.bench.contexts import by_context
from playground.bench.two_clocks import two_clocks
from playground.environment import has_model
from playground.files import read_json
from playground.paths import ASSETS
from playground.ui.lab import live
from playground.ui.lab.panel import answers
from playground.ui.page.model_chooser import BUNDLED, REAL, chosen_models
from playground.ui.speeds import speeds

RECORDED = {BUNDLED: ASSETS / "contexts.json"}


def offered() -> dict[str, object]:
    """Return the pairs that can be measured here, and what `costs --by-context` recorded of them."""
    pairs = [BUNDLED, *([REAL] if has_model() else [])]
    return {"pairs": pairs, "recorded": {pair: read_json(path) for pair, path in RECORDED.items()}}


def recordings() -> dict[str, object]:
    """Return how fast each recorded run was."""
    return {"speeds": [asdict(each) for each in speeds()]}


def contexts(pair: Literal["bundled", "smollm2-135m"], draft_length: int) -> dict[str, object]:
    """Begin to measure acceptance and price by the length of the text."""
    models = chosen_models(pair, None, None)
    return live.begin_steps(lambda: by_context(models.load(), draft_length))


def clocks(draft_length: int, guesses: int, temperature: float) -> dict[str, object]:
    """Begin to run the bundled pair and to put its rounds on two clocks."""
    models = chosen_models(BUNDLED, None, None)
    return live.begin_steps(
        lambda: map(msgspec.to_builtins, two_clocks(models.load(), draft_length, guesses, temperature))
    )


ask = answers(
    offered=offered,
    recordings=recordings,
    contexts=contexts,
    clocks=clocks,
    follow=live.follow,
    stop=live.stop,
)
