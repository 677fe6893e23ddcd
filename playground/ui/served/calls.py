"""Checks of what a program posts to an endpoint, before it is queued: its name and its values.

Gradio answers too few values, or an unknown name, with nothing that a program could read.
"""

import json
import re
from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from playground.errors import PlaygroundError, did_you_mean

DEEPEST = 16  # lists or objects within each other; a distribution is one deep
_CALL = re.compile(r".*/gradio_api/call/(?P<named>v2/)?(?P<name>\w{1,64})(?P<event>/\w{1,64})?/?")


class RefusedCallError(PlaygroundError):
    """A program's request cannot be answered."""

    def __init__(self, message: str, status: int = 422) -> None:
        super().__init__(message)
        self.status = status  # The response has it.


class Calls:
    """Hands on the calls that can be answered, with every value that was left out at its default.

    Args:
        app: what answers them.
        endpoints: by the name that programs know.
    """

    def __init__(self, app: ASGIApp, endpoints: Mapping[str, Callable[..., Any]]) -> None:
        self.app = app
        self.signatures = {name: signature(each) for name, each in endpoints.items()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request.

        Raises:
            RefusedCallError: if it names no endpoint, or does not have its values.
        """
        call = _CALL.fullmatch(scope["path"]) if scope["type"] == "http" else None
        if call and call["name"] not in self.signatures:
            known = did_you_mean(call["name"], self.signatures)
            raise RefusedCallError(f"Unknown endpoint {call['name']!r}. {known}", 404)
        if call and not call["event"] and scope["method"] == "POST":
            body = await _body(receive)
            if body is None:  # the client is gone, or was refused
                return
            checked = self.checked(call["name"], body, is_named=bool(call["named"]))
            scope, receive = _with_length(scope, len(checked)), _replayed(checked, receive)
        await self.app(scope, receive, send)

    def checked(self, name: str, body: bytes, *, is_named: bool) -> bytes:
        """Return the body with every value of an endpoint.

        Args:
            name: of the endpoint.
            body: JSON, {"data": [values in order]}, or where they are named {name: value}.

        Raises:
            RefusedCallError: if it is none, or a value is missing, unknown or nested too deeply.
        """
        names = list(self.signatures[name].parameters)
        form = "{" + ", ".join(f'"{each}": ...' for each in names) + "}" if is_named else '{"data": [...]}'
        try:
            posted = json.loads(body)
        except (RecursionError, ValueError):
            raise RefusedCallError(f"The request is not JSON that can be read. Post {form} to {name!r}.") from None
        if not isinstance(posted, dict) or not (is_named or isinstance(posted.get("data"), list)):
            raise RefusedCallError(f"The request has no values. Post {form} to {name!r}.")
        if _is_deep(posted):
            raise RefusedCallError(f"The values of {name!r} are nested more than {DEEPEST} deep. See /gradio_api/info.")
        try:
            bind = self.signatures[name].bind
            bound = bind(**posted) if is_named else bind(*posted["data"])
        except TypeError as error:
            takes = ", ".join(names) or "no value"
            raise RefusedCallError(f"{name!r} takes {takes}, and the values do not fit: {error!s:.200}.") from None
        bound.apply_defaults()
        values = bound.arguments
        return json.dumps(values if is_named else posted | {"data": list(values.values())}).encode()


def _is_deep(value: Any) -> bool:
    """Return whether lists or objects are within each other more often than any endpoint asks for."""
    level = [value]
    for _ in range(DEEPEST + 1):
        inner = [each.values() if isinstance(each, dict) else each for each in level if isinstance(each, dict | list)]
        level = [each for within in inner for each in within]
        if not level:
            return False
    return True


async def _body(receive: Receive) -> bytes | None:
    """Return the whole body, whose length was bounded before; None where it does not come."""
    parts: list[bytes] = []
    while (message := await receive())["type"] == "http.request":
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(parts)
    return None


def _with_length(scope: Scope, length: int) -> Scope:
    headers = [(name, value) for name, value in scope["headers"] if name != b"content-length"]
    return {**scope, "headers": [*headers, (b"content-length", b"%d" % length)]}


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Give the body once, then whatever else comes."""
    left = [body]

    async def replay() -> Message:
        return {"type": "http.request", "body": left.pop(), "more_body": False} if left else await receive()

    return replay
