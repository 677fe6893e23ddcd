"""The runs of a race, kept in memory and small: a row of each, and its trace packed.

Called between runs, in the thread that races, so that nothing of it falls into a measured time.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Generator, Mapping
from contextlib import nullcontext
from typing import Any, ClassVar, cast

from playground.bench.grid import Point
from playground.bench.race import BASELINE, race_runs
from playground.bench.results import RunRows
from playground.bench.settings import median_run
from playground.bench.sweep import Progress
from playground.errors import PlaygroundError
from playground.metrics.comparison import RunRow
from playground.metrics.energy import energy
from playground.models.loading import LoadedPair
from playground.trace import Trace, from_json, to_json
from playground.trace.events import Facts
from playground.ui.runs.race.setup import RaceSetup
from playground.views.race.lane import LaneRun, lane_data
from playground.words import word

_OF_A_RUN = (
    "label", "prompt", "repeat", "seed", "num_tokens", "rounds", "target_calls", "draft_calls",
    "acceptance_per_position", "acceptance_per_draw", "draft_efficiency", "block_efficiency", "seconds", "prefill_s",
    "draft_s", "verify_s", "other_s", "tokens_per_s", "perplexity", "energy", "peak_cache_bytes", "finish_reason",
)  # fmt: skip
_CONDITIONS = ("target", "machine", "versions", "created")


class RaceRuns(RunRows):
    """Every measured run of a race.

    Attributes:
        grid: the race.
        rows: of the runs in the order of measurement, those that failed among them.
        conditions: models, machine and versions, as the first run says them.
    """

    least_interval_s: ClassVar[float] = 0.4

    def __init__(self, grid: RaceSetup) -> None:
        super().__init__()
        self.grid = grid
        self.conditions: Facts = {}
        self.between_runs: Any = nullcontext
        self._packed: dict[int, bytes] = {}

    def make(self, pair: LoadedPair, stop: Callable[[], bool]) -> Generator[Progress, None, None]:
        """Race. An entry that these models cannot run has a sentence; a prompt that they cannot take is refused."""
        return race_runs(self.grid, self, pair=pair, stop=stop, refused=self._refused)

    def take(self, at: Progress) -> None:
        """Do nothing: the runs are here already."""

    def append(self, row: RunRow) -> None:
        """Keep the row of a finished run."""
        super().append({**row, "repeat": self.grid.seeds.index(row["seed"]) + 1})

    def save_trace(self, run: int, trace: Trace) -> dict[str, object]:
        """Keep the trace of a run; its energy goes into the row."""
        self._packed[run] = zlib.compress(to_json(trace).encode())
        started = trace.started
        self.conditions = {name: getattr(started, name) for name in _CONDITIONS} | self.conditions
        if started.draft:
            self.conditions.setdefault("draft", started.draft)
            drafters = self.conditions.setdefault("drafters", [])  # in the order of their first runs
            if started.draft["name"] not in drafters:
                drafters.append(started.draft["name"])
        return {"energy": energy(trace)}

    def numbers(self, label: str | None = None) -> list[RunRow]:
        """Return one table row per run that did not fail, of an entry or of all."""
        rows = [row for row in self.rows if "failed" not in row and label in (None, row["label"])]
        return [cast("RunRow", {name: row.get(name) for name in _OF_A_RUN}) for row in rows]

    @property
    def energy_source(self) -> str | None:
        """The source of the measured joules; None without any."""
        return next((each["energy"]["source"] for each in self.numbers() if each["energy"]["source"]), None)

    @property
    def estimated_with(self) -> Facts | None:
        """The constants of the estimate of energy."""
        constants = (each["energy"].get("estimated_with") for each in self.numbers())
        return next((each for each in constants if each), None)

    def as_dict(self) -> dict[str, object]:
        """For a file: every run's numbers, and of the runs themselves those that the lanes show."""
        medians = [self.median(entry.label, i) for entry in self.grid.entries for i in range(len(self.grid.prompts))]
        traces = [
            {"key": [row["label"], row["prompt"] - 1, row["repeat"] - 1], "trace": self._unpacked(row)}
            for row in medians
            if row
        ]
        return {"numbers": self.numbers(), "conditions": self.conditions, "kept": traces}

    @classmethod
    def from_dict(cls, grid: RaceSetup, data: Mapping[str, Any]) -> RaceRuns:
        """Return the runs of a dictionary that `as_dict` gave. Traces are read only when they are asked for."""
        runs = cls(grid)
        runs.conditions = data["conditions"]
        runs.rows = [row | {"run": number} for number, row in enumerate(data["numbers"], 1)]
        by_key = {(row["label"], row["prompt"] - 1, row["repeat"] - 1): row["run"] for row in runs.rows}
        runs._packed = {by_key[tuple(each["key"])]: zlib.compress(each["trace"].encode(), 1) for each in data["kept"]}
        return runs

    def median(self, label: str, index: int) -> RunRow | None:
        """Return the row of the median repeat on a prompt; None without one."""
        return median_run([row for row in self.rows if (row["label"], row["prompt"]) == (label, index + 1)])

    def rates(self, index: int) -> dict[str, float]:
        """Tokens/s of the median repeat on a prompt, of every entry that has one."""
        medians = [(entry.label, self.median(entry.label, index)) for entry in self.grid.entries]
        return {label: row["tokens_per_s"] or 0.0 for label, row in medians if row}

    def lane(self, label: str, index: int) -> LaneRun | None:
        """Return the median repeat as a lane of the replay, with its number and their count; None without a run."""
        row = self.median(label, index)
        if row is None:
            return None
        repeats = max(each["repeat"] for each in self.rows)  # in shuffled order: this lane's may not be the last
        run = lane_data(self._trace(row), row["repeat"], repeats)
        run["tokens_per_s"], run["seconds"] = row["tokens_per_s"], row["seconds"]  # a trace is packed to six digits
        return run

    def traces(self, label: str) -> list[Trace]:
        """Every run of an entry."""
        return [self._trace(row) for row in self.rows if row["label"] == label and row["run"] in self._packed]

    def plain_s(self, label: str) -> float | None:
        """Seconds per token of the baseline's runs that have a run of this entry beside them; None without any."""
        beside = {(each["prompt"], each["repeat"]) for each in self.numbers(label)}
        plain = [each for each in self.numbers(BASELINE) if (each["prompt"], each["repeat"]) in beside]
        tokens = sum(each["num_tokens"] for each in plain)
        return sum(each["seconds"] for each in plain if each["num_tokens"]) / tokens if tokens else None

    def trace(self, label: str, index: int) -> Trace:
        """Return the whole run behind a lane.

        Raises:
            PlaygroundError: if there is none.
        """
        row = self.median(label, index)
        if row is None:
            raise PlaygroundError(word("race_is_over"))
        return self._trace(row)

    def _trace(self, row: RunRow) -> Trace:
        return from_json(self._unpacked(row), f"A run of {row['label']}")

    def _unpacked(self, row: RunRow) -> str:
        return zlib.decompress(self._packed[row["run"]]).decode()

    def _refused(self, point: Point, why: str) -> str:
        """Return why an entry cannot run; refuse a prompt that plain decoding cannot take either."""
        if point.entry.method != BASELINE:
            return why
        count = len(self.grid.prompts)
        if count == 1:
            raise PlaygroundError(why)
        raise PlaygroundError(word("race_prompt_refused", number=point.prompt, count=count, why=why))
