"""The entries of a race as they are chosen on the page, each a method with the options that are not at their defaults.

An entry is written as in `compare --methods`: `rsd_s:width=2:draft_length=4`. That is also its place in a link.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cache
from typing import Any

from playground.bench.entry import DRAFTER, Entry, drafter_of, enter, read_choices
from playground.bench.race import BASELINE
from playground.bench.servers import RULES, SERVERS
from playground.decoding.method import make_method, methods
from playground.errors import PlaygroundError
from playground.models.drafters.choice import DRAFT, drafter_title
from playground.ui.page.controls import marked, options_in_words, titled
from playground.ui.page.model_chooser import BUNDLED
from playground.ui.recorded import kind_of, tried
from playground.words import commas, word

KIND = "lineup"  # the recording of what was tried before a race is recorded, each entry with its speed-up
MOST_ENTRIES, FIRST_ENTRIES = 64, 4
SERVERS_DO = word("lineup_servers")
OF_USES = ("hybrid", "suffix_decoding", "prompt_lookup", "speculative_sampling:draft_length=1")
NONE_TRIED = ("speculative_sampling:draft_length=2", "speculative_sampling:draft_length=3")


@cache
def tried_entries(pair: str = BUNDLED) -> list[dict[str, Any]]:
    """Return the entries that were tried with a pair before its race was recorded, the fastest first."""
    return tried(kind_of(KIND, pair))


def first_entries(tried: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return what a race opens on: of the entries that were measured to pay the fastest four, or others up to four."""
    paying = paying_entries(tried)
    others = [each["entry"] for each in tried if each["entry"] not in paying]
    return (paying + others)[:FIRST_ENTRIES] or list(NONE_TRIED)


def paying_entries(tried: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the entries whose interval is above 1."""
    return [each["entry"] for each in tried if each["low"] > 1]


def groups(pair: str = BUNDLED) -> dict[str, list[str]]:
    """Line-ups by name, as measured or from what the methods declare; the baseline is always there and left out."""
    others = {name: method for name, method in methods().items() if name != BASELINE}
    tried = tried_entries(pair)
    paying = paying_entries(tried) or first_entries(tried)
    return {
        word("lineup_paying"): paying,
        **({word("lineup_slower"): [each["entry"] for each in tried if each["entry"] not in paying]} if tried else {}),
        SERVERS_DO: [server.entry for server in SERVERS],
        word("lineup_rules"): list(RULES),
        word("lineup_lossless"): [name for name, method in others.items() if method.reproduces == "target sampling"],
        word("lineup_beams"): [name for name, method in others.items() if "beam" in method.reproduces],
        word("lineup_all"): list(others),
    }


def others_in_words(pair: str) -> list[str]:
    """Name what was tried before the race was recorded and is not in it, each method at its fastest.

    Returns:
        A sentence on those whose interval is above 1, and one on the others, where there are any.
    """
    tried = tried_entries(pair)
    best = {each["entry"].partition(":")[0]: each for each in reversed(tried)}
    raced = {entry.partition(":")[0] for entry in (first_entries(tried) if pair == BUNDLED else OF_USES)}
    said: dict[str, list[str]] = {"race_tried_gain": [], "race_tried": []}
    for name, each in reversed(best.items()):
        if name not in raced:
            numbers = f"{each['median']:.2f}× ({each['low']:.2f}–{each['high']:.2f})"
            said["race_tried_gain" if each["low"] > 1 else "race_tried"].append(f"{methods()[name].title} {numbers}")
    return [word(key, entries=commas(entries)) for key, entries in said.items() if entries]


def written(method_id: str, values: Mapping[str, object]) -> str:
    """Return the entry for these option values.

    Raises:
        PlaygroundError: on an unknown method or option, or a value out of range.
    """
    values, drafter = drafter_of(method_id, values)
    options = make_method(method_id, values).options
    changed = [
        f"{item.name}={getattr(options, item.name):g}"
        for item in fields(options)
        if getattr(options, item.name) != item.default
    ]
    return ":".join([method_id, *changed, *([f"{DRAFTER}={drafter}"] if drafter != DRAFT else [])])


def entries(lineup: Sequence[str]) -> list[Entry]:
    """Return the line-up as entries, the baseline in front.

    Raises:
        PlaygroundError: if there is nothing to compare, too much, an entry twice, or what does not exist.
    """
    choices = [choice for each in lineup for choice in read_choices(each)]
    if not [choice for choice in choices if choice[0] != BASELINE or choice[1]]:
        raise PlaygroundError(word("race_choose_methods"))
    if len(choices) > MOST_ENTRIES:
        raise PlaygroundError(word("race_too_many", count=len(choices), most=MOST_ENTRIES))
    if all(name != BASELINE for name, _ in choices):
        choices.insert(0, (BASELINE, {}))
    return enter(choices)


def in_menu(lineup: Sequence[str]) -> list[str]:
    """Return the line-up as the menu holds it: entries in their shortest form, without the baseline, which always runs.

    Raises:
        PlaygroundError: on an unknown method or option, or a value out of range.
    """
    choices = [choice for each in lineup for choice in read_choices(each)]
    return [written(name, dict(options)) for name, options in choices if name != BASELINE]


def offered(lineup: Sequence[str] = ()) -> list[tuple[str, str]]:
    """(title, entry) of everything the menu offers: each method as it is, and the variants in this line-up."""
    known = list(methods())
    variants = [each for each in lineup if each not in known]
    choices = {each: read_choices(each)[0] for each in [*_ordered(known), *variants] if each != BASELINE}
    apart = {each: (name, drafter_of(name, options)[0]) for each, (name, options) in choices.items()}
    return [(marked(title(*choice), *apart[each]), each) for each, choice in choices.items()]


def title(method_id: str, values: Mapping[str, Any]) -> str:
    """Return the name of an entry on the page: the method's title, and what differs from its defaults."""
    return titled(method_id, note(method_id, values), drafter_of(method_id, values)[0])


def note(method_id: str, values: Mapping[str, Any]) -> str:
    """Describe the options not at their defaults, and the drafter: "draft length 8, first 4 layers of the target"."""
    options, drafter = drafter_of(method_id, values)
    said = options_in_words(method_id, options)
    said += [drafter_title(drafter)] if drafter != DRAFT else []
    return commas(said) if said else ""


def _ordered(names: Sequence[str]) -> list[str]:
    return sorted(names, key=lambda name: (not methods()[name].lossless, methods()[name].title))
