"""Results as the papers print them, beside what is measured here; never on one axis with it without saying so.

The numbers are in assets/paper_results.json, as printed in tables and sentences. What a paper shows only as a picture
is left out, and `left_out` says so. Hardware, models and data are others than here, so are the numbers.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from playground.errors import PlaygroundError, did_you_mean
from playground.paths import ASSETS

RESULTS, SCHEMA = ASSETS / "paper_results.json", ASSETS / "paper_results.schema.json"


@dataclass(frozen=True, slots=True)
class Value:
    """A printed number, or a printed range.

    Attributes:
        method: as the paper calls it.
        ours: the id of our method that comes nearest, None where none does.
        x: where along the result's `x`.
        value, spread: the number and the spread printed with it.
        low, high: where only a range is printed.
    """

    method: str
    ours: str | None = None
    x: float | None = None
    value: float | None = None
    spread: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def ends(self) -> tuple[float, float]:
        """The lowest and the highest that it says: the number itself twice, or the range."""
        low, high = (self.low, self.high) if self.value is None else (self.value, self.value)
        assert low is not None and high is not None, f"{self} prints neither a number nor a range"
        return low, high


@dataclass(frozen=True, slots=True)
class Result:
    """One metric under one set of conditions.

    Attributes:
        place: the table or section it is printed in.
        better: "larger" or "smaller".
        x: what varies along the values, if something does.
    """

    id: str
    place: str
    metric: str
    unit: str
    better: str
    target: str
    draft: str
    hardware: str
    dataset: str
    settings: dict[str, str | float]
    values: tuple[Value, ...]
    x: str | None = None

    def conditions(self) -> str:
        """Under what it was measured, for the label beside it."""
        dataset, hardware = (
            f"{what} {value}" if value.startswith("not said") else value
            for what, value in (("data set", self.dataset), ("machine", self.hardware))
        )
        return f"{self.place}: {self.target} with {self.draft}, {dataset}, {hardware}"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A picture or table without numbers here, and why."""

    place: str
    why: str


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper and what it reports."""

    id: str
    title: str
    authors: str
    year: int
    arxiv: str
    notes: tuple[str, ...]
    results: tuple[Result, ...]
    left_out: tuple[LeftOut, ...] = field(default_factory=tuple)

    @property
    def link(self) -> str:
        """Its address at arXiv."""
        return f"https://arxiv.org/abs/{self.arxiv}"

    def at(self, *printed_at: str) -> list[Result]:
        """Return the results of these tables and figures."""
        return [result for result in self.results if result.place in printed_at]


@cache
def papers() -> dict[str, Paper]:
    """Every paper by its id."""
    data = json.loads(RESULTS.read_text(encoding="utf-8"))
    check(data)
    return {each["id"]: _paper(each) for each in data["papers"]}


def find_paper(paper_id: str) -> Paper:
    """Return the paper with this id.

    Raises:
        PlaygroundError: if there is none.
    """
    known = papers()
    if paper_id not in known:
        raise PlaygroundError(f"Unknown paper {paper_id!r}. {did_you_mean(paper_id, known)}")
    return known[paper_id]


def check(data: Any) -> None:
    """Refuse data that does not have the shape of assets/paper_results.schema.json, or names something twice.

    Raises:
        PlaygroundError: with the place and what is wrong there.
    """
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    error = best_match(Draft202012Validator(schema).iter_errors(data))
    if error is not None:
        path = " / ".join(str(step) for step in error.absolute_path) or "the whole"
        raise PlaygroundError(f"{RESULTS.name} is wrong at {path}: {error.message[:200]}. Mend it there.")
    for names in ([each["id"] for each in data["papers"]], *([r["id"] for r in p["results"]] for p in data["papers"])):
        twice = {name for name in names if names.count(name) > 1}
        if twice:
            raise PlaygroundError(f"{RESULTS.name} has {', '.join(sorted(twice))} twice. Give each result its own id.")


def _paper(data: dict[str, Any]) -> Paper:
    results = tuple(
        Result(**each | {"values": tuple(Value(**value) for value in each["values"])}) for each in data["results"]
    )
    left_out = tuple(LeftOut(**each) for each in data["left_out"])
    return Paper(**data | {"notes": tuple(data["notes"]), "results": results, "left_out": left_out})
