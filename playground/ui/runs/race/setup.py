"""The form of the Compare tab, checked, and turned into the requests of a race."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from playground.bench.entry import DRAFTER, Entry, enter
from playground.bench.grid import Grid, count_runs
from playground.bench.prompts import USES, read_prompts
from playground.decoding.method import make_method
from playground.errors import PlaygroundError
from playground.exactness.badges import badge
from playground.metrics.interval import least_prompts
from playground.models.sampling import Sampling
from playground.papers.presets import find_preset
from playground.ui.page.checks import LARGEST_SEED, MOST_TOKENS, whole
from playground.ui.page.model_chooser import BUNDLED, OTHER, REAL, models_of, pair_named
from playground.ui.page.prompt_chooser import PRESET, PromptsForm, chosen_prompts, offered_prompts
from playground.ui.runs.race import lineup
from playground.views.race.standings import NamedEntry
from playground.words import word

MOST_REPEATS, MOST_RUNS = 20, 1000


@dataclass(frozen=True)
class RaceForm(PromptsForm):
    """Methods, prompts, models and sampling of a race; at first the shortest one that has an interval."""

    prompt: str = field(default_factory=lambda: next(iter(offered_prompts().values())))
    prompts: int = least_prompts(lineup.FIRST_ENTRIES)
    paper: str = ""  # the preset that was set up last
    methods: Sequence[str] = field(default_factory=lambda: lineup.first_entries(lineup.tried_entries()))
    pair: str = BUNDLED
    target: str = ""
    draft: str = ""
    tokens: int = 64
    repeats: int = 1
    seed: int = 0
    temperature: float = 1
    top_k: int = 0
    top_p: float = 1


def first_form(pair: str) -> RaceForm:
    """Return the form that the tab opens on with the bundled pair, or with the chat model.

    With that it has three edits, three pieces of code and three questions, on which the same methods win and lose.
    """
    if pair != REAL:
        return RaceForm()
    prompts = read_prompts(USES)
    about = {"prompt": prompts[0], "set": USES, "prompts": len(prompts), "methods": lineup.OF_USES}
    return RaceForm(**about, pair=pair, tokens=48, temperature=0)


@dataclass(frozen=True)
class RaceSetup(Grid):
    """A race as it was asked for, the prompts already read: a grid without axes, with a seed for every repeat."""

    paper: str = ""  # the preset whose comparison this is meant to be

    @cached_property
    def entries(self) -> list[Entry]:
        """Methods with all their options."""
        return enter(self.choices)

    @property
    def repeats(self) -> int:
        """Runs of every entry on every prompt."""
        return len(self.seeds)

    @property
    def num_runs(self) -> int:
        """Measured runs, the warm-ups not among them."""
        return count_runs(self)

    def names(self) -> dict[str, NamedEntry]:
        """Return the names of each entry on the page, by its label."""
        return {entry.label: _name(entry) for entry in self.entries}

    def as_file(self) -> dict[str, object]:
        """Return everything that is needed to run it again, for a file."""
        pair, target, draft = models_of(self)
        is_other = pair == OTHER
        return {
            "entries": [asdict(entry) for entry in self.entries],
            "prompts": list(self.prompts),
            "chat": self.chat,
            "pair": None if is_other else pair,
            "target": target if is_other else None,
            "draft": draft if is_other else None,
            "max_new_tokens": self.max_new_tokens,
            "repeats": self.repeats,
            "seed": self.seeds[0],
            "sampling": self.sampling.as_dict(),
            "paper": self.paper or None,
        }

    @classmethod
    def from_file(cls, data: Mapping[str, Any]) -> RaceSetup:
        """Return the setup of a dictionary that `as_file` gave."""
        return cls(
            tuple((entry["method"], entry["options"] | {DRAFTER: entry[DRAFTER]}) for entry in data["entries"]),
            {},
            tuple(data["prompts"]),
            tuple(range(data["seed"], data["seed"] + data["repeats"])),
            Sampling(**data["sampling"]),
            data["max_new_tokens"],
            pair_named(data["pair"] or OTHER, data["target"] or "", data["draft"] or ""),
            data.get("chat", False),
            data["paper"] or "",
        )


def race_setup(form: RaceForm) -> RaceSetup:
    """Return the setup of a form, checked once more: a program may post what no control offers.

    Raises:
        PlaygroundError: if something is missing, out of range or unknown.
    """
    form.refuse_damaged()
    entries = lineup.entries(form.methods or [])
    repeats = whole(form.repeats, "The number of repeats", 1, MOST_REPEATS)
    seed = whole(form.seed, "The seed", 0, LARGEST_SEED)
    setup = RaceSetup(
        tuple((entry.method, entry.options | {DRAFTER: entry.drafter}) for entry in entries),
        {},
        tuple(chosen_prompts(form)),
        tuple(range(seed, seed + repeats)),
        Sampling(float(form.temperature), int(form.top_k), float(form.top_p)),
        whole(form.tokens, "The number of new tokens", 1, MOST_TOKENS),
        pair_named(form.pair, form.target, form.draft),
        form.chat and form.source != PRESET,
        form.paper and find_preset(form.paper).id,
    )
    if setup.num_runs > MOST_RUNS:
        raise PlaygroundError(
            word(
                "race_too_large",
                methods=len(entries),
                prompts=len(setup.prompts),
                repeats=setup.repeats,
                runs=f"{setup.num_runs:,}",
                most=f"{MOST_RUNS:,}",
            )
        )
    return setup


def _name(entry: Entry) -> NamedEntry:
    method, values = make_method(entry.method, entry.options), entry.options | {DRAFTER: entry.drafter}
    return {
        "label": entry.label,
        "title": lineup.title(entry.method, values),
        "name": method.title,
        "note": lineup.note(entry.method, values),
        "reproduces": method.reproduces,
        "badge": badge(entry.method, entry.options),
    }
