"""A tab's form: a frozen record with a field per control. How it is read, linked to and filled in follows from it.

The fields' names are those in links, their defaults what a link need not say. A field `options` holds the options of
methods, {method: {option: value}}, without those at their defaults; in a link each is "method.option". A field
`methods` is a list, and a field `file` cannot be in a link.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from inspect import signature
from typing import Any, Generic, TypeVar

import gradio as gr
from gradio.components import Component

from playground.bench.entry import enter, read_choices
from playground.decoding.method import find_method, methods
from playground.errors import PlaygroundError
from playground.ui.page.links import LONGEST_WORD, make_query, read_query
from playground.ui.page.model_chooser import BUNDLED, OTHER, REAL, is_offered
from playground.words import word

HIGHEST = 2**63  # no field takes as much; a float cannot hold any whole number
NAMED_MODELS = ("target", "draft")  # They run where the pair of the form is `OTHER`.
LONGEST = 100_000  # characters of a text, or of all options together: no field takes that many, and requests are kept


@dataclass(frozen=True)
class Form:
    """A form of any tab; its values are as the controls give them, and nothing is checked yet."""

    @staticmethod
    def usual_options(method: str) -> dict[str, Any]:
        """Return a method's options at their defaults, as its controls hold them."""
        return {item.name: item.default for item in fields(find_method(method).Options)}

    def in_link(self) -> dict[str, Any]:
        """Every choice by its name in links."""
        values: dict[str, Any] = {}
        for item in fields(self):
            value = getattr(self, item.name)
            if item.name == "options":
                values |= {
                    f"{method}.{option}": self.options_of(method).get(option, usual)
                    for method in methods()
                    for option, usual in self.usual_options(method).items()
                }
            elif isinstance(value, bool):
                values[item.name] = int(value)
            elif item.name != "file":
                values[item.name] = ",".join(value) if item.name == "methods" else value
        if values.get("pair", OTHER) != OTHER:  # fields that are hidden then
            values |= dict.fromkeys(NAMED_MODELS, "")
        return values

    def link(self, usual: Form, **more: str) -> str:
        """Return the query string that says what differs from `usual`.

        Raises:
            PlaygroundError: if it would be too long.
        """
        return make_query(more | self.in_link(), usual.in_link())

    @classmethod
    def read_link(cls, query: Mapping[str, str]) -> dict[str, Any]:
        """Return the values that a link sets, by field; see `wrong_in_link` for what is left out."""
        values: dict[str, Any] = {}
        for name, value in read_query(query, cls().in_link())[0].items():
            method, is_option, option = name.partition(".")
            if is_option:
                values.setdefault("options", {}).setdefault(method, {})[option] = value
            elif isinstance(getattr(cls(), name), bool):
                values[name] = bool(value)
            elif name == "methods":
                listed = _listed(value)
                values[name] = [each for each in listed if _is_entry(each)] or listed
            else:
                values[name] = value
        if any(str(values.get(name) or "").strip() for name in NAMED_MODELS):
            values.setdefault("pair", OTHER)
        if not is_offered(values.get("pair", BUNDLED)):
            values = {name: value for name, value in values.items() if name not in ("pair", *NAMED_MODELS)}
        return values

    @classmethod
    def wrong_in_link(cls, query: Mapping[str, str]) -> list[str]:
        """Return the values of a link that the form does not have, a phrase each."""
        names_others = any(query.get(name, "").strip() for name in NAMED_MODELS)
        pair = query.get("pair", OTHER if names_others else BUNDLED)
        refused = [] if is_offered(pair) else [word("watch_error_models")]
        return cls.unknown_in_link(query) + refused

    @classmethod
    def unknown_in_link(cls, query: Mapping[str, str]) -> list[str]:
        """Unknown names, methods and numbers of a link, each as a phrase; the rest of the link is used without them."""
        listed = _listed(query.get("methods", "")) if hasattr(cls(), "methods") else []
        unknown = [
            word("watch_error_unknown_method", name=repr(each[:LONGEST_WORD])) for each in listed if not _is_entry(each)
        ]
        return read_query(query, cls().in_link())[1] + unknown

    def following_pair(self, first: Callable[[str], Form]) -> dict[str, object]:
        """Return the values, by field, that another pair was chosen for: those that a reader has not changed.

        Args:
            first: gives the form that the tab opens on with a pair.
        """
        wanted, usual = vars(first(getattr(self, "pair", BUNDLED))), [vars(first(each)) for each in (BUNDLED, REAL)]
        followed = wanted.keys() - {"pair", *NAMED_MODELS}
        return {name: wanted[name] for name in followed if getattr(self, name) in [each[name] for each in usual]}

    @classmethod
    def updates(cls, values: Mapping[str, Any] | None = None) -> list[Any]:
        """For the form's controls as outputs: these values by field, and nothing for the others."""
        return [(values or {}).get(item.name, gr.skip()) for item in fields(cls)]

    def refuse_damaged(self) -> None:
        """Refuse values of another kind than the controls give; called before anything is made of them.

        Raises:
            PlaygroundError: if a field was emptied, or a program posted something else.
        """
        usual = type(self)()
        for item in fields(self):
            value, kind = getattr(self, item.name), getattr(usual, item.name)
            words = item.name.replace("_", " ")
            if isinstance(kind, int | float) and not isinstance(kind, bool):
                if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < math.inf:
                    raise PlaygroundError(word("watch_error_missing", name=words))
                if abs(value) > HIGHEST:
                    raise PlaygroundError(word("watch_error_high", name=words))
            elif not _is_like(value, kind):
                raise PlaygroundError(word("watch_error_unread", name=words))
            elif _size(value) > LONGEST:
                raise PlaygroundError(word("watch_error_characters", name=words, most=f"{LONGEST:,}"))

    def options_of(self, method: str) -> dict[str, Any]:
        """Return the options of one method that are not at their defaults.

        Raises:
            PlaygroundError: if a program posted something else.
        """
        of_all = getattr(self, "options", None) or {}
        values = (of_all.get(method) or {}) if isinstance(of_all, dict) else None
        if not isinstance(values, dict):
            raise PlaygroundError(word("watch_error_unread", name="options"))
        return values


