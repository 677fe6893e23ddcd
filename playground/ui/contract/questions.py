"""Questions of the Lab's sections: each is the call of a function, and its fields are the function's parameters.

Whether numbers are in their range is checked in the function.
"""

from collections.abc import Callable
from functools import cache
from inspect import Parameter, getdoc, signature
from typing import Any, get_type_hints

from msgspec import defstruct

from playground.ui.contract.from_page import FromPage


class Question(FromPage, frozen=True):
    """A question of a section."""


@cache  # Sections that share a function share its message.
def question(name: str, answer: Callable[..., dict[str, object]]) -> type[Question]:
    """Return the message of this name that asks for a call of the function."""
    kinds, parameters = get_type_hints(answer, include_extras=True), signature(answer).parameters
    kind: Any = defstruct(
        name,
        [
            (each, kinds[each]) if parameter.default is Parameter.empty else (each, kinds[each], parameter.default)
            for each, parameter in parameters.items()
        ],
        bases=(Question,),
        tag=name,
        frozen=True,
        kw_only=True,
    )
    kind.__doc__ = getdoc(answer)
    return kind
