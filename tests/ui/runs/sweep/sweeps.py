"""Sweeps on table models, for tests of what the page does with them."""

from playground.bench.grid import Grid
from playground.models.loading import LoadedPair
from playground.ui.live.job import LiveJob
from playground.ui.runs.sweep import saved_sweep as saved_sweeps
from playground.ui.runs.sweep.saved_sweep import SavedSweep
from playground.ui.runs.sweep.setup import SweepForm
from tests.decoding.runs import DRAFT, TARGET

PAIR = LoadedPair(TARGET, DRAFT)
GRID = Grid(
    choices=(("rsd_s", {}), ("rsd_s", {"draft_length": 1}), ("autoregressive", {})),
    axes={"temperature": (0.5, 1)},
    prompts=("ab", "ba"),
    seeds=(0, 1),
    max_new_tokens=6,
)  # 24 runs of 6 settings


def form(**changes) -> SweepForm:
    """A small grid, but for what is changed; options as `method__option`."""
    options: dict[str, dict[str, str]] = {}
    for name in [name for name in changes if "__" in name]:
        method, option = name.split("__")
        options.setdefault(method, {})[option] = changes.pop(name)
    values = {"methods": ["rsd_s"], "tokens": "8", "seeds": "0", "prompts": 1, "options": options}
    return SweepForm(**values | changes)


def new_sweep(grid=GRID) -> SavedSweep:
    """One that has not begun."""
    return SavedSweep(saved_sweeps.new_folder(), {}, grid)


def swept(saved_sweep: SavedSweep | None = None, *, until: int | None = None) -> SavedSweep:
    """A sweep that has run to its end, or was left after so many runs."""
    live = LiveJob(saved_sweep or new_sweep(), lambda: PAIR)
    going = live.steps()
    for step in going:
        if until is not None and step.done >= until:
            going.close()
            break
    return live.job
