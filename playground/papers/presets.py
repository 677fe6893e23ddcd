"""The presets of assets/presets/: a paper's headline comparison each, at a size that this machine runs in minutes.

A preset names the runs, not their results: models, prompts and hardware are others than in the paper, and `reduced`
says so. What is kept is the question: the same methods, against each other, over the same options. One file is one
preset, and its name is the id.
"""

import tomllib
from collections.abc import Iterable
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from playground.bench.entry import Choice, read_choices
from playground.decoding.method import find_method
from playground.errors import PlaygroundError, did_you_mean
from playground.models.sampling import Sampling
from playground.papers.preset import Preset
from playground.papers.printed import find_paper, papers
from playground.papers.reproduction import BETWEEN_ENTRIES
from playground.paths import ASSETS
from playground.views.race.standings import COLUMNS

FOLDER = ASSETS / "presets"


@cache
def presets(folder: Path = FOLDER) -> dict[str, Preset]:
    """Every preset by its id: paper by paper as in paper_results.json, then by file name.

    Raises:
        PlaygroundError: if a file is broken: which one, and what is wrong with it.
    """
    known = [read_preset(path) for path in sorted(folder.glob("*.toml"))]
    order = list(papers())
    return {preset.id: preset for preset in sorted(known, key=lambda preset: order.index(preset.paper))}


def find_preset(preset_id: str) -> Preset:
    """Return the preset with this id.

    Raises:
        PlaygroundError: if there is none.
    """
    known = presets()
    if preset_id not in known:
        raise PlaygroundError(f"Unknown preset {preset_id!r}. {did_you_mean(preset_id, known)}")
    return known[preset_id]


def read_preset(path: Path) -> Preset:
    """Read the preset of one file.

    Raises:
        PlaygroundError: in one sentence what is wrong with the file.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        preset = _preset(path.stem, table)
        _check(preset)
    except (OSError, ValueError, PlaygroundError) as error:
        raise PlaygroundError(f"The preset {path.name} cannot be used: {error}") from None
    return preset


def _preset(preset_id: str, table: dict[str, Any]) -> Preset:
    """Make the preset of a parsed file; `methods` become its choices, as `compare --methods` writes them."""
    methods = table.pop("methods", [])
    if not methods:
        raise PlaygroundError('It names no methods. Add methods = ["mtad:tau=0.1", ..], as for compare --methods.')
    choices = [_choice(each) for each in msgspec.convert(methods, tuple[str, ...])]
    _check_names("sampling", table.get("sampling", {}), [each.name for each in fields(Sampling)])
    return msgspec.convert({"axes": []} | table | {"id": preset_id, "choices": choices}, Preset)


def _choice(text: str) -> Choice:
    if "," in text:
        raise PlaygroundError(f"methods has {text!r}. Write one method a text.")
    [(method, options)] = read_choices(text)
    return method, {name: _number(value) for name, value in options.items()}


def _number(text: str) -> Any:
    """Return the number that a text writes; another text, such as the drafter's name, as it is."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _check(preset: Preset) -> None:
    """Names that lead nowhere are refused here, not when a race has run."""
    preset.entries()
    for method in (*preset.own, *([preset.over] if preset.over else [])):
        find_method(method)
    for claim in preset.claims:
        for method in (*claim.ahead, *claim.behind):
            find_method(method)
    paper = find_paper(preset.paper)
    printed_at = {each.place for each in (*paper.results, *paper.left_out)}
    _check_names("places", preset.places, printed_at)
    _check_names("y", preset.y, {*(column.id for column in COLUMNS), *BETWEEN_ENTRIES})
    if {"over", "gain"} & {*preset.y} and not preset.over:
        raise PlaygroundError('y divides by a method\'s tokens/s. Name it: over = "beam_search".')


def _check_names(setting: str, names: Iterable[str], known: Iterable[str]) -> None:
    for name in names:
        if name not in known:
            raise PlaygroundError(f"{setting} has {name!r}. {did_you_mean(name, known)}")
