"""Measured here: acceptance and price by the length of the text."""

from typing import Any, Literal

from playground.bench.contexts import by_context
from playground.environment import has_model
from playground.files import read_json
from playground.paths import ASSETS
from playground.ui.lab import live
from playground.ui.lab.panel import answers
from playground.ui.page.model_chooser import BUNDLED, REAL, chosen_models

RECORDED = {BUNDLED: ASSETS / "contexts.json", REAL: ASSETS / "contexts_smollm2.json"}


def offered() -> dict[str, Any]:
    """Return the pairs that can be measured here, and what `costs --by-context` recorded of them."""
    pairs = [BUNDLED, *([REAL] if has_model() else [])]
    return {"pairs": pairs, "recorded": {pair: read_json(path) for pair, path in RECORDED.items() if path.exists()}}


def contexts(pair: Literal["bundled", "smollm2-135m"], draft_length: int) -> dict[str, Any]:
    """Begin to measure acceptance and price by the length of the text."""
    models = chosen_models(pair, None, None)
    return live.begin_steps(lambda: by_context(models.load(), draft_length))


ask = answers(offered=offered, contexts=contexts, follow=live.follow, stop=live.stop)
