"""Does a GPU's energy counter agree with its power, sampled and integrated? For a machine that has one.

Both come from the driver, so agreement shows that units, windows and the device are right, not that the sensor is.
"""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from playground.meters.nvml import NvmlMeter

PERIOD_S = 0.02  # 50 samples a second

Sample = tuple[float, float]  # seconds, watts


@dataclass(frozen=True, slots=True)
class Agreement:
    """One stretch of work, read twice."""

    counter_j: float | None  # by the energy counter
    sampled_j: float  # by the trapezoid rule over power samples
    ratio: float | None  # sampled / counted; None where nothing was counted
    num_samples: int
    seconds: float  # The work took so long.


def counter_against_samples(meter: NvmlMeter, work: Callable[[], None]) -> Agreement:
    """Run some work of several seconds under both. `work` must wait for the device before it returns."""
    samples: list[Sample] = []
    done = threading.Event()

    def sample() -> None:
        while not done.wait(PERIOD_S):
            samples.append((time.perf_counter(), meter.power_w()))

    thread = threading.Thread(target=sample, daemon=True)
    meter.begin()
    samples.append((time.perf_counter(), meter.power_w()))
    thread.start()
    work()
    reading = meter.end()
    done.set()
    thread.join()
    samples.append((time.perf_counter(), meter.power_w()))
    sampled_j, counter_j = integrate(samples), reading.joules
    ratio = sampled_j / counter_j if counter_j else None
    return Agreement(counter_j, sampled_j, ratio, len(samples), reading.window_s or 0.0)


def integrate(samples: Sequence[Sample]) -> float:
    """Joules under power samples in the order of time, by the trapezoid rule."""
    return sum(
        (later - earlier) * (power + power_then) / 2 for (earlier, power), (later, power_then) in pairwise(samples)
    )
