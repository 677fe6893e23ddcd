"""A paper's comparison: runs, the axes they are drawn along, and the paper's claims."""

from collections.abc import Mapping
from typing import Any

import msgspec

from playground.bench.entry import Choice, Entry, enter
from playground.bench.grid import Grid
from playground.bench.race import BASELINE
from playground.decoding.method import make_method
from playground.models.sampling import Sampling
from playground.papers.printed import Result, find_paper


class Axis(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The option that varies along a figure or the columns of a table."""

    title: str  # The paper calls it so, unit included.
    names: tuple[str, ...]  # options that mean the same in different methods, a field of a row, or "budget"
    # options that an entry must have to be on this axis, where several vary
    only: Mapping[str, float] = msgspec.field(default_factory=dict)

    def of(self, row: Mapping[str, Any]) -> float | None:
        """Position of a row of a race: a number or a median; None for one that is not on this axis."""
        options = row["options"]
        if self.is_elsewhere(row):
            return None
        known = {**row, **options, "budget": budget(row["method"], options)}
        value = next((known[name] for name in self.names if known.get(name) is not None), None)
        return value["median"] if isinstance(value, dict) else value

    def is_elsewhere(self, row: Mapping[str, Any]) -> bool:
        """Return whether a row belongs to another axis, rather than to none."""
        return any(row["options"].get(name, value) != value for name, value in self.only.items())


class Claim(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A direction that a paper states in words, where it prints no numbers."""

    says: str  # The sentence goes on so after "The paper says that".
    field: str  # the number it is about
    # ahead, behind: methods: the best of the first is above the best of the second along the axis
    ahead: tuple[str, ...] = ()
    behind: tuple[str, ...] = ()
    share: float = 1.0  # It must be so at this share of the places along the axis, at least.
    # 1 or -1: how the number moves from one end of the axis to the other; 0 where `ahead` is meant
    trend: int = 0


class Preset(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One comparison of a paper. The README of assets/presets says how a file is written.

    Attributes:
        id: its name on the command line.
        title: one line.
        paper: a paper's id, see printed.py.
        places: the tables and figures it reproduces.
        choices: the runs: methods with options. Plain decoding is added to every race.
        axes: what to draw along; none where the methods themselves are the columns.
        y: the fields of a row to draw; "over" and "gain" are tokens/s against the method `over`, as ratio and in %.
        own: the paper's own methods, by our ids: those whose standing is compared with the paper's.
        reduced: what differs from the paper, in a sentence or two.
        over: the method that "over" and "gain" divide by.
        sampling: as in the paper, where it says so.
        num_prompts: number of prompts to use of those chosen.
        max_new_tokens, repeats: of every run.
        claims: what the paper says without printing numbers.
    """

    id: str
    title: str
    paper: str
    places: tuple[str, ...]
    choices: tuple[Choice, ...]
    axes: tuple[Axis, ...]
    y: tuple[str, ...]
    own: tuple[str, ...]
    reduced: str
    over: str = ""
    sampling: Sampling = msgspec.field(default_factory=Sampling)
    num_prompts: int = 10  # fewer than 5 would have no interval
    max_new_tokens: int = 64
    repeats: int = 1
    claims: tuple[Claim, ...] = ()

    @property
    def is_picture(self) -> bool:
        """True if the paper draws it, rather than printing a table."""
        return any("Figure" in name for name in self.places)

    @property
    def num_runs(self) -> int:
        """Measured runs with all its prompts, plain decoding's among them; warm-ups are not counted."""
        return len(self.entries()) * self.num_prompts * self.repeats

    def entries(self) -> list[Entry]:
        """Its runs, plain decoding in front."""
        return enter([(BASELINE, {}), *self.choices])

    def reported(self) -> list[Result]:
        """Results that the paper reports at these places."""
        return find_paper(self.paper).at(*self.places)

    def conditions(self) -> dict[str, float]:
        """Everything of its runs but the methods, by the names that people read."""
        return _conditions(self.num_prompts, self.repeats, self.max_new_tokens, self.sampling)


def conditions_of(grid: Grid) -> dict[str, float]:
    """Return the same of a race, by the same names."""
    return _conditions(len(grid.prompts), len(grid.seeds), grid.max_new_tokens, grid.sampling)


def _conditions(num_prompts: int, repeats: int, max_new_tokens: int, sampling: Sampling) -> dict[str, float]:
    return {
        "prompts": num_prompts,
        "repeats": repeats,
        "new tokens at most": max_new_tokens,
        "temperature": sampling.temperature,
        "top-k": sampling.top_k,
        "top-p": sampling.top_p,
    }


def budget(method: str, options: Mapping[str, Any]) -> int | None:
    """Tokens drafted in a round that has room for all of them; None for a method that drafts nothing.

    Independent draws can coincide; then the tree has fewer nodes.
    """
    return make_method(method, dict(options)).options.num_drafted or None
