"""Races on table models, for tests of what the page does with them."""

from playground.bench.entry import enter
from playground.ui.runs.race.runs import RaceRuns
from playground.ui.runs.race.setup import RaceSetup
from tests.ui.runs.sweep.sweeps import PAIR

CHOICES = (("autoregressive", {}), ("speculative_sampling", {}), ("rsd_s", {"width": 2}))
LABELS = [entry.label for entry in enter(CHOICES)]


def setup(choices=CHOICES, *, prompts=("ab", "ba"), repeats=3, length=12, paper="") -> RaceSetup:
    return RaceSetup(tuple(choices), {}, prompts, tuple(range(repeats)), max_new_tokens=length, paper=paper)


def raced(asked: RaceSetup | None = None, stop=lambda: False) -> RaceRuns:
    """The runs of a race that has ended."""
    runs = RaceRuns(asked or setup())
    list(runs.make(PAIR, stop))
    return runs
