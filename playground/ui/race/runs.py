"""The runs of a race, kept small: each trace packed, and cut into a lane for the replay.

Called between runs, in the thread that races, so that nothing of it falls into a measured time.
"""

from __future__ import annotations

import json
import zlib
from typing import Any

from playground.bench.race import Run
from playground.errors import PlaygroundError
from playground.metrics.summary import summarise
from playground.trace import Trace, from_json, to_json
from playground.views.race.lane import lane_data
from playground.words import word

_OF_A_RUN = (
    "seed", "num_tokens", "rounds", "target_calls", "draft_calls", "acceptance_per_position", "acceptance_per_draw",
    "draft_efficiency", "block_efficiency", "seconds", "prefill_s", "draft_s", "verify_s", "other_s", "tokens_per_s",
    "perplexity", "energy", "peak_cache_bytes", "finish_reason",
)  # fmt: skip
_OF_ALL = ("numbers", "estimated_with", "energy_source", "conditions")
_CONDITIONS = ("target", "machine", "versions", "created")


class RaceRuns:
    """Every measured run, by entry, prompt and repeat."""

    def __init__(self) -> None:
        self._packed: dict[tuple[str, int, int], bytes] = {}
        self._lanes: dict[tuple[str, int, int], str] = {}
        self.numbers: list[dict[str, Any]] = []  # one table row a run, for files
        self.estimated_with: dict[str, Any] | None = None  # the constants of the estimate of energy
        self.energy_source: str | None = None
        self.conditions: dict[str, Any] = {}  # models, machine and versions, as the first run says them

    def keep(self, run: Run) -> None:
        """Take one run in."""
        key = run.label, run.prompt, run.repeat
        summary = summarise(run.trace)
        self._packed[key] = zlib.compress(to_json(run.trace).encode())
        self._lanes[key] = json.dumps(lane_data(run.trace), separators=(",", ":"))
        self.estimated_with = self.estimated_with or summary["energy"].get("estimated_with")
        self.energy_source = self.energy_source or summary["energy"].get("source")
        started = run.trace.started
        self.conditions = {name: getattr(started, name) for name in _CONDITIONS} | self.conditions
        if started.draft:
            self.conditions.setdefault("draft", started.draft)
            drafters = self.conditions.setdefault("drafters", [])  # in the order of their first runs
            if started.draft["name"] not in drafters:
                drafters.append(started.draft["name"])
        where = {"label": run.label, "prompt": run.prompt + 1, "repeat": run.repeat + 1}
        self.numbers.append(where | {name: summary[name] for name in _OF_A_RUN})

    def as_dict(self) -> dict[str, Any]:
        """For a file: every run's numbers, and of the runs themselves those that the lanes show."""
        keys = [key for key in self._packed if key[2] == self.median_repeat(*key[:2])]
        return {name: getattr(self, name) for name in _OF_ALL} | {
            "kept": [
                {"key": list(key), "lane": json.loads(self._lanes[key]), "trace": self._unpacked(key)} for key in keys
            ]
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> RaceRuns:
        """Return the runs of a dictionary that `as_dict` gave. Traces are read only when they are asked for."""
        runs = cls()
        for name in _OF_ALL:
            setattr(runs, name, data[name])
        for each in data["kept"]:
            label, index, repeat = each["key"]
            runs._packed[label, index, repeat] = zlib.compress(each["trace"].encode(), 1)
            runs._lanes[label, index, repeat] = json.dumps(each["lane"], separators=(",", ":"))
        return runs

    def median_repeat(self, label: str, index: int) -> int | None:
        """Return the repeat with the median tokens/s, the slower of two in the middle; None without one."""
        runs = [each for each in self.numbers if (each["label"], each["prompt"]) == (label, index + 1)]
        runs.sort(key=lambda each: (each["tokens_per_s"] or 0.0, each["repeat"]))
        return runs[(len(runs) - 1) // 2]["repeat"] - 1 if runs else None

    def rates(self, index: int) -> dict[str, float]:
        """Tokens/s of the median repeat on a prompt, of every entry that has one."""
        repeats = {label: self.median_repeat(label, index) for label in {each["label"] for each in self.numbers}}
        return {
            each["label"]: each["tokens_per_s"] or 0.0
            for each in self.numbers
            if each["prompt"] == index + 1 and each["repeat"] - 1 == repeats[each["label"]]
        }

    def lane(self, label: str, index: int) -> dict[str, Any] | None:
        """Return the median repeat as a lane of the replay, with its number and their count; None without a run."""
        repeat = self.median_repeat(label, index)
        if repeat is None:
            return None
        repeats = max(each["repeat"] for each in self.numbers)  # in shuffled order: this lane's may not be the last
        return json.loads(self._lanes[label, index, repeat]) | {"repeat": repeat + 1, "repeats": repeats}

    def traces(self, label: str) -> list[Trace]:
        """Every run of an entry."""
        keys = [key for key in self._packed if key[0] == label]
        return [from_json(self._unpacked(key), f"A run of {label}") for key in keys]

    def plain_s(self, label: str, baseline: str) -> float | None:
        """Seconds per token of the baseline's runs that have a run of this entry beside them; None without any."""
        beside = {(each["prompt"], each["repeat"]) for each in self.numbers if each["label"] == label}
        plain = [
            each
            for each in self.numbers
            if each["label"] == baseline and (each["prompt"], each["repeat"]) in beside and each["num_tokens"]
        ]
        tokens = sum(each["num_tokens"] for each in plain)
        return sum(each["seconds"] for each in plain) / tokens if tokens else None

    def trace(self, label: str, index: int) -> Trace:
        """Return the whole run behind a lane.

        Raises:
            PlaygroundError: if there is none.
        """
        repeat = self.median_repeat(label, index)
        if repeat is None:
            raise PlaygroundError(word("race_run_is_over"))
        return from_json(self._unpacked((label, index, repeat)), f"The run of {label}")

    def _unpacked(self, key: tuple[str, int, int]) -> str:
        return zlib.decompress(self._packed[key]).decode()
