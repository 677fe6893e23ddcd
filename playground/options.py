"""Options said once: beside a field stand its default, range and help, and checks, flags and controls follow."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import Field, dataclass, field, fields
from inspect import Parameter, signature
from os import PathLike, fspath
from typing import Any, TypeVar

from playground.errors import PlaygroundError
from playground.words import joined, named, word

Function = TypeVar("Function", bound=Callable[..., Any])
KINDS = {"str": str, "bool": bool, "int": int}  # Options without a range are read by their annotation.
SAID = {
    **{"str": word("fault_a_text"), "bool": word("fault_true_or_false")},
    **{"int": word("fault_a_whole_number"), "tuple": word("fault_a_list")},
}


def option(
    default: Any,
    *,
    help: str,
    label: str = "",
    low: float | None = None,
    high: float = math.inf,
    step: float = 1,
    unit: str = "",
    key: str = "",
    **more: Any,
) -> Any:
    """Declare a field: its default, and what a control, a flag or a check needs to know.

    Args:
        default: value where the user chooses none.
        help: sentence or two below it.
        low, high: its range, of a number; of another value None.
        key: of label and help in the tables of assets/languages, where several methods share the option.
        more: `flag` and `metavar` of the command line, `choices`, `slider` with the ends of a control's range.
    """
    facts = {"label": label, "help": help, "min": low, "max": high, "step": step, "unit": unit, "key": key}
    return field(default=default, metadata=facts | more)


def is_whole(item: Field[Any]) -> bool:
    """Tell whether an option is a whole number; its type is a string where the file has postponed annotations."""
    return item.type in (int, "int")


@dataclass(frozen=True, slots=True)
class Declared:
    """Values whose fields `option` declares: numbers, or texts of them, are made of their kind, or refused."""

    def __post_init__(self) -> None:
        for item in fields(self):
            check = _of_kind if item.metadata.get("min") is None else self._checked
            object.__setattr__(self, item.name, check(item, getattr(self, item.name)))

    @classmethod
    def label(cls, item: Field[Any]) -> str:
        """Return the name of an option on the page and in messages."""
        return named(item.metadata["key"], item.metadata["label"])

    def _checked(self, item: Field[Any], value: Any) -> float:
        """Return the number that a value is.

        Raises:
            PlaygroundError: if it is none, out of range, or a fraction where a whole number is due.
        """
        low, high, unit = (item.metadata[fact] for fact in ("min", "max", "unit"))
        # a seed may have more digits than a float
        number = value if is_whole(item) and type(value) is int and abs(value) < 2**64 else _number(value)
        if number != number:
            raise PlaygroundError(word("lab_error_option_number", name=self.label(item), value=f"{value!r:.40}"))
        value = int(number) if is_whole(item) and float(number).is_integer() else number
        if not low <= value <= high:
            most = joined(" ", [f"{high}", named(f"unit.{unit}", unit)]) if unit else f"{high}"
            raise PlaygroundError(
                word("lab_error_range", name=self.label(item), value=f"{value}", low=f"{low}", high=most)
            )
        if is_whole(item) and not isinstance(value, int):
            raise PlaygroundError(word("lab_error_whole", name=self.label(item), value=f"{value}"))
        return value


def _of_kind(item: Field[Any], value: Any) -> Any:
    """Return the value of an option of text: a path as its text, and several texts as a tuple.

    Raises:
        PlaygroundError: if it is of another kind than the option.
    """
    name, _, optional = str(item.type).partition(" | ")
    if isinstance(value, PathLike):
        value = fspath(value)
    if name.startswith("tuple"):
        several = texts_of(value)
        if several is not None:
            return several
    elif name not in KINDS or type(value) is KINDS[name] or (value is None and optional):
        return value
    raise PlaygroundError(word("refused_kind", name=item.name, kind=SAID[name[:5]], value=f"{value!r:.40}"))


def texts_of(value: Any) -> tuple[str, ...] | None:
    """Return a list of texts as a tuple, and a single text alone; None of anything else."""
    if isinstance(value, str):
        return (value,)
    several = [*value] if isinstance(value, Sequence | Iterator) else [None]
    texts = tuple(each for each in several if isinstance(each, str))
    return texts if len(texts) == len(several) else None


def _number(value: Any) -> float:
    """Return a number, or the one that a text writes; NaN for anything else."""
    try:
        return float("nan" if isinstance(value, bool) else value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def taking(options: type[Any]) -> Callable[[Function], Function]:
    """Show the options of a dataclass in the signature and the help of a function that takes them as `**options`."""

    def shown(function: Function) -> Function:
        own = signature(function)
        *first, options_of_method = own.parameters.values()
        also = [Parameter(each.name, Parameter.KEYWORD_ONLY, default=each.default) for each in fields(options)]
        setattr(function, "__signature__", own.replace(parameters=[*first, *also, options_of_method]))  # noqa: B010
        said = "".join(f"        {each.name}: {each.metadata['help']}\n" for each in fields(options))
        function.__doc__ = (function.__doc__ or "").replace("        options:", f"{said}        options:")
        return function

    return shown
