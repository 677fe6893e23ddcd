"""Values that the server gives to the page's panels: dictionaries, as Gradio carries them, with typed fields.

The types of the scripts, assets/page/messages.d.ts, are made from these by `python -m tests.contract`.
"""

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from msgspec import Meta


class Line(TypedDict):
    """A line for messages, with a bar below it while there is a `total`."""

    text: Annotated[str, Meta(description="in English")]
    said: Annotated[list[Any], Meta(description="its sentences, keyed where they are words of the server")]
    kind: Literal["quiet", "error"]
    instead_of: NotRequired[Annotated[str, Meta(description="said only where the key that stands there begins so")]]
    dropped: NotRequired[Annotated[list[Any], Meta(description="words of a link that the server left out")]]
    done: NotRequired[int]
    total: NotRequired[int]


class LinkParts(TypedDict, total=False):
    """Parts of a link to a run: `run` names one that the page has, `setup` has settings to repeat one."""

    run: str
    setup: str


class PlayerValue(TypedDict):
    """A run in the player, as far as it has come."""

    run: Annotated[str, Meta(description="an id of its own")]
    format: str
    version: int
    live: bool
    link: LinkParts | None
    first: Annotated[int, Meta(description="how many chunks came before these")]
    chunks: Annotated[list[str], Meta(description="JSON arrays of events")]
    figures: str | None
    estimate: Annotated[Any, Meta(description="of the energy that the run would take, once it has ended")]
    plain: Annotated[list[float] | None, Meta(description="seconds at which plain decoding had each token")]
    again: Annotated[list[float] | None, Meta(description="seconds at the end of each round, in its fastest run")]
    tried: Annotated[list[tuple[int, float]] | None, Meta(description="draft length, ratio to plain decoding")]
    error: Annotated[list[Any] | None, Meta(description="sentences on what ended it early")]
    ended: bool
    made_here: NotRequired[bool]
    branch_of: NotRequired[Annotated[str, Meta(description="id of the run that it branches from")]]
