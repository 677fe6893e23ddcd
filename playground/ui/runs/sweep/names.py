"""Names of settings of a sweep on the page: the method, and what it varies in."""

from collections.abc import Mapping, Sequence
from typing import Any

from playground.bench.entry import DRAFTER
from playground.bench.grid import SAMPLING
from playground.decoding.method import find_method, make_method
from playground.exactness.badges import badge
from playground.models.drafters.choice import drafter_title
from playground.ui.page.controls import IN_SENTENCE, option_in_sentence, options_in_words, titled
from playground.words import joined, word

_NO_OPTIONS = IN_SENTENCE | {DRAFTER: word("sweep_drafter"), "max_new_tokens": word("sweep_new_tokens")}


def setting_names(setting: Mapping[str, Any]) -> dict[str, Any]:
    """name (the method's title), note, title (both), short (only the values that vary), badge.

    Args:
        setting: a row with its `label`, `method` and `options`; the label says what varies.
    """
    varied = dict(part.split("=", 1) for part in setting["label"].split()[1:])
    said = options_in_words(setting["method"], setting["options"], also=varied)
    said += [drafter_title(varied[DRAFTER])] if DRAFTER in varied else []
    said += [
        word("race_option", option=_NO_OPTIONS[name], value=value) for name, value in varied.items() if name in SAMPLING
    ]
    between = "; " if any("," in each for each in said) else ", "  # a label may have a comma of its own
    note = joined(between, said) if said else ""
    return {
        "name": make_method(setting["method"], setting["options"]).title,
        "note": note,
        "title": titled(setting["method"], note, setting["options"]),
        "short": " / ".join(varied.values()),
        "badge": badge(setting["method"], setting["options"]),
    }


def distribution_of_texts(setting: Mapping[str, Any]) -> str:
    """Return the distribution of a setting's texts: the same for all that claim one at the same sampling.

    A lossy setting has a distribution of its own, and so has one whose beams are of widths that it chooses.
    """
    claim = make_method(setting["method"], setting["options"]).reproduces
    if claim == "none" or "given" in claim:
        return setting["label"]
    decides = ("width", "length_penalty") if "beam" in claim else ()
    said = [f"{name} {setting['options'][name]}" for name in decides if name in setting["options"]]
    return ", ".join([claim, *said, *(f"{name} {setting[name]}" for name in SAMPLING if name in setting)])


def labels_in_words(settings: Sequence[Mapping[str, Any]]) -> str:
    """Return the meaning of the numbers next to the points, in a sentence; empty where nothing varies."""
    known: dict[str, str] = {}
    for setting in settings:
        names = [part.split("=", 1)[0] for part in setting["label"].split()[1:]]
        options = find_method(setting["method"]).Options.__dataclass_fields__
        words = [_NO_OPTIONS.get(name) or option_in_sentence(setting["method"], options[name]) for name in names]
        if words:
            known.setdefault(find_method(setting["method"]).title, joined(" / ", words))
    if not known:
        return ""
    if len(set(known.values())) == 1:
        return word("sweep_labels", names=next(iter(known.values())))
    each = [word("sweep_labels_of", names=names, method=title) for title, names in known.items()]
    return word("sweep_labels_each", each=joined("; ", each))
