"""What stands at the start of a race: a method, its options, and a label that tells it from the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from playground.decoding.decode import Request
from playground.decoding.method import make_method, methods
from playground.decoding.sampling import Sampling
from playground.errors import PlaygroundError
from playground.models.loading import LoadedPair

Choice = tuple[str, Mapping[str, Any]]  # a method's id, and the options that are not left at their defaults


@dataclass(frozen=True, slots=True)
class Entry:
    """One method with all its options.

    Attributes:
        label: the method's id; where it runs more than once, also the options that its entries differ in.
        method: the method's id.
        options: every option, the defaults included.
    """

    label: str
    method: str
    options: dict[str, float] = field(default_factory=dict)

    def request(
        self,
        pair: LoadedPair,
        prompt: str,
        *,
        sampling: Sampling,
        seed: int,
        max_new_tokens: int,
        prompt_ids: tuple[int, ...] = (),
    ) -> Request:
        """One run of this entry; `prompt_ids` are the prompt's tokens, if they are known already."""
        method = make_method(self.method, self.options)
        return Request(
            method, pair.target, prompt, pair.draft, sampling, seed, max_new_tokens, prompt_ids, pair.others
        )  # fmt: skip


def enter(choices: Sequence[Choice]) -> list[Entry]:
    """Entries with labels that differ.

    Raises:
        PlaygroundError: on an unknown method or option, or where two choices come to the same.
    """
    made = [(name, _all_options(name, options)) for name, options in choices]
    for place, (name, options) in enumerate(made):
        if (name, options) in made[:place]:
            raise PlaygroundError(f"{name} stands twice with the same options. Name it once, or change an option.")
    return [Entry(_label(name, options, made), name, options) for name, options in made]


def read_choices(text: str) -> list[Choice]:
    """The choices that a line names: `rsd_c,rsd_s:width=2:draft_length=4`, or `all`.

    Raises:
        PlaygroundError: if an option has no value, or none is named.
    """
    if text.strip() == "all":
        return [(name, {}) for name in methods()]
    choices = []
    for each in text.split(","):
        name, *settings = each.strip().split(":")
        choices.append((name, read_settings(settings)))
    return choices


def read_settings(settings: Sequence[str]) -> dict[str, str]:
    """`width=2`, `draft_length=4` as a dictionary."""
    read: dict[str, str] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not value:
            raise PlaygroundError(f"{setting or 'An empty option'} has no value. Write it as draft_length=4.")
        read[name] = value
    return read


def _all_options(name: str, options: Mapping[str, Any]) -> dict[str, float]:
    made = make_method(name, dict(options)).options
    return {option: getattr(made, option) for option in made.__dataclass_fields__}


def _label(name: str, options: dict[str, float], made: Sequence[tuple[str, dict[str, float]]]) -> str:
    namesakes = [others for other, others in made if other == name]
    told_apart = [option for option in options if len({others[option] for others in namesakes}) > 1]
    return " ".join([name, *(f"{option}={options[option]:g}" for option in told_apart)])
