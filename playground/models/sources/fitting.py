"""A model that would not fit as it is, or that is read too slowly: its matrices in fewer bits, its layers spread.

Eight and four bits, and several devices, are transformers' own ways, by packages that are not required; without these
they are refused in a sentence. Sixteen bits are ours (`products`): they change no number of a model saved in them.
"""

from __future__ import annotations

import logging
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from playground.errors import PlaygroundError
from playground.models.products import multiplies_halves

if TYPE_CHECKING:
    import torch

    from playground.models.sources.place import Place

BITS = (16, 8, 4)
HALVED = 16
WHOLE = 32  # of a draft: its number format, whatever the target's bits are
# what a matrix becomes: LLM.int8 (arXiv 2208.07339), NormalFloat of QLoRA (2305.14314)
KINDS = {HALVED: "float16", 8: "int8", 4: "nf4"}
SCALES = {8: 0.0, 4: 0.5}  # bits more for each weight: a scale of 32 bits for 64 weights; a row's scale is nothing


def refuse_what_is_not_here(bits: int | None, device: torch.device, dtype: str, *, spread: bool) -> None:
    """Refuse what this machine has no packages for, or its processor no product.

    Args:
        bits: of the weights; None: as the number format says.
        device, dtype: what they are for.
        spread: over several devices.

    Raises:
        PlaygroundError: naming what is missing.
    """
    if bits is not None and bits not in BITS:
        raise PlaygroundError(f"Weights in {bits} bits are not offered. Choose 16, 8 or 4, or leave it out.")
    if bits == HALVED:
        if device.type != "cpu" or spread or dtype not in ("auto", "float32"):
            raise PlaygroundError("Weights in 16 bits are for float32 on a processor. Leave the bits out elsewhere.")
        if not multiplies_halves():
            raise PlaygroundError("This processor, or this version of torch, has no product for weights in 16 bits.")
    elif bits is not None:
        _refuse_without(f"Weights in {bits} bits need", "bitsandbytes", "accelerate")
    if spread:
        _refuse_without("A model over several devices needs", "accelerate")


def number_format(dtype: torch.dtype, bits: int | None) -> dict[str, Any]:
    """Of a model's weights, as the trace records it: `dtype`, and the `bits` of the matrices where they have others."""
    name = str(dtype).removeprefix("torch.")
    return {"dtype": f"{KINDS[bits]} and {name}", "bits": bits} if bits else {"dtype": name}


def weight_bits(bits: int) -> float:
    """Bits that a quantised weight takes in memory, its share of the scales included."""
    return bits + SCALES[bits]


def reading_options(place: Place) -> dict[str, Any]:
    """What `from_pretrained` is told beside the number format; nothing for a model on one device as it is."""
    options: dict[str, Any] = {}
    if place.is_spread:
        options["device_map"] = "auto"
    if place.bits not in (None, HALVED):
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
