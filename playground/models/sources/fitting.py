"""A model that would not fit as it is: its matrices in fewer bits, or its layers over several devices.

Both are transformers' own ways, by packages that are not required; without these they are refused in a sentence.
"""

from __future__ import annotations

import logging
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from playground.errors import PlaygroundError

if TYPE_CHECKING:
    from playground.models.sources.place import Place

BITS = (8, 4)
KINDS = {8: "int8", 4: "nf4"}  # what a matrix becomes: LLM.int8 (arXiv 2208.07339), NormalFloat of QLoRA (2305.14314)
SCALES = {8: 0.0, 4: 0.5}  # bits more for each weight: a scale of 32 bits for 64 weights; a row's scale is nothing


def refuse_without_packages(bits: int | None, *, spread: bool) -> None:
    """Refuse what this machine has no packages for.

    Args:
        bits: of the weights; None: as the number format says.
        spread: over several devices.

    Raises:
        PlaygroundError: naming what is missing.
    """
    if bits is not None and bits not in BITS:
        raise PlaygroundError(f"Weights in {bits} bits are not offered. Choose 8 or 4, or leave it out.")
    if bits is not None:
        _refuse_without(f"Weights in {bits} bits need", "bitsandbytes", "accelerate")
    if spread:
        _refuse_without("A model over several devices needs", "accelerate")


def weight_bits(bits: int) -> float:
    """Bits that a quantised weight takes in memory, its share of the scales included."""
    return bits + SCALES[bits]


def reading_options(place: Place) -> dict[str, Any]:
    """What `from_pretrained` is told beside the number format; nothing for a model on one device as it is."""
    options: dict[str, Any] = {}
    if place.is_spread:
        options["device_map"] = "auto"
    if place.bits is not None:
        from transformers import BitsAndBytesConfig

        # it says for every layer that its inputs are rounded, which is what was asked for
        logging.getLogger("bitsandbytes").setLevel(logging.ERROR)
        eight = place.bits == 8
        options["quantization_config"] = BitsAndBytesConfig(
            load_in_8bit=eight, load_in_4bit=not eight, bnb_4bit_quant_type=KINDS[4]
        )
        options.setdefault("device_map", {"": str(place.device)})
    return options


def bits_of(model: Any) -> int | None:
    """Bits of a transformers model's matrices; None where they are in its number format."""
    if getattr(model, "is_loaded_in_8bit", False):
        return 8
    return 4 if getattr(model, "is_loaded_in_4bit", False) else None


def _refuse_without(sentence: str, *packages: str) -> None:
    if missing := [name for name in packages if find_spec(name) is None]:
        raise PlaygroundError(
            f"{sentence} the package{'s' if len(missing) > 1 else ''} {' and '.join(missing)}, not here. Install: pip "
            f"install {' '.join(missing)}."
        )
