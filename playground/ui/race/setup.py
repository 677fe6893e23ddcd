"""What the controls of the Compare tab ask for, checked, and turned into the requests of a race."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playground.bench.entry import Entry
from playground.bench.prompts import presets, read_prompts
from playground.bench.race import BASELINE
from playground.decoding.decode import Request
from playground.decoding.method import find_method
from playground.decoding.sampling import Sampling
from playground.errors import PlaygroundError, did_you_mean
from playground.exactness.badges import badge
from playground.papers.presets import find_preset
from playground.ui.page.controls import OTHER, chosen_models
from playground.ui.race import lineup

ONE, PRESET, FILE = "one", "preset", "file"
PROMPT_LIMIT = 4000  # characters of one prompt
MOST_PROMPTS, MOST_REPEATS, MOST_TOKENS, MOST_RUNS = 50, 20, 512, 1000


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
        asked = {"sampling": self.sampling, "seed": self.seed, "max_new_tokens": self.max_new_tokens}
        plain = next(entry for entry in self.entries if entry.method == BASELINE)
        for number, prompt in enumerate(self.prompts, 1):
            try:
                plain.request(models, prompt, **asked)
            except PlaygroundError as error:
                where = f"Prompt {number} of {len(self.prompts)}: " if len(self.prompts) > 1 else ""
                raise PlaygroundError(f"{where}{error}") from None
        made: dict[str, list[Request]] = {}
        refused: dict[str, str] = {}
        for entry in self.entries:
            try:
                made[entry.label] = [entry.request(models, prompt, **asked) for prompt in self.prompts]
            except PlaygroundError as error:  # such as a method that drafts where there is no draft model
                refused[entry.label] = str(error)
        return made, refused

    def names(self) -> dict[str, dict[str, Any]]:
        """How each entry is called on the page, by its label: title, name, note, lossless, badge."""
        return {entry.label: _name(entry) for entry in self.entries}

    def as_dict(self) -> dict[str, Any]:
        """For a file: everything somebody needs to run it again."""
        return {
            "entries": [
                {"label": entry.label, "method": entry.method, "options": entry.options} for entry in self.entries
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


def race_setup(
    lineup_: Sequence[str],
    source: str,
    typed: str,
    preset: str,
    file: str | None,
    num_prompts: int,
    pair: str,
    target: str,
    draft: str,
    max_new_tokens: int,
    repeats: int,
    seed: int,
    temperature: float,
    top_k: int,
    top_p: float,
    paper: str = "",
) -> RaceSetup:
    """The values of the controls, checked once more: a program may post what no control offers.

    Raises:
        PlaygroundError: if something is missing, out of range or unknown.
    """
    entries = lineup.entries(lineup_ or [])
    prompts = chosen_prompts(source, typed, preset, file, num_prompts)
    setup = RaceSetup(
        entries,
        prompts,
        pair,
        target or "",
        draft or "",
        _whole(max_new_tokens, "The number of new tokens", 1, MOST_TOKENS),
        _whole(repeats, "The number of repeats", 1, MOST_REPEATS),
        _whole(seed, "The seed", 0, 2**32),
        Sampling(float(temperature), int(top_k), float(top_p)),
        paper and find_preset(paper).id,
    )
    if setup.num_runs > MOST_RUNS:
        raise PlaygroundError(
            f"{len(entries)} methods on {len(prompts)} prompts, {setup.repeats} times, are {setup.num_runs:,} runs; "
            f"{MOST_RUNS:,} work. Take fewer methods, prompts or repeats."
        )
    return setup


def chosen_prompts(source: str, typed: str, preset: str, file: str | None, num_prompts: int) -> list[str]:
    """The prompts that the race runs on.

    Raises:
        PlaygroundError: if there are none, one is too long, or a file has broken lines.
    """
    if source == ONE:
        prompts = [typed or ""]
        if not prompts[0].strip():
            raise PlaygroundError("There is no prompt. Write a few words for the models to continue.")
    elif source == PRESET:
        known = presets()
        if preset not in known:
            raise PlaygroundError(f"Unknown set of prompts {preset!r}.{did_you_mean(str(preset), known)}")
        prompts = known[preset]
    elif source == FILE:
        if not file:
            raise PlaygroundError("There are no prompts: choose a file with one prompt in each line.")
        prompts = read_prompts(str(file), name=Path(file).name)
    else:
        raise PlaygroundError(f"Unknown source of prompts {source!r}. Choose {ONE}, {PRESET} or {FILE}.")
    prompts = prompts[: _whole(num_prompts, "The number of prompts", 1, MOST_PROMPTS)]
    for number, prompt in enumerate(prompts, 1):
        if len(prompt) > PROMPT_LIMIT:
            raise PlaygroundError(
                f"Prompt {number} has {len(prompt):,} characters; the limit is {PROMPT_LIMIT:,}. Shorten it."
            )
    return prompts


def _whole(value: Any, name: str, low: int, high: int) -> int:
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        raise PlaygroundError(f"{name} must be a whole number from {low} to {high:,}, not {value!r}.") from None
    if not low <= number <= high:
        raise PlaygroundError(f"{name} {number:,} is out of range. Choose {low} to {high:,}.")
    return number


def _name(entry: Entry) -> dict[str, Any]:
    method = find_method(entry.method)
    return {
        "title": lineup.title(entry.method, entry.options),
        "name": method.title,
        "note": lineup.options_in_words(entry.method, entry.options),
        "lossless": method.lossless,
        "badge": badge(entry.method, entry.options).as_dict(),
    }
