"""Results as the papers print them, next to what is measured here; never on one axis with it without saying so.

The numbers are in assets/paper_results.json, as printed in tables and sentences. What a paper shows only as a picture,
and tables that nothing here compares with, are left out; `left_out` names each. Hardware, models and data are others
than here, so are the numbers.
"""

import json
from functools import cache
from typing import Annotated, Any, Literal

import msgspec

from playground.errors import PlaygroundError, did_you_mean
from playground.paths import ASSETS

RESULTS = ASSETS / "paper_results.json"

Words = Annotated[str, msgspec.Meta(min_length=1)]


class Value(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A printed number, or a printed range."""

    method: Words  # The paper calls it so.
    ours: Words | None = None  # the id of our method that comes nearest, None where none does
    x: float | None = None  # It lies along the result's `x`.
    # value, spread: the number and the spread printed with it
    value: float | None = None
    spread: Annotated[float, msgspec.Meta(ge=0)] | None = None
    # low, high: where only a range is printed
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        is_range = self.low is not None and self.high is not None
        if (self.value is None) != is_range or (self.low is None) != (self.high is None):
            raise ValueError("A value is a number, or a range with both ends")

    @property
    def ends(self) -> tuple[float, float]:
        """The lowest and the highest that it says: the number itself twice, or the range."""
        low, high = (self.low, self.high) if self.value is None else (self.value, self.value)
        assert low is not None and high is not None, f"{self} prints neither a number nor a range"
        return low, high


class Result(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One metric under one set of conditions."""

    id: Words
    place: Words  # the table or section it is printed in
    metric: Words
    unit: str
    better: Literal["larger", "smaller"]
    target: Words
    draft: Words
    hardware: Words
    dataset: Words
    settings: dict[str, str | float]
    values: Annotated[tuple[Value, ...], msgspec.Meta(min_length=1)]
    x: Words | None = None  # It varies along the values, if something does.

    def conditions(self) -> str:
        """Under what it was measured, for the label next to it."""
        dataset, hardware = (
            f"{what} {value}" if value.startswith("not said") else value
            for what, value in (("data set", self.dataset), ("machine", self.hardware))
        )
        return f"{self.place}: {self.target} with {self.draft}, {dataset}, {hardware}"


class LeftOut(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A picture or table without numbers here, and why."""

    place: Words
    why: Words


class Paper(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A paper and what it reports."""

    id: Words
    title: Words
    authors: Words
    year: int
    arxiv: Annotated[str, msgspec.Meta(pattern=r"^\d{4}\.\d{5}$")]
    notes: tuple[Words, ...]
    results: tuple[Result, ...]
    left_out: tuple[LeftOut, ...]

    @property
    def link(self) -> str:
        """Its address at arXiv."""
        return f"https://arxiv.org/abs/{self.arxiv}"

    def at(self, *printed_at: str) -> list[Result]:
        """Return the results of these tables and figures."""
        return [result for result in self.results if result.place in printed_at]


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    format: Literal["speculative-decoding-paper-results"]
    version: Literal[1]
    papers: tuple[Paper, ...]


@cache
def papers() -> dict[str, Paper]:
    """Return every paper by its id."""
    return {each.id: each for each in read_papers(json.loads(RESULTS.read_text(encoding="utf-8")))}


def find_paper(paper_id: str) -> Paper:
    """Return the paper with this id.

    Raises:
        PlaygroundError: if there is none.
    """
    known = papers()
    if paper_id not in known:
        raise PlaygroundError(f"Unknown paper {paper_id!r}. {did_you_mean(paper_id, known)}")
    return known[paper_id]


def read_papers(data: Any) -> tuple[Paper, ...]:
    """Read what the file holds; refuse what is not of its form, or an id that occurs twice.

    Raises:
        PlaygroundError: with the place and what is wrong there.
    """
    try:
        read = msgspec.convert(data, _File).papers
    except msgspec.ValidationError as error:
        raise PlaygroundError(f"{RESULTS.name} is wrong: {error}. Mend it there.") from None
    for names in ([paper.id for paper in read], *([each.id for each in paper.results] for paper in read)):
        twice = {name for name in names if names.count(name) > 1}
        if twice:
            raise PlaygroundError(f"{RESULTS.name} has {', '.join(sorted(twice))} twice. Give each result its own id.")
    return read
