"""Decoding methods: their base class, their options, and the list of all.

A method is one file in `decoding/methods/`; the file name is its id. It declares facts and options, and defines how a
round drafts and verifies. It does not print, time, stop or draw: the loop in `decode.py` does. Menus, controls,
command-line flags, the README's table and the conformance tests all follow from the file being there.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import Field, dataclass, fields
from functools import lru_cache
from typing import Any, ClassVar, Literal

from playground.decoding.drafting.draft import Draft
from playground.decoding.setting import Setting
from playground.decoding.verdict import Verdict
from playground.errors import PlaygroundError, did_you_mean
from playground.options import Declared, is_whole
from playground.options import option as option  # for the methods' files
from playground.trace.events import Tests
from playground.words import named, paragraph, word


def option_key(method_id: str, item: Field[Any]) -> str:
    """Key of an option's label and help in the tables of assets/languages: `draft_length`, or `rsd_s.width`."""
    return item.metadata["key"] or f"{method_id}.{item.name}"


@dataclass(frozen=True, slots=True)
class Options(Declared):
    """Options of a method. Subclasses add fields by `option`."""

    @classmethod
    def label(cls, item: Field[Any]) -> str:
        """Return the name of an option; the method's id is the name of its file."""
        return named(f"option.{option_key(cls.__module__.rpartition('.')[2], item)}", item.metadata["label"])

    @property
    def changed(self) -> dict[str, float]:
        """Values that are not at their defaults."""
        return {item.name: value for item in fields(self) if (value := getattr(self, item.name)) != item.default}

    @property
    def num_drafted(self) -> int:
        """Most tokens drafted in a round, here by chains of the draft length; draws that coincide make fewer nodes."""
        return getattr(self, "draft_length", 0) * getattr(self, "num_drafts", 1)


Shape = Literal["nothing", "chain", "chains", "tree"]


class _Lossless:
    """True where a distribution is claimed; an attribute of a class or of an instance."""

    def __get__(self, instance: DecodingMethod | None, kind: type[DecodingMethod]) -> bool:
        return (instance or kind).reproduces != "none"


class DecodingMethod:
    """A decoding method. Subclasses declare the facts below and define `verify`, and `draft` if they draft.

    The docstring of a subclass is its tooltip, a sentence; the `Options` of its file are its options.
    """

    title: str  # An option may make an instance another rule, by another name.
    full_name: ClassVar[str] = ""  # It is empty unless the title is an abbreviation.
    summary: ClassVar[str] = ""  # its docstring
    paper: ClassVar[str]  # author year, title, arXiv id
    # the distribution it claims: "target sampling", "beam search", "i.i.d. beam sampling", ..., "none"; see exactness/
    reproduces: str  # An option may change an instance's claim.
    lossless = _Lossless()
    approximates: ClassVar[str] = "target sampling"  # A method without a claim is measured against it.
    needs_draft_model: ClassVar[bool] = True
    drafts: ClassVar[Shape] = "tree"  # shape of a draft; the menu groups methods by it
    tests: ClassVar[Tests | Literal[""]] = "draws"  # unit of its rule's tests, see the rule's file; empty: no drafts
    Options: ClassVar[type[Options]] = Options

    def __init_subclass__(cls) -> None:
        cls.summary = cls.__doc__ or cls.summary
        options = vars(sys.modules[cls.__module__]).get("Options", Options)
        if "Options" not in vars(cls) and options.__module__ == cls.__module__:
            setattr(cls, "Options", options)  # noqa: B010

    def __init__(self, options: Options | None = None) -> None:
        self.options: Any = options if options is not None else self.Options()

    @property
    def num_draft_models(self) -> int:
        """Number of draft models that it runs."""
        return getattr(self.options, "draft_models", 1) if self.needs_draft_model else 0

    def draft(self, setting: Setting) -> Draft:
        """Draft of a round, below the frontier; empty for plain decoding."""
        return Draft()

    def verify(self, setting: Setting, draft: Any) -> Verdict:
        """Verdict on the draft, after one target call."""
        raise NotImplementedError


@lru_cache(maxsize=1)
def methods() -> dict[str, type[DecodingMethod]]:
    """Every method by id, in the order of their files' names."""
    from playground.decoding import methods as package

    return {info.name: _method_in(f"{package.__name__}.{info.name}") for info in pkgutil.iter_modules(package.__path__)}


def _method_in(module_name: str) -> type[DecodingMethod]:
    module = importlib.import_module(module_name)
    classes = [
        item
        for item in vars(module).values()
        if isinstance(item, type) and issubclass(item, DecodingMethod) and item.__module__ == module_name
    ]
    assert len(classes) == 1, f"{module_name} must define exactly one DecodingMethod, not {len(classes)}"
    return classes[0]


def method_id(method: DecodingMethod) -> str:
    """Return the name of the method's file in `decoding/methods/`."""
    return type(method).__module__.rpartition(".")[2]


def find_method(method_id: str) -> type[DecodingMethod]:
    """Return the method with this id.

    Raises:
        PlaygroundError: if there is none.
    """
    known = methods()
    if method_id not in known:
        raise PlaygroundError(paragraph(word("unknown_method", name=repr(method_id)), did_you_mean(method_id, known)))
    return known[method_id]


def make_method(method_id: str, values: Mapping[str, object] | None = None) -> DecodingMethod:
    """Make a method with these option values; the others stay at their defaults.

    Args:
        method_id: file name in `decoding/methods/`.
        values: option name to value; text is read as a number.

    Raises:
        PlaygroundError: on an unknown method or option, or a value out of range.
    """
    method = find_method(method_id)
    known = [item.name for item in fields(method.Options)]
    for name in values or {}:
        if name not in known:
            unknown = word("unknown_option", method=method.title, name=repr(name))
            raise PlaygroundError(paragraph(unknown, did_you_mean(name, known)))
    return method(method.Options(**(values or {})))


def claims(method_id: str) -> list[dict[str, float]]:
    """Option values for every distribution that a method claims: the defaults, then single options at an end.

    Args:
        method_id: file name in `decoding/methods/`.

    Returns:
        For each claim, the options that are not at their defaults.
    """
    values_of = {make_method(method_id).reproduces: {}}
    for item in fields(find_method(method_id).Options):
        for value in (item.metadata["min"], item.metadata["max"]):
            with suppress(PlaygroundError):  # an end that contradicts the other defaults
                values_of.setdefault(make_method(method_id, {item.name: value}).reproduces, {item.name: value})
    return list(values_of.values())


def method_list() -> list[dict[str, object]]:
    """Every method as data: id, title, claimed distribution, paper, and options with their ranges."""
    return [
        {
            "id": method_id,
            "title": method.title,
            "lossless": method.lossless,
            "reproduces": method.reproduces,
            "paper": method.paper,
            "options": [_option_facts(item) for item in fields(method.Options)],
        }
        for method_id, method in methods().items()
    ]


def _option_facts(item: Field[Any]) -> dict[str, object]:
    facts = {"name": item.name, "type": "int" if is_whole(item) else "float", "default": item.default}
    return facts | {fact: item.metadata[fact] for fact in ("min", "max", "help")}


def option_facts(method_id: str) -> list[dict[str, Any]]:
    """Every option of a method as a control shows it: name, key, label, unit, help, range and default."""
    facts = ("label", "unit", "help", "min", "max", "step")
    return [
        {"name": item.name, "key": option_key(method_id, item), "value": item.default}
        | {fact: item.metadata[fact] for fact in facts}
        for item in fields(find_method(method_id).Options)
    ]
