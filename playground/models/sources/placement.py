"""Device and number format of models: chosen here once, so that nothing else asks what the machine has."""

from __future__ import annotations

import ctypes
import gc
import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

import psutil
import torch

from playground.errors import PlaygroundError
from playground.models.products import SMALL, is_held_twice, reads_halves
from playground.models.sources.number_formats import (
    FORMATS,
    HALVED,
    KINDS,
    WHOLE,
    name_of,
    refuse_what_is_not_here,
    weight_bits,
)


@dataclass(frozen=True, slots=True)
class Placement:
    """A device and a number format."""

    device: torch.device
    dtype: torch.dtype | None  # None leaves the weights as they are saved.
    bits: int | None = None  # The layers' matrices have 16, 8 or 4; None leaves them in the number format, too.
    is_spread: bool = False  # whether a model may lie on all devices, this one first
    # A draft's matrices have it where that is given apart: WHOLE is the number format, None the target's bits.
    draft_bits: int | None = None
    tries_16_bits: bool = False  # True: a pair is held in 16 bits where no number changes.
    # whether rows are rounded to 8 bits where they meet a GGUF file's blocks, as llama.cpp does
    rounds_rows: bool = False

    def free_bytes(self) -> int:
        """Bytes of memory free there now."""
        here = psutil.virtual_memory().available
        if self.device.type != "cuda":
            return here
        gpus = range(torch.cuda.device_count()) if self.is_spread else [self.device]
        return sum(torch.cuda.mem_get_info(gpu)[0] for gpu in gpus) + (here if self.is_spread else 0)

    def weights_bytes(
        self, num_parameters: float, saved: float, num_kept: float = 0, num_packed: float | None = None
    ) -> int:
        """Bytes that the weights of a model take here, the second copies of its matrices included.

        Args:
            saved: bytes of one of them in the file.
            num_kept: the number of those that stay in their number format where matrices get 8 or 4 bits.
            num_packed: the number of those in the matrices that the lean pass packs; None: all.
        """
        num_packed = num_parameters if num_packed is None else num_packed
        width = saved if self.dtype is None else self.dtype.itemsize
        if self.bits == HALVED and num_packed and num_parameters > SMALL and saved == 2:
            return round(2 * num_packed)  # They stay in their file, and are laid out once.
        if self.bits == HALVED:
            return round(num_parameters * width + 2 * num_packed)  # a long prompt is read with the weights as they are
        if self.bits is not None:
            return round(num_kept * width + (num_parameters - num_kept) * weight_bits(self.bits) / 8)
        twice = self.dtype is not None and is_held_twice(self.device, self.dtype, num_parameters)
        return round((num_parameters + num_packed) * width if twice else num_parameters * width)

    def for_pair(self, sizes: Sequence[tuple[float, float]]) -> list[Placement]:
        """Return a placement for each model: one number format for all, unless the drafts have their own.

        A speed-up compares two models on one clock. With the draft alone in 16 bits it would be measured against a
        target that is read at half the speed it could be. Weights in 16 bits are a copy beside those that a long
        prompt is read with: where the memory lacks for both, the models stay in float32 alone.

        Args:
            sizes: (parameters, bytes of one in the file) of the target, then of its drafts.
        """
        num_bytes = sum(replace(self, bits=HALVED).weights_bytes(*size) for size in sizes)
        has_room = num_bytes <= self.free_bytes() or sum(number for number, _ in sizes) <= SMALL
        halved = self.tries_16_bits and has_room and all(saved <= 2 for _, saved in sizes)
        target = replace(self, bits=HALVED) if halved else replace(self, tries_16_bits=False)
        draft_bits = None if self.draft_bits == WHOLE else self.draft_bits or target.bits
        return [target, *(replace(target, bits=draft_bits) for _ in sizes[1:])]

    def reading_options(self) -> dict[str, object]:
        """Arguments of `from_pretrained` besides the number format; none for a model on one device as it is."""
        # it says for every layer that its inputs are rounded, which is what was asked for
        logging.getLogger("bitsandbytes").setLevel(logging.ERROR)
        options: dict[str, object] = {"device_map": "auto"} if self.is_spread else {}
        if self.bits not in (None, HALVED):
            from transformers import BitsAndBytesConfig

            eight = self.bits == 8
            options["quantization_config"] = BitsAndBytesConfig(
                load_in_8bit=eight, load_in_4bit=not eight, bnb_4bit_quant_type=KINDS[4]
            )
            options.setdefault("device_map", {"": str(self.device)})
        return options

    def title(self, *, in_file: bool = False) -> str:
        """For a sentence; `in_file` where the weights stay in the blocks of their file."""
        if in_file:
            return f"in the bits of its file on {self.device}"
        number_format = "the number format they are saved in" if self.dtype is None else name_of(self.dtype)
        quantised = f"{self.bits} bits next to " if self.bits else ""
        if self.tries_16_bits and not self.bits:
            quantised = "16 bits, where all were saved so, next to "
        return f"in {quantised}{number_format} on {self.device}{' and all other devices' if self.is_spread else ''}"


