"""Bit for bit: greedy texts beside plain decoding's, letter by letter, in the section Losslessness."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from playground.decoding.method import make_method
from playground.environment import has_model
from playground.exactness.greedy_texts import greedy_texts, hundred_prompts
from playground.files import read_json
from playground.paths import ASSETS
from playground.ui.lab import live
from playground.ui.page.model_chooser import BUNDLED, REAL, chosen_models

RECORDED = {products: ASSETS / f"greedy{suffix}.json" for products, suffix in (("own", ""), ("torch", "_bfloat16"))}


def greedy_recorded() -> dict[str, object]:
    """Return what the command `greedy` measured with either kind of products, and the models that are here."""
    recorded = {products: read_json(path) for products, path in RECORDED.items()}
    return {"recorded": recorded, "pairs": [BUNDLED, *([REAL] if has_model() else [])]}


def greedy(pair: Literal["bundled", "smollm2-135m"], products: Literal["own", "torch"]) -> dict[str, object]:
    """Begin to compare speculative sampling's greedy texts with plain decoding's, after a hundred prompts."""
    models = chosen_models(pair, None, None)

    def begin() -> Iterator[dict[str, object]]:
        from playground.models.sources.placement import find_placement

        placement = find_placement("cpu", "bfloat16") if products == "torch" else models.placement
        chosen = replace(models, placement=placement).load()
        return greedy_texts(chosen, hundred_prompts(), make_method("speculative_sampling"))

    return live.begin_steps(begin)
