"""The speed of each run that is kept with the page, with plain decoding or plain beams beside it."""

from dataclasses import dataclass
from functools import cache

from playground.files import read_json
from playground.paths import ASSETS
from playground.trace import load
from playground.ui.recorded import index, rated
from playground.views.plain_beside import FILE, clocks

RENEWED = ASSETS / "renewed.json"


@dataclass(frozen=True)
class Speed:
    """A recorded run's speed, prefill excluded.

    Attributes:
        name: of its file, as a link has it.
        title: in the menu of recorded runs.
        method: with which it was made.
        target: the model's name.
        plain: tokens/s of the rival in the same turn; None where none was timed.
        own: tokens/s of the run.
        ratio: median, lowest and highest of the turns; None where none was timed.
        machine: the processor.
        on: the day of the measurement.
    """

    name: str
    title: str
    method: str
    target: str
    plain: float | None
    own: float
    ratio: tuple[float, float, float] | None
    machine: str
    on: str


@cache
def speeds() -> list[Speed]:
    """Return the speed of every run that is kept with the page, in the order of its menu."""
    return [_speed_of(entry["title"], entry["file"]) for entry in index()]


def _speed_of(title: str, file: str) -> Speed:
    name, trace = file.partition(".")[0], load(ASSETS / "traces" / file)
    run, rating, beside = trace.started, rated(name), clocks(name, trace)
    plain, again = beside["plain"], beside["again"]
    end = trace.finished
    assert end is not None, f"{name} has no end"
    beside_file, renewed = read_json(ASSETS / FILE), read_json(RENEWED)
    return Speed(
        name,
        title,
        run.title,
        run.target["name"],
        len(plain) / plain[-1] if plain else None,
        end.num_tokens / (again[-1] if again else trace.rounds[-1].committed.clock_s),
        (rating["median"], rating["low"], rating["high"]) if rating and plain else None,
        (beside_file["machine"] if again else run.machine)["processor"],
        (beside_file if again else renewed[f"traces {name}"])["on"],
    )