def find_placement(
    device: str = "auto", dtype: str = "auto", bits: int | None = None, draft_bits: int | None = None
) -> Placement:
    """Return the requested placement.

    Args:
        device: "cpu", "cuda", "cuda:1", or "auto": CUDA where there is some, else the processor; or "spread": over all
            GPUs, then the processor's memory, as accelerate maps the layers.
        dtype: "float32", "bfloat16", "float16", or "auto": float32 on a processor, where rows
            have 8 bits against a GGUF file's blocks, and as saved elsewhere.
        bits: of the layers' matrices: 16, where they are saved so; 8 or 4, by bitsandbytes; None: the format's, but
            with "auto" on a processor 16 for models that were all saved so.
        draft_bits: of a draft's, where they are to differ from the target's: 32 (the format's), 16, 8 or 4.

    Raises:
        PlaygroundError: if the device is not there, the format unknown, or a package for it missing.
    """
    spread = device == "spread"
    torch_device = torch.device(devices()[0]) if spread else _device(device)
    for each in (bits, None if draft_bits == WHOLE else draft_bits):
        refuse_what_is_not_here(each, torch_device, dtype, spread=spread)
    if dtype == "auto":
        weights = torch.float32 if torch_device.type == "cpu" else None
        tries = bits is None and draft_bits is None and not spread and reads_halves(torch_device, weights)
        return Placement(torch_device, weights, bits, spread, draft_bits, tries, torch_device.type == "cpu")
    if dtype not in FORMATS:
        raise PlaygroundError(f"Unknown number format {dtype!r}. Choose auto, float32, bfloat16 or float16.")
    return Placement(torch_device, FORMATS[dtype], bits, spread, draft_bits)


def devices() -> list[str]:
    """Return the devices that can be used here, best first."""
    cuda = [f"cuda:{number}" for number in range(torch.cuda.device_count())] if torch.cuda.is_available() else []
    return [*cuda, "cpu"]


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether an error says that no memory was left; a processor's allocator says so in words only."""
    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    return isinstance(error, RuntimeError) and any(
        words in str(error) for words in ("can't allocate memory", "not enough memory", "out of memory")
    )


def collect() -> None:
    """Look for garbage, and have the C library of Linux hand what Python freed to the system."""
    gc.collect()
    if trim := getattr(ctypes.CDLL(None) if os.name == "posix" else None, "malloc_trim", None):
        trim(0)  # glibc keeps what was freed, a third of a model's size after it was read


def release() -> None:
    """Return memory that no model uses any more, also of a GPU."""
    collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def _device(name: str) -> torch.device:
    here = devices()
    if name == "auto":
        return torch.device(here[0].partition(":")[0])
    if name == "cuda" and here[0].startswith("cuda"):
        return torch.device("cuda")
    if name == "mps":
        raise PlaygroundError(
            "An Apple GPU (MPS) has no float64 numbers, in which tokens are drawn and verified here. Choose cpu."
        )
    if name not in here:
        shown = ", ".join(["auto", *here])
        raise PlaygroundError(f"This machine has no device {name!r}. Choose one of {shown}.")
    return torch.device(name)