def _listed(text: str) -> list[str]:
    """Return the entries of a list in a link."""
    return [each for each in text.split(",") if each.strip()]


def _is_entry(text: str) -> bool:
    """Return whether it is a method with options, as on the command line: `rsd_s:width=2`."""
    try:
        enter(read_choices(text))
    except PlaygroundError:
        return False
    return True


def _is_like(value: Any, usual: Any) -> bool:
    """Return whether a value is of the kind of the usual one, which is not a number; None means no choice."""
    if value is None or usual is None:
        return True
    if isinstance(usual, list | tuple):
        return isinstance(value, list | tuple) and all(isinstance(each, str) for each in value)
    return isinstance(value, type(usual))


def _size(value: Any) -> int:
    """Return the number of characters in a value, its brackets among them."""
    try:
        return len(value if isinstance(value, str) else repr(value))
    except RecursionError:
        return LONGEST + 1


Filled = TypeVar("Filled", bound=Form)
Wanted = TypeVar("Wanted")


@dataclass(frozen=True, eq=False)
class Checked(Generic[Wanted]):
    """A checked request in a state of the page: a new one is a change that is noticed."""

    what: Wanted


class Controls(Generic[Filled]):
    """The components of a form.

    Args:
        form: the record.
        components: one for each of its fields, by its name.
    """

    def __init__(self, form: type[Filled], **components: Component) -> None:
        names = [item.name for item in fields(form)]
        assert components.keys() == set(names), components.keys() ^ set(names)
        self.form = form
        self.components: list[Any] = [components[name] for name in names]

    def some(self, *names: str) -> list[Any]:
        """Return the components of these fields."""
        by_name = dict(zip((item.name for item in fields(self.form)), self.components, strict=True))
        return [by_name[name] for name in names]

    def call(self, handler: Callable[..., Any]) -> Callable[..., Any]:
        """Return the handler as Gradio calls it: with a value for each control, as posted, and others behind them.

        The handler takes the values of the controls as one record, and before it the request if it names one.
        """
        size = len(self.components)

        def filled(values: tuple[Any, ...]) -> Filled:
            form = self.form(*values[:size])
            file = getattr(form, "file", None)
            return replace(form, file=file.get("path")) if isinstance(file, dict) else form  # pyright: ignore

        def plain(*values: Any) -> Any:
            return handler(filled(values), *values[size:])

        def with_request(request: gr.Request, *values: Any) -> Any:
            return handler(request, filled(values), *values[size:])

        return with_request if "request" in signature(handler).parameters else plain
