"""Messages from the page to its server. The field `type` says which message it is.

A message holds what its reader did, in the page's own terms; whether that can be done is checked where it is. The types
of the scripts, assets/page/messages.d.ts, are made from these by `python -m tests.contract`.
"""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field

from playground.trace.events import snake_case

Options = dict[str, Any]  # Names lead to a method's values.
Count = Annotated[int, Meta(ge=0)]


class FromPage(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag=snake_case):
    """A message of the page."""


# -- events of panels --------------------------------------------------------------------------------------------------


class OpenRun(FromPage, frozen=True):
    """A link asks for a recorded run."""

    run: str


class WhatIf(FromPage, frozen=True):
    """A change in the run on the stage, from which a branch is made: a verdict, a token or options."""

    round: int
    node: int | None = None
    token: int | None = None
    outcome: Literal["accepted", "rejected"] | None = None
    options: Options = field(default_factory=dict)


class LinkNoted(FromPage, frozen=True):
    """The player has something to say of a link."""


class Turned(FromPage, frozen=True):
    """Another run is on the stage than the one that is explained."""


class Chosen(FromPage, frozen=True):
    """A method was chosen in the menu."""

    method: str


class OpenRecorded(FromPage, frozen=True):
    """A tab was opened that shows nothing yet."""


class ChoosePrompt(FromPage, frozen=True):
    """A race is to be replayed on another prompt, by its index."""

    prompt: Count


class WatchLane(FromPage, frozen=True):
    """A lane's run is to be opened in Watch."""

    label: str
    prompt: Count


class ExplainRow(FromPage, frozen=True):
    """An entry of a race is to be explained: why it was not faster."""

    label: str


class WatchPoint(FromPage, frozen=True):
    """A run of a sweep is to be opened in Watch."""

    run: int


class Edited(FromPage, frozen=True):
    """The history is another one than the lists were made for."""


# -- calls of a panel's functions --------------------------------------------------------------------------------------


class Took(FromPage, frozen=True):
    """Seconds that the page needed to draw a message of a run."""

    run: str
    seconds: Annotated[float, Meta(ge=0)]


class ShopItems(FromPage, frozen=True):
    """The names of all items are to be offered."""
