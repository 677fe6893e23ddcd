"""A GPU's energy from NVML's counter of millijoules since the driver was loaded, through nvidia-ml-py.

The counter covers the whole board. GPUs older than Volta, and slices of a GPU, have none.
"""

import time
from functools import lru_cache
from typing import Any

from playground.meters.reading import MeterReading, NoSensorError
from playground.words import word

RESOLUTION_S = 0.1  # the counter is renewed every 20 to 100 ms


class NvmlMeter:
    """One GPU's board.

    Args:
        device: NVML's number of the GPU, or its UUID.
        nvml: the NVML module; nvidia-ml-py when None.

    Raises:
        NoSensorError: where there is no driver, no such GPU, or no counter.
    """

    def __init__(self, device: int | str = 0, *, nvml: Any = None) -> None:
        self.nvml = nvml or _nvml()
        try:
            self.nvml.nvmlInit()
            self.handle = _handle(self.nvml, device)
            name = self.nvml.nvmlDeviceGetName(self.handle)
            self._read()
        except self.nvml.NVMLError as error:
            raise NoSensorError(word("column_nvml_says", error=error)) from None
        name = name.decode() if isinstance(name, bytes) else name
        self.source = f"NVML energy counter ({name}, whole board, idle power included)"
        self._before: int | None = None
        self._began = 0.0

    def begin(self) -> None:
        """Read the counter. The device should have nothing queued."""
        try:
            self._before = self._read()
        except self.nvml.NVMLError:
            self._before = None  # `end` will say so
        self._began = time.perf_counter()

    def end(self) -> MeterReading:
        """Read it again. The device should have finished."""
        seconds = time.perf_counter() - self._began
        try:
            after = self._read()
        except self.nvml.NVMLError as error:
            return MeterReading(None, self.source, word("column_nvml_says", error=error), seconds, RESOLUTION_S)
        if self._before is None:
            return MeterReading(None, self.source, "the counter could not be read at the start", seconds, RESOLUTION_S)
        used_mj = after - self._before
        if used_mj <= 0:  # a window shorter than the counter's own, or a driver that was reloaded
            reason = word("column_counter_still", seconds=f"{seconds:.3f}", renewed=RESOLUTION_S)
            return MeterReading(None, self.source, reason, seconds, RESOLUTION_S)
        return MeterReading(used_mj / 1e3, self.source, None, seconds, RESOLUTION_S)

    def power_w(self) -> float:
        """Watts of the board now, as the driver averages them."""
        return self.nvml.nvmlDeviceGetPowerUsage(self.handle) / 1e3

    def _read(self) -> int:
        return self.nvml.nvmlDeviceGetTotalEnergyConsumption(self.handle)


def _handle(nvml: Any, device: int | str) -> Any:
    if isinstance(device, int):
        return nvml.nvmlDeviceGetHandleByIndex(device)
    uuid = device if device.startswith(("GPU-", "MIG-")) else f"GPU-{device}"
    return nvml.nvmlDeviceGetHandleByUUID(uuid)


@lru_cache(maxsize=1)
def _nvml() -> Any:
    try:
        import pynvml
    except Exception as error:  # a broken installation may raise anything
        raise NoSensorError(f"nvidia-ml-py cannot be imported: {type(error).__name__}") from None
    return pynvml
