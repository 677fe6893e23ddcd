"""A meter's reading of a stretch of time: joules, or why there are none."""

from dataclasses import asdict, dataclass


class NoSensorError(Exception):
    """There is nothing to read here; the message says why, as the part of a sentence."""


@dataclass(frozen=True, slots=True)
class MeterReading:
    """Energy between `begin` and `end`. A number that could not be read is None, never a guess."""

    # Nothing is subtracted from what the counter gives: idle power and whatever else ran are in it.
    joules: float | None
    source: str | None  # the counter that was read, and what it covers; None where there is none
    reason: str | None  # why `joules` is None; None where it is a number
    window_s: float | None = None  # time between begin and end. It also holds what happened between the decoding rounds
    # The counter is renewed so often. A window of a few times this is a rough reading.
    resolution_s: float | None = None

    @property
    def watts(self) -> float | None:
        """Joules per second of the window."""
        return self.joules / self.window_s if self.joules is not None and self.window_s else None

    def as_dict(self) -> dict[str, object]:
        """For the trace."""
        return asdict(self)
