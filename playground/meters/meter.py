"""Choice of a run's meter, and the watts of an idle machine.

A meter is made for one run: `begin`, the run, `end`. It is read twice, outside every timed region, and it subtracts
nothing. A GPU's counter covers its board, a processor's its packages and memory: not the rest of the machine.
"""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from playground.meters.nvml import NvmlMeter
from playground.meters.rapl import ROOT, RaplMeter
from playground.meters.reading import MeterReading, NoSensorError
from playground.words import word

SHARED_GPU = "SPACES_ZERO_GPU"  # set where a Space's GPU is a slice of one that others use at the same time


class Meter(Protocol):
    """Something that counts joules."""

    def begin(self) -> None:
        """From here on."""
        ...

    def end(self) -> MeterReading:
        """Up to here. Neither raises: what could not be read is the reading's reason."""
        ...


class NoMeter:
    """The meter where nothing can be read."""

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def begin(self) -> None:
        """Nothing to read."""

    def end(self) -> MeterReading:
        """Return a reading without joules, and the reason."""
        return MeterReading(None, None, self.reason)


def meter_for(device: str, *, gpu_uuid: str | None = None, nvml: Any = None, rapl: Path = ROOT) -> Meter:
    """Return the meter of the device that a target model runs on.

    Args:
        device: "cpu", "cuda" or "cuda:1", as torch says it.
        gpu_uuid: which GPU that is; torch and NVML count them differently where some are hidden.
        nvml: the NVML module; imported when None.
        rapl: where the RAPL files are.
    """
    kind, _, index = device.partition(":")
    try:
        if kind == "cuda":
            if os.environ.get(SHARED_GPU):
                raise NoSensorError(word("column_gpu_slice"))
            return NvmlMeter(gpu_uuid or int(index or 0), nvml=nvml)
        if kind == "cpu":
            return RaplMeter(rapl)
        raise NoSensorError(word("column_no_device_counter", device=device))
    except NoSensorError as error:
        why = error.args[0] if kind == "cuda" else word("column_no_gpu", why=error.args[0])
        return NoMeter(word("column_no_counter", why=why))


def while_idle(meter: Meter, *, seconds: float = 2.0, sleep: Callable[[float], None] = time.sleep) -> MeterReading:
    """Read while nothing of ours runs. These watts are stated next to other readings, never subtracted from them."""
    meter.begin()
    sleep(seconds)
    return meter.end()
