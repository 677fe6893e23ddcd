"""The conditions under which runs were measured, in a line: of a race and of a sweep in the same words."""

from collections.abc import Mapping, Sequence
from typing import Any

from playground.words import Word, commas, joined, word


def conditions_in_words(
    done: int, total: int, size: Sequence[str], target: Mapping[str, Any], drafts: Sequence[str], where: Sequence[Any]
) -> Word:
    """Return the conditions of the numbers.

    Args:
        done, total: runs that are there, and all.
        size: what runs how often, and its sampling.
        target: what a trace says of its model.
        drafts: who drafts, in words.
        where: the device, the processor and its threads, as far as they are known.
    """
    runs = word("race_measured_runs", count=done)
    if done != total:
        runs = word("race_measured_of", done=done, count=total)
    models = model_in_words(target)
    if drafts:
        models = word("race_target_with", target=models, drafts=joined("; ", drafts))
    return word(
        "race_conditions", runs=runs, size=commas(size), models=commas([each for each in (models, *where) if each])
    )


def model_in_words(facts: Mapping[str, Any]) -> str:
    """Return a model's name and its number format, which a file of blocks says in its name."""
    name, dtype = facts.get("name"), None if facts.get("reads") else facts.get("dtype")
    return word("race_model", name=name, dtype=dtype) if name and dtype else str(name or dtype or "")
