"""An entry of a race: a method, its options, and a label that tells it from the others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from playground.decoding.decode import Request
from playground.decoding.method import find_method, make_method, methods
from playground.errors import PlaygroundError
from playground.models.drafters.choice import DRAFT, drafter_title, with_drafter
from playground.models.loading import LoadedPair
from playground.models.sampling import Sampling
from playground.words import paragraph, word

# a method's id, and the options that are not left at their defaults; DRAFTER among them says who drafts
Choice = tuple[str, Mapping[str, Any]]
DRAFTER = "drafter"


@dataclass(frozen=True, slots=True)
class Entry:
    """One method with all its options."""

    # the method's id; where it runs more than once, also the options that its entries differ in; and who drafts, where
    # that is not the pair's draft model
    label: str
    method: str  # the method's id
    options: dict[str, float] = field(default_factory=dict, hash=False)  # every option, the defaults included
    drafter: str = DRAFT  # It is a word of models/drafters/choice.py.

    def request(
        self,
        pair: LoadedPair,
        prompt: str,
        *,
        sampling: Sampling,
        seed: int,
        max_new_tokens: int,
        prompt_ids: tuple[int, ...] = (),
        message: str = "",
    ) -> Request:
        """Return the request of one run; `prompt_ids` are the prompt's tokens, if known; `message` as in `Turn`."""
        method, pair = make_method(self.method, self.options), with_drafter(pair, self.drafter)
        return Request(
            method,
            pair.target,
            prompt,
            pair.draft,
            sampling,
            seed,
            max_new_tokens,
            prompt_ids,
            pair.others,
            message=message,
        )


def enter(choices: Sequence[Choice]) -> list[Entry]:
    """Return the entries of these choices, with labels that differ.

    Raises:
        PlaygroundError: on an unknown method or option, or where two choices come to the same.
    """
    apart = [(name, *drafter_of(name, options)) for name, options in choices]
    parts = [(name, _all_options(name, options), drafter) for name, options, drafter in apart]
    for index, each in enumerate(parts):
        if each in parts[:index]:
            raise PlaygroundError(word("race_entry_twice", method=each[0]))
    return [Entry(_label(*each, parts), *each) for each in parts]


def drafter_of(name: str, options: Mapping[str, Any]) -> tuple[dict[str, object], str]:
    """Return a choice's options of the method, and who drafts.

    Raises:
        PlaygroundError: where the method takes no draft model, or no drafter has this name.
    """
    method_options = dict(options)
    drafter = str(method_options.pop(DRAFTER, DRAFT))
    drafter_title(drafter)  # An unknown drafter is refused here.
    if drafter != DRAFT and not find_method(name).needs_draft_model:
        raise PlaygroundError(word("race_takes_no_drafter", method=find_method(name).title))
    return method_options, drafter


def with_drafters(choices: Sequence[Choice], drafters: Sequence[str]) -> list[Choice]:
    """Return each choice with each of these drafters; a method without a draft model stays as it is.

    Raises:
        PlaygroundError: on an unknown drafter, one that is given twice, or where no method takes a draft model.
    """
    for index, drafter in enumerate(drafters):
        drafter_title(drafter)
        if drafter in drafters[:index]:
            raise PlaygroundError(word("race_drafter_twice", drafter=drafter))
    takes_drafter = [find_method(name).needs_draft_model for name, _ in choices]
    if not drafters or (list(drafters) != [DRAFT] and not any(takes_drafter)):
        why = word("race_no_draft_models") if drafters else word("race_no_drafter")
        raise PlaygroundError(paragraph(why, word("race_leave_drafter", drafter=DRAFT)))
    return [
        (name, {**options, **({DRAFTER: drafter} if drafter != DRAFT else {})})
        for (name, options), takes in zip(choices, takes_drafter, strict=True)
        for drafter in (drafters if takes else [DRAFT])
    ]


def read_choices(text: str) -> list[Choice]:
    """Return the choices that a line names: `rsd_c,rsd_s:width=2:draft_length=4`, or `all`.

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
    """Parse `width=2`, `draft_length=4` as a dictionary."""
    read: dict[str, str] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not value:
            raise PlaygroundError(word("refused_no_value", setting=setting or "An empty option"))
        read[name] = value
    return read


def _all_options(name: str, options: Mapping[str, Any]) -> dict[str, float]:
    values = make_method(name, dict(options)).options
    return {option: getattr(values, option) for option in values.__dataclass_fields__}


def _label(
    name: str, options: dict[str, float], drafter: str, entries: Sequence[tuple[str, dict[str, float], str]]
) -> str:
    namesakes = [others for other, others, _ in entries if other == name]
    differing = [option for option in options if len({others[option] for others in namesakes}) > 1]
    words = [f"{option}={options[option]:g}" for option in differing]
    return " ".join([name, *words, *([f"{DRAFTER}={drafter}"] if drafter != DRAFT else [])])
