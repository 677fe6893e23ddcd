"""The machine that models run on, and its energy counter: what a measured time depends on, and what counts joules."""

import platform
import re
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

import torch

from playground.meters.meter import Meter, meter_for
from playground.models.passes.team import team
from playground.models.products import kernels
from playground.trace.events import Facts
from playground.version import __version__


def meter_of(device: torch.device) -> Meter:
    """Return the meter of a device that models run on."""
    if device.type != "cuda":
        return meter_for(str(device))
    uuid = getattr(torch.cuda.get_device_properties(device), "uuid", None)
    return meter_for(str(device), gpu_uuid=str(uuid) if uuid else None)


@lru_cache(maxsize=1)
def versions() -> dict[str, str]:
    """Versions of the software that a run's tokens and times depend on."""
    return {"playground": __version__, "torch": str(torch.__version__), "transformers": version("transformers")}


def machine(device: torch.device | None = None) -> Facts:
    """Processor, threads, products and GPU: what a measured time depends on.

    Args:
        device: where the target is; None: on the GPU, if there is one.
    """
    on_gpu = torch.cuda.is_available() and (device is None or device.type == "cuda")
    return {
        "processor": processor(),
        "threads": max(team.number, torch.get_num_threads()),
        "products": kernels(),
        "gpu": torch.cuda.get_device_name(device) if on_gpu else None,
    }


@lru_cache(maxsize=1)
def processor() -> str:
    """Return the processor's name, as the system has it.

    Rented machines hide which one it is ("AMD EPYC"), but not its family and model, so these stand behind the name.
    """
    cpuinfo = Path("/proc/cpuinfo")
    text = cpuinfo.read_text() if cpuinfo.exists() else ""
    facts = dict[str, str](re.findall(r"^(model name|cpu family|model)[ \t]*: (.*)$", text, re.MULTILINE))
    name = facts.get("model name") or platform.processor() or platform.machine()
    if not {"cpu family", "model"} <= facts.keys():
        return name
    return f"{name} (family {facts['cpu family']}, model {facts['model']})"
