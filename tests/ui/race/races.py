"""Races on table models, for tests of what the page does with them."""

from dataclasses import dataclass

from playground.bench.entry import Entry, enter
from playground.bench.race import race
from playground.decoding.method import make_method
from playground.models.sampling import Sampling
from playground.models.table_model import TableModel
from playground.ui.race.runs import RaceRuns
from playground.ui.race.setup import RaceSetup
from tests.decoding.runs import request

CHOICES = [("autoregressive", {}), ("speculative_sampling", {}), ("rsd_s", {"width": 2})]
LABELS = [entry.label for entry in enter(CHOICES)]


@dataclass(frozen=True)
class TableSetup(RaceSetup):
    """A setup whose requests need no models from the disk."""

    table: TableModel | None = None  # the target, if not the usual one
    length: int = 12

    def requests(self):
        models = {"target": self.table} if self.table else {}
        table = {
            entry.label: [
                request(make_method(entry.method, entry.options), length=self.length, prompt=(0, index), **models)
                for index in range(len(self.prompts))
            ]
            for entry in self.entries
        }
        return table, {}


def setup(choices=tuple(CHOICES), *, prompts=("one", "two"), repeats=3, **changes) -> TableSetup:
    values = {"pair": "bundled", "target": "", "draft": "", "max_new_tokens": 12, "seed": 0, "sampling": Sampling()}
    entries: list[Entry] = enter(list(choices))
    return TableSetup(entries=entries, prompts=list(prompts), repeats=repeats, **(values | changes))


def raced(asked: RaceSetup | None = None):
    """(setup, rows, runs) of a race that has ended."""
    asked = asked or setup()
    runs = RaceRuns()
    rows = race(asked.requests()[0], repeats=asked.repeats, seed=asked.seed, keep=runs.keep)
    return asked, rows, runs
