"""Number formats of weights: by name, in fewer bits, and which of them this machine can run.

Eight and four bits, and several devices, are transformers' own ways, by packages that are not required; without these
they are refused in a sentence. Sixteen bits are ours (`products`): they change no number of a model saved in them.
"""

from importlib.util import find_spec
from typing import Any

import torch

from playground.errors import PlaygroundError
from playground.models.products import compiled_kernel
from playground.trace.events import Facts

FORMATS = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
BITS = (16, 8, 4)
HALVED = 16
WHOLE = 32  # A draft of 32 bits keeps its number format, whatever the target's bits are.
# A matrix becomes LLM.int8 (arXiv 2208.07339), or the NormalFloat of QLoRA (2305.14314).
KINDS = {HALVED: "float16", 8: "int8", 4: "nf4"}
SCALES = {8: 0.0, 4: 0.5}  # bits more for each weight: a scale of 32 bits for 64 weights; a row's scale is nothing


def name_of(dtype: torch.dtype) -> str:
    """Return a number format's name, as torch has it."""
    return str(dtype).removeprefix("torch.")


def number_format(dtype: torch.dtype, bits: int | None) -> Facts:
    """Return the number format of weights as the trace records it: `dtype`, and the `bits` of matrices that differ."""
    name = name_of(dtype)
    return {"dtype": f"{KINDS[bits]} and {name}", "bits": bits} if bits else {"dtype": name}


def bits_of(model: Any) -> int | None:
    """Bits of a transformers model's matrices; None where they are in its number format."""
    if getattr(model, "is_loaded_in_8bit", False):
        return 8
    return 4 if getattr(model, "is_loaded_in_4bit", False) else None


def weight_bits(bits: int) -> float:
    """Bits that a quantised weight takes in memory, its share of the scales included."""
    return bits + SCALES[bits]


def refuse_what_is_not_here(bits: int | None, device: torch.device, dtype: str, *, spread: bool) -> None:
    """Refuse what this machine has no packages for, or its processor no product.

    Args:
        bits: of the weights; None: as the number format says.

    Raises:
        PlaygroundError: naming what is missing.
    """
    if bits is not None and bits not in BITS:
        raise PlaygroundError(f"Weights in {bits} bits are not offered. Choose 16, 8 or 4, or leave it out.")
    if bits == HALVED:
        if device.type != "cpu" or spread or dtype not in ("auto", "float32"):
            raise PlaygroundError("Weights in 16 bits are for float32 on a processor. Leave the bits out elsewhere.")
        if not compiled_kernel():
            raise PlaygroundError(
                "Weights in 16 bits need a compiled pass, and there is none here. Leave the bits out."
            )
    elif bits is not None:
        refuse_without(f"Weights in {bits} bits need", "bitsandbytes", "accelerate")
    if spread:
        refuse_without("A model over several devices needs", "accelerate")


def refuse_without(sentence: str, *packages: str) -> None:
    """Refuse what takes packages that are not installed."""
    if missing := [name for name in packages if find_spec(name) is None]:
        raise PlaygroundError(
            f"{sentence} the package{'s' if len(missing) > 1 else ''} {' and '.join(missing)}, not here. Install: pip "
            f"install {' '.join(missing)}."
        )
