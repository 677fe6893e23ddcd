"""Where models run, and in which number format: chosen here once, so that nothing else asks what the machine has."""

from __future__ import annotations

import gc
from dataclasses import dataclass

import psutil
import torch

from playground.errors import PlaygroundError

FORMATS = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}


@dataclass(frozen=True, slots=True)
class Place:
    """A device and a number format.

    Attributes:
        device: of torch.
        dtype: of the weights; None: as they are saved.
    """

    device: torch.device
    dtype: torch.dtype | None

    def free_bytes(self) -> int:
        """What is free there now."""
        if self.device.type == "cuda":
            return torch.cuda.mem_get_info(self.device)[0]
        return psutil.virtual_memory().available  # an Apple GPU shares the machine's memory

    def total_bytes(self) -> int:
        """What there is."""
        if self.device.type == "cuda":
            return torch.cuda.mem_get_info(self.device)[1]
        return psutil.virtual_memory().total

    def bytes_per_parameter(self, saved: float) -> float:
        """What a weight takes here.

        Args:
            saved: what it takes in the file.
        """
        size = saved if self.dtype is None else float(self.dtype.itemsize)
        # as they are and packed: see `products`
        twice = self.device.type == "cpu" and self.dtype == torch.bfloat16
        return 2 * size if twice else size

    def title(self) -> str:
        """For a sentence."""
        number_format = "the number format they are saved in" if self.dtype is None else _name(self.dtype)
        return f"in {number_format} on {self.device}"


def find_place(device: str = "auto", dtype: str = "auto") -> Place:
    """The place that is asked for.

    Args:
        device: "cpu", "cuda", "cuda:1", "mps", or "auto": CUDA where there is some, else MPS, else the processor.
        dtype: "float32", "bfloat16", "float16", or "auto": float32 on a processor, as saved elsewhere.

    Raises:
        PlaygroundError: if the device is not there, or the format unknown.
    """
    found = _device(device)
    if dtype == "auto":
        return Place(found, torch.float32 if found.type == "cpu" else None)
    if dtype not in FORMATS:
        raise PlaygroundError(f"Unknown number format {dtype!r}. Choose auto, float32, bfloat16 or float16.")
    return Place(found, FORMATS[dtype])


def devices() -> list[str]:
    """Every device that is here, the best first."""
    cuda = [f"cuda:{number}" for number in range(torch.cuda.device_count())] if torch.cuda.is_available() else []
    return [*cuda, *(["mps"] if torch.backends.mps.is_available() else []), "cpu"]


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error says that there was no memory left; a processor's allocator says so in words only."""
    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    return isinstance(error, RuntimeError) and any(
        words in str(error) for words in ("can't allocate memory", "not enough memory", "out of memory")
    )


def release() -> None:
    """Give back what no model uses any more."""
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    elif torch.backends.mps.is_available():
        torch.mps.empty_cache()


def _device(name: str) -> torch.device:
    here = devices()
    if name == "auto":
        return torch.device(here[0].partition(":")[0])
    if name == "cuda" and here[0].startswith("cuda"):
        return torch.device("cuda")
    if name not in here:
        shown = ", ".join(["auto", *here])
        raise PlaygroundError(f"There is no device {name!r} on this machine. Choose one of {shown}.")
    return torch.device(name)


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
