"""A model that would not fit as it is: how transformers reads its matrices in fewer bits, and its layers spread."""

import logging
from typing import Any

from playground.models.sources.number_formats import HALVED, KINDS
from playground.models.sources.placement import Placement


def reading_options(placement: Placement) -> dict[str, Any]:
    """Arguments of `from_pretrained` besides the number format; none for a model on one device as it is."""
    # it says for every layer that its inputs are rounded, which is what was asked for
    logging.getLogger("bitsandbytes").setLevel(logging.ERROR)
    options: dict[str, Any] = {}
    if placement.is_spread:
        options["device_map"] = "auto"
    if placement.bits not in (None, HALVED):
        from transformers import BitsAndBytesConfig

        eight = placement.bits == 8
        options["quantization_config"] = BitsAndBytesConfig(
            load_in_8bit=eight, load_in_4bit=not eight, bnb_4bit_quant_type=KINDS[4]
        )
        options.setdefault("device_map", {"": str(placement.device)})
    return options


def bits_of(model: Any) -> int | None:
    """Bits of a transformers model's matrices; None where they are in its number format."""
    if getattr(model, "is_loaded_in_8bit", False):
        return 8
    return 4 if getattr(model, "is_loaded_in_4bit", False) else None
