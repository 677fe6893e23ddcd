"""Every request that the page or a program may make, and how long it may be; anything else is refused in a sentence.

Gradio brings more endpoints than this page uses, such as a summary of all that was run. What is not in the list below
does not exist for a visitor. A length is checked before anything is read, and as it is read where it was not said.
"""

from __future__ import annotations

import errno
import json
import logging
import re
from typing import NamedTuple

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from playground.ui.served.calls import RefusedCallError

TINY, SMALL, LARGE = 10_000, 1_000_000, 30_000_000  # bytes; the largest is a run of 900 tokens with all its workings


class Door(NamedTuple):
    """A kind of request.

    Attributes:
        path: a pattern of its whole path, behind whatever prefix a proxy adds.
        methods: that it may have.
        most: bytes of its body.
    """

    path: str
    methods: str = "GET HEAD"
    most: int = 0


DOORS = (
    # the page, and what it is made of
    Door(r"/"),
    Door(r"/config"),
    Door(r"/(theme\.css|favicon\.ico|manifest\.json|robots\.txt|pwa_icon(/\d+)?)"),
    Door(r"/(assets|static|svelte|page)/.+"),
    Door(r"/gradio_api/(theme\.css|startup-events|app_id)"),
    Door(r"/gradio_api/custom_component/.+"),
    Door(r"/gradio_api/file=.+"),  # what somebody saved or opened; Gradio gives no other file
    # events, and what comes of them
    Door(r"/gradio_api/queue/join", "POST", LARGE),
    Door(r"/gradio_api/run/predict", "POST", LARGE),  # of the page's events that do not wait; Gradio refuses the others
    Door(r"/gradio_api/queue/data"),
    Door(r"/gradio_api/heartbeat/[\w-]{1,64}"),
    Door(r"/gradio_api/(cancel|reset)", "POST", TINY),
    Door(r"/gradio_api/component_server/?", "POST", LARGE),
    Door(r"/gradio_api/upload", "POST", LARGE),
    Door(r"/gradio_api/upload_progress"),
    # programs, by the names of what they can call
    Door(r"/gradio_api/(info|openapi\.json)"),
    Door(r"/gradio_api/call/(v2/)?\w{1,64}", "POST", SMALL),
    Door(r"/gradio_api/call/(v2/)?\w{1,64}/\w{1,64}"),
    Door(r"/gradio_api/mcp(/.*)?", "GET POST DELETE", SMALL),
)

LONGEST_PATH = 4_000  # characters, the query among them: twice the longest link that the page makes
SENTENCES = {
    400: "The request came damaged. Reload the page.",
    403: "This file is not for visitors.",
    404: "There is nothing here. Open the page itself.",
    405: "This cannot be asked in this way. Open the page itself.",
    413: "This is too long. A run or a file of up to 10 MB can be sent.",
    414: "The address is too long. Shorten the prompt in the link.",
    422: "The request came damaged. Reload the page.",
    500: "The server could not answer. Its log says more.",
    503: "More people are waiting than can be served. Try again in a minute.",
    507: "The server's disk is full, so nothing can be kept. Tell whoever runs it, and try again later.",
}
FULL = (errno.ENOSPC, errno.EDQUOT)

_log = logging.getLogger(__name__)
_doors = [(re.compile(door.path), frozenset(door.methods.split()), door.most) for door in DOORS]


class Doors:
    """Lets in what a door is for, and says every refusal in a sentence.

    Args:
        app: what is behind the doors.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await (self.app(scope, receive, send) if scope["type"] == "lifespan" else _close(receive, send))
            return
        scope = _of_one_page(_with_its_prefix(scope))
        status, most = _at_the_door(scope)
        if status == 200 and _said_length(scope) > most:
            status = 413
        if status != 200:
            await _refuse(send, status)
            return
        await _Visit(self.app, scope, receive, send, most).serve()


class _Visit:
    """One request that was let in."""

    def __init__(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send, most: int) -> None:
        self.app, self.scope, self.most = app, scope, most
        self._receive, self._send = receive, send
        self.read = 0
        self.has_begun = self.was_refused = False

    async def serve(self) -> None:
        """Hand it on."""
        try:
            await self.app(self.scope, self.receive, self.send)
        except RefusedCallError as error:
            await self.refuse(error.status, str(error))
        except Exception as error:
            _log.exception("A request failed: %s %s", self.scope["method"], self.scope["path"])
            await self.refuse(507 if isinstance(error, OSError) and error.errno in FULL else 500)

    async def receive(self) -> Message:
        """The next part of the body, unless it is too long by then: then it has ended."""
        message = await self._receive()
        self.read += len(message.get("body", b""))
        if self.read > self.most:
            await self.refuse(413)
            return {"type": "http.disconnect"}
        return message

    async def send(self, message: Message) -> None:
        """What the app answers; of a refusal, the sentence for it in its place."""
        if self.was_refused:
            return
        if message["type"] == "http.response.start" and message["status"] in SENTENCES:
            await self.refuse(message["status"])
            return
        self.has_begun = True
        await self._send(message)

    async def refuse(self, status: int, sentence: str = "") -> None:
        """Answer with a sentence, once."""
        if not self.has_begun and not self.was_refused:
            self.was_refused = True
            await _refuse(self._send, status, sentence)


def _with_its_prefix(scope: Scope) -> Scope:
    """The request with its whole path: a proxy has taken the prefix away, and what serves files counts on it."""
    root = scope.get("root_path", "")
    return scope if scope["path"].startswith(f"{root}/") else {**scope, "path": root + scope["path"]}


def _of_one_page(scope: Scope) -> Scope:
    """The request without `page`, by which Gradio would look for another page of this one, and fail."""
    words = scope["query_string"].split(b"&")
    kept = [word for word in words if word != b"page" and not word.startswith(b"page=")]
    return scope if kept == words else {**scope, "query_string": b"&".join(kept)}


def _at_the_door(scope: Scope) -> tuple[int, int]:
    """(status, bytes of the body) of a request before any of it is read."""
    path = scope["path"].removeprefix(scope.get("root_path", "")) or "/"
    if len(path) + len(scope["query_string"]) > LONGEST_PATH:
        return 414, 0
    path = path.rstrip("/") or "/"  # the page asks either way
    fitting = [(methods, most) for pattern, methods, most in _doors if pattern.fullmatch(path)]
    if not fitting:
        return 404, 0
    for methods, most in fitting:
        if scope["method"] in methods:
            return 200, most
    return 405, 0


def _said_length(scope: Scope) -> int:
    said = dict(scope["headers"]).get(b"content-length", b"0")
    return int(said) if said.isdigit() and len(said) < 20 else 0


async def _refuse(send: Send, status: int, sentence: str = "") -> None:
    told = sentence or SENTENCES[status]
    body = json.dumps({"detail": told, "error": told}).encode()  # the page reads the one or the other
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _close(receive: Receive, send: Send) -> None:
    """A socket that nobody here opens."""
    await receive()
    await send({"type": "websocket.close", "code": 1008})
