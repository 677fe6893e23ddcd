"""Texts to type, or to put into a trace file, that would make the page do something else than show it."""

import json
from collections.abc import Callable
from typing import Any

from playground.trace import to_json
from playground.trace.events import Committed, Trace
from tests.trace.example import replace, speculative_trace

MARKUP = [
    "<img src=x onerror=alert(1)>",
    "${alert(1)}",
    "{{7*7}}",
    "</script><script>alert(1)</script>",
    "`-${alert(1)}-`",
]
CONTROLS = "a\x00b\x07c\x1b[31md\u202ee\u2028f"
EMOJI = "👩\u200d🚀 café 😀"
SURROGATE = "half \ud83d a pair"
ALL = " ".join([*MARKUP, CONTROLS, EMOJI])
HOSTILE = [  # each by itself, where the tests are one per text
    "<img src=x onerror=alert(1)>",
    "${alert(1)}",
    "{{constructor.constructor('alert(1)')()}}",
    "\ud800",
    "</script><script>alert(1)</script>",
]

FORBIDDEN = [  # in a script that only ever writes texts
    "innerHTML",
    "outerHTML",
    "insertAdjacentHTML",
    "document.write",
    "eval(",
    "new Function",
    "DOMParser",
    "createContextualFragment",
    "srcdoc",
    "setHTML",
    "import(",
    "://",
]


def hostile_trace(**start: Any) -> Trace:
    """A sound run in which every text is hostile; `start` changes fields of its first event."""
    first, *events = (_poisoned(event) for event in speculative_trace().events)
    text = "".join(event.text for event in events if isinstance(event, Committed))
    return Trace((replace(first, **start), *events[:-1], replace(events[-1], text=text)))


def hostile_file(**start: Any) -> bytes:
    return to_json(hostile_trace(**start)).encode()


def edited_file(edit: Callable[[list[dict[str, Any]]], None]) -> bytes:
    """A sound file after an edit of its events by hand."""
    data = json.loads(to_json(speculative_trace()))
    edit(data["events"])
    return json.dumps(data).encode()


def _poisoned(event: Any) -> Any:
    """The event with every free text replaced; words the format prescribes stay."""
    changes = {}
    for name in event.__struct_fields__:
        value = getattr(event, name)
        if name == "pieces":
            changes[name] = {token: MARKUP[int(token) % len(MARKUP)] for token in value}
        elif name == "reasons":
            changes[name] = [ALL for _ in value]
        elif name in {"prompt", "text"}:
            changes[name] = ALL
        elif name in {"title", "reproduces"}:
            changes[name] = MARKUP[0]
        elif name == "machine":
            changes[name] = {"processor": ALL, MARKUP[0]: ALL}
        elif name == "versions":
            changes[name] = {MARKUP[0]: MARKUP[3]}
        elif name in {"target", "draft"}:
            changes[name] = {**value, "name": ALL} if value else value
    return replace(event, **changes)
