"""The presets of assets/presets/: a paper's headline comparison each, at a size that this machine runs in minutes.

A preset names the runs, not their results: models, prompts and hardware are others than in the paper, and `reduced`
says so. What is kept is the question: the same methods, against each other, over the same options. One file is one
preset, and its name is the id.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields
from functools import cache
from pathlib import Path
from typing import Any, TypeGuard, TypeVar, get_type_hints

from playground.bench.entry import Choice, read_choices
from playground.decoding.method import find_method
from playground.errors import PlaygroundError, did_you_mean
from playground.models.sampling import Sampling
from playground.papers.preset import Axis, Claim, Preset
from playground.papers.printed import find_paper, papers
from playground.papers.reproduction import BETWEEN_ENTRIES
from playground.paths import ASSETS
from playground.views.race.standings import COLUMNS

FOLDER = ASSETS / "presets"
T = TypeVar("T")

Strings, Numbers = tuple[str, ...], Mapping[str, float]
WORDS = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    Strings: 'a list of texts, such as ["Table 1"]',
    Numbers: "names with numbers, such as { lp_size = 5 }",
}


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
    methods = _value("methods", Strings, table.pop("methods", []))
    if not methods:
        raise PlaygroundError('It names no methods. Add methods = ["mtad:tau=0.1", ..], as for compare --methods.')
    parts = {
        "id": preset_id,
        "choices": tuple(_choice(each) for each in methods),
        "axes": tuple(_record(Axis, each, "an axis") for each in _tables(table, "axes")),
        "claims": tuple(_record(Claim, each, "a claim") for each in _tables(table, "claims")),
        "sampling": _record(Sampling, table.pop("sampling", {}), "sampling"),
    }
    return _record(Preset, table, "a preset", parts)


def _tables(table: dict[str, Any], name: str) -> list[Any]:
    value = table.pop(name, [])
    if not isinstance(value, list):
        raise PlaygroundError(f"{name} is one table. Begin each of them with [[{name}]].")
    return value


def _record(kind: type[T], table: Any, title: str, parts: Mapping[str, Any] | None = None) -> T:
    """Make a dataclass of the table's values and these parts, each value of its field's type."""
    parts, hints = parts or {}, get_type_hints(kind)
    if not isinstance(table, dict):
        raise PlaygroundError(f"{title} is {table!r}. Write a table of names and values.")
    named = [field.name for field in fields(kind) if field.name not in parts]  # type: ignore[arg-type]
    if unknown := [name for name in table if name not in named]:
        raise PlaygroundError(f"{unknown[0]!r} is not a setting of {title}. {did_you_mean(unknown[0], named)}")
    values = {name: _value(name, hints[name], value) for name, value in table.items()}
    optional = {
        field.name
        for field in fields(kind)  # type: ignore[arg-type]
        if field.default is not MISSING or field.default_factory is not MISSING
    }
    if missing := [name for name in named if name not in values and name not in optional]:
        raise PlaygroundError(f"{missing[0]!r} of {title} is missing. Add {missing[0]} = {WORDS[hints[missing[0]]]}.")
    return kind(**parts, **values)


def _value(name: str, kind: Any, value: Any) -> Any:
    """Convert a value of TOML to what a dataclass keeps."""
    if kind == Strings and isinstance(value, list) and all(isinstance(each, str) for each in value):
        return tuple(value)
    if kind == Numbers and isinstance(value, dict) and all(_is_number(each) for each in value.values()):
        return value
    if kind in (str, int) and type(value) is kind:
        return value
    if kind is float and _is_number(value):
        return float(value)
    raise PlaygroundError(f"{name} is {value!r}. Give {WORDS[kind]}.")


def _is_number(value: Any) -> TypeGuard[float]:
    return type(value) in (int, float)


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
