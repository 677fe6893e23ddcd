"""The form of the Compare tab, checked, and turned into the requests of a race."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from playground.bench.entry import DRAFTER, Entry
from playground.bench.race import BASELINE
from playground.decoding.decode import Request
from playground.decoding.method import make_method
from playground.errors import PlaygroundError
from playground.exactness.badges import badge
from playground.metrics.interval import LEAST_PROMPTS
from playground.models.sampling import Sampling
from playground.papers.presets import find_preset
from playground.ui.page.checks import LARGEST_SEED, MOST_TOKENS, whole
from playground.ui.page.model_chooser import BUNDLED, OTHER, chosen_models
from playground.ui.page.prompt_chooser import PromptsForm, chosen_prompts, offered_prompts
from playground.ui.race import lineup
from playground.words import word

MOST_REPEATS, MOST_RUNS = 20, 1000


@dataclass(frozen=True)
class RaceForm(PromptsForm):
    """Methods, prompts, models and sampling of a race; at first the shortest one that has an interval."""

    prompt: str = field(default_factory=lambda: next(iter(offered_prompts().values())))
    prompts: int = LEAST_PROMPTS
    paper: str = ""  # the preset that was set up last
    methods: Sequence[str] = field(default_factory=lambda: list(lineup.FIRST))
    pair: str = BUNDLED
    target: str = ""
    draft: str = ""
    tokens: int = 64
    repeats: int = 1
    seed: int = 0
    temperature: float = 1
    top_k: int = 0
    top_p: float = 1


@dataclass(frozen=True, slots=True)
class RaceSetup:
    """A race as it was asked for, the prompts already read."""

    entries: list[Entry]
    prompts: list[str]
    pair: str
    target: str
    draft: str
    max_new_tokens: int
    repeats: int
    seed: int
    sampling: Sampling
    paper: str = ""  # the preset whose comparison this is meant to be

    @property
    def num_runs(self) -> int:
        """Measured runs, the warm-ups not among them."""
        return len(self.entries) * len(self.prompts) * self.repeats

    def requests(self) -> tuple[dict[str, list[Request]], dict[str, str]]:
        """One request per entry and prompt, and why entries cannot run; loads the models, which may take long.

        Raises:
            PlaygroundError: if the models cannot be had, or a prompt does not fit them.
        """
        models = chosen_models(self.pair, self.target, self.draft)
        settings = {"sampling": self.sampling, "seed": self.seed, "max_new_tokens": self.max_new_tokens}
        plain = next(entry for entry in self.entries if entry.method == BASELINE)
        for number, prompt in enumerate(self.prompts, 1):
            try:
                plain.request(models, prompt, **settings)
            except PlaygroundError as error:
                if len(self.prompts) == 1:
                    raise
                where = {"number": number, "count": len(self.prompts)}
                raise PlaygroundError(word("race_prompt_refused", **where, why=error.args[0])) from None
        requests: dict[str, list[Request]] = {}
        refused: dict[str, str] = {}
        for entry in self.entries:
            try:
                requests[entry.label] = [entry.request(models, prompt, **settings) for prompt in self.prompts]
            except PlaygroundError as error:  # such as a method that drafts where there is no draft model
                refused[entry.label] = error.args[0]
        return requests, refused

    def names(self) -> dict[str, dict[str, Any]]:
        """Return the names of each entry on the page, by its label: title, name, note, reproduces, badge."""
        return {entry.label: _name(entry) for entry in self.entries}

    def as_dict(self) -> dict[str, Any]:
        """For a file: everything somebody needs to run it again."""
        return {
            "entries": [
                {"label": entry.label, "method": entry.method, "options": entry.options, DRAFTER: entry.drafter}
                for entry in self.entries
            ],
            "prompts": self.prompts,
            "pair": None if self.pair == OTHER else self.pair,
            "target": self.target if self.pair == OTHER else None,
            "draft": self.draft if self.pair == OTHER else None,
            "max_new_tokens": self.max_new_tokens,
            "repeats": self.repeats,
            "seed": self.seed,
            "sampling": self.sampling.as_dict(),
            "paper": self.paper or None,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> RaceSetup:
        """Return the setup of a dictionary that `as_dict` gave."""
        return cls(
            [Entry(**entry) for entry in data["entries"]],
            list(data["prompts"]),
            data["pair"] or OTHER,
            data["target"] or "",
            data["draft"] or "",
            data["max_new_tokens"],
            data["repeats"],
            data["seed"],
            Sampling(**data["sampling"]),
            data["paper"] or "",
        )

    def conditions(self) -> dict[str, float]:
        """Everything but methods and models, by the names that `Preset.conditions` has."""
        return {
            "prompts": len(self.prompts),
            "repeats": self.repeats,
            "new tokens at most": self.max_new_tokens,
            "temperature": self.sampling.temperature,
            "top-k": self.sampling.top_k,
            "top-p": self.sampling.top_p,
        }


def race_setup(form: RaceForm) -> RaceSetup:
    """Return the setup of a form, checked once more: a program may post what no control offers.

    Raises:
        PlaygroundError: if something is missing, out of range or unknown.
    """
    form.refuse_damaged()
    entries = lineup.entries(form.methods or [])
    prompts = chosen_prompts(form)
    setup = RaceSetup(
        entries,
        prompts,
        form.pair,
        form.target or "",
        form.draft or "",
        whole(form.tokens, "The number of new tokens", 1, MOST_TOKENS),
        whole(form.repeats, "The number of repeats", 1, MOST_REPEATS),
        whole(form.seed, "The seed", 0, LARGEST_SEED),
        Sampling(float(form.temperature), int(form.top_k), float(form.top_p)),
        form.paper and find_preset(form.paper).id,
    )
    if setup.num_runs > MOST_RUNS:
        raise PlaygroundError(
            word(
                "race_too_large",
                methods=len(entries),
                prompts=len(prompts),
                repeats=setup.repeats,
                runs=f"{setup.num_runs:,}",
                most=f"{MOST_RUNS:,}",
            )
        )
    return setup


def _name(entry: Entry) -> dict[str, Any]:
    method, values = make_method(entry.method, entry.options), entry.options | {DRAFTER: entry.drafter}
    return {
        "title": lineup.title(entry.method, values),
        "name": method.title,
        "note": lineup.note(entry.method, values),
        "reproduces": method.reproduces,
        "badge": badge(entry.method, entry.options).as_dict(),
    }
