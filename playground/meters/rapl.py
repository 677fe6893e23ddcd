"""A processor's energy from the RAPL files of Linux, which count microjoules and wrap around when they are full.

Packages are counted, and the memory too where it has a counter of its own. Cores are left out, being part of
their package. Recent kernels let only root read the files.
"""

import re
import time
from dataclasses import dataclass
from pathlib import Path

from playground.meters.reading import MeterReading, NoSensorError
from playground.words import word

ROOT = Path("/sys/class/powercap")
ZONE = re.compile(
    r"intel-rapl:\d+(:\d+)?"
)  # AMD's drivers use this name too; intel-rapl-mmio repeats the same counters
RESOLUTION_S = 0.001
MOST_W = 1000.0  # no package takes more; so long as this does not fill a counter, it has wrapped around at most once


@dataclass(frozen=True, slots=True)
class Zone:
    """One counter."""

    name: str
    file: Path
    range_uj: int  # The counter wraps around there.


class RaplMeter:
    """All packages of this machine, and their memory.

    Raises:
        NoSensorError: where there are no such files, or they may not be read.
    """

    def __init__(self, root: Path = ROOT) -> None:
        self.zones = _zones(root)
        self.source = f"RAPL ({', '.join(zone.name for zone in self.zones)}; all programs, idle power included)"
        self._read()  # say now if that is not allowed
        self._before: list[int] = []
        self._began = 0.0

    def begin(self) -> None:
        """Read the counters."""
        try:
            self._before = self._read()
        except NoSensorError:
            self._before = []  # `end` will say so
        self._began = time.perf_counter()

    def end(self) -> MeterReading:
        """Read them again."""
        seconds = time.perf_counter() - self._began
        try:
            after = self._read()
        except NoSensorError as error:
            return MeterReading(None, self.source, str(error), seconds, RESOLUTION_S)
        if not self._before:
            return MeterReading(None, self.source, "the counters could not be read at the start", seconds, RESOLUTION_S)
        shortest = min(zone.range_uj for zone in self.zones) / 1e6 / MOST_W
        if seconds > shortest:
            reason = f"the counters may have wrapped around more than once in {seconds:.0f} s"
            return MeterReading(None, self.source, reason, seconds, RESOLUTION_S)
        used_uj = sum(
            now - before + (zone.range_uj if now < before else 0)
            for zone, before, now in zip(self.zones, self._before, after, strict=True)
        )
        if used_uj == 0:
            return MeterReading(None, self.source, word("column_counters_still"), seconds, RESOLUTION_S)
        return MeterReading(used_uj / 1e6, self.source, None, seconds, RESOLUTION_S)

    def _read(self) -> list[int]:
        return [_number(zone.file) for zone in self.zones]


def _zones(root: Path) -> list[Zone]:
    folders = sorted(folder for folder in root.glob("intel-rapl:*") if ZONE.fullmatch(folder.name))
    if not folders:
        raise NoSensorError(word("column_no_rapl"))
    zones = [(_text(folder / "name"), folder) for folder in folders]
    chosen = [(name, folder) for name, folder in zones if name.startswith("package") or name == "dram"]
    if not any(name.startswith("package") for name, _ in chosen):
        raise NoSensorError(word("column_no_package"))
    return [Zone(name, folder / "energy_uj", _number(folder / "max_energy_range_uj")) for name, folder in chosen]


def _number(file: Path) -> int:
    text = _text(file)
    try:
        return int(text)
    except ValueError:
        raise NoSensorError(f"{file} holds {text[:20]!r}, not a number") from None


def _text(file: Path) -> str:
    try:
        return file.read_text().strip()
    except PermissionError:
        raise NoSensorError(word("column_root_only", file=file)) from None
    except OSError as error:
        raise NoSensorError(f"{file} cannot be read: {error.strerror}") from None
