"""Reading of what the page sends: a message of its type, or one sentence on why it is none."""

from typing import Any, TypeVar

from msgspec import Struct, ValidationError, convert

from playground.errors import PlaygroundError
from playground.trace.faults import event_fault, shown
from playground.words import paragraph, word

M = TypeVar("M", bound=Struct)
MESSAGE, RELOAD = word("fault_the_message"), word("fault_reload")


def tag_of(kind: type[Struct]) -> str:
    """Return the name of a message, as the page sends it."""
    return str(kind.__struct_config__.tag)


def receive(data: Any, *kinds: type[M]) -> M:
    """Return the message of this type, or of one of these types.

    Raises:
        PlaygroundError: if a program, or a page of another version, sent something else.
    """
    known = {tag_of(each): each for each in kinds}
    name = data.get("type") if isinstance(data, dict) else None
    if not isinstance(name, str) or name not in known:
        raise PlaygroundError(paragraph(word("fault_unknown_kind", event=MESSAGE, kind=shown(name)), RELOAD))
    try:
        return convert(data, known[name])
    except (ValidationError, UnicodeEncodeError) as error:
        raise PlaygroundError(paragraph(event_fault(data, known[name], error, MESSAGE), RELOAD)) from None
