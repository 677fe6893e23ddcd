"""Every request that the page or a program may make, and how long it may be; anything else is refused in a sentence.

Gradio brings more endpoints than this page uses, such as a summary of all that was run. What is not in the list below
does not exist for a client. A length is checked before anything is read, and as it is read where it was not said.
Who asks under a name that is not the server's, or sends something from another site's page, is refused too.
"""

import errno
import logging
import re
from traceback import walk_tb
from typing import NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from playground.ui.served.calls import RefusedCallError
from playground.ui.served.names import Names
from playground.ui.served.taken_along import make_room

TINY, SMALL, LARGE = 10_000, 1_000_000, 30_000_000  # bytes; the largest is a run of 900 tokens with all its workings
MOST_UPLOADING = 300_000_000  # bytes that are on their way to the disk, of all uploads together


class RequestKind(NamedTuple):
    """A kind of request."""

    path: str  # a pattern of its whole path, behind whatever prefix a proxy adds
    methods: str = "GET HEAD"  # It may have these.
    most: int = 0  # bytes of its body
    is_upload: bool = False  # whether the body is written to the disk. Only a page of this server may send it


REQUEST_KINDS = (
    # the page, and what it is made of
    RequestKind(r"/"),
    RequestKind(r"/config"),
    RequestKind(r"/(theme\.css|favicon\.ico|manifest\.json|robots\.txt|pwa_icon(/\d+)?)"),
    RequestKind(r"/(assets|static|svelte|page)/.+"),
    RequestKind(r"/gradio_api/(theme\.css|startup-events|app_id)"),
    RequestKind(r"/gradio_api/custom_component/.+"),
    RequestKind(r"/gradio_api/file=.+"),  # a client's saved or opened files; Gradio serves no others
    # events, and what comes of them
    RequestKind(r"/gradio_api/queue/join", "POST", LARGE),
    RequestKind(
        r"/gradio_api/run/predict", "POST", LARGE
    ),  # These events of the page do not wait; Gradio refuses the others.
    RequestKind(r"/gradio_api/queue/data"),
    RequestKind(r"/gradio_api/heartbeat/[\w-]{1,64}"),
    RequestKind(r"/gradio_api/(cancel|reset)", "POST", TINY),
    RequestKind(r"/gradio_api/component_server/?", "POST", LARGE),
    RequestKind(r"/gradio_api/upload", "POST", LARGE, is_upload=True),
    RequestKind(r"/gradio_api/upload_progress"),
    # programs, by the names of what they can call
    RequestKind(r"/gradio_api/(info|openapi\.json)"),
    RequestKind(r"/gradio_api/call/(v2/)?\w{1,64}", "POST", SMALL),
    RequestKind(r"/gradio_api/call/(v2/)?\w{1,64}/\w{1,64}"),
    RequestKind(r"/gradio_api/mcp(/.*)?", "GET POST DELETE", SMALL),
)

LONGEST_PATH = 4_000  # characters, the query among them: twice the longest link that the page makes
SENTENCES = {
    400: "The request could not be read. Reload the page.",
    403: "This file is not served.",
    404: "There is nothing here. Open the page itself.",
    405: "This cannot be asked in this way. Open the page itself.",
    413: "This is too long. A run or a file of up to 10 MB can be sent.",
    414: "The address is too long. Shorten the prompt in the link.",
    421: "This server is not called so. Open it at localhost, or start it with --name and this name.",
    422: "The request could not be read. Reload the page.",
    500: "The server could not answer. Its log says more.",
    503: "More people are waiting than can be served. Try again in a minute.",
    507: "The server's disk is full, so nothing can be saved. Tell its operator, and try again later.",
}
NOT_SNIFFED = (b"x-content-type-options", b"nosniff")
# On a page for this machine alone nothing comes from another host, and no other site's page has it in a frame.
OWN_ALONE = "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; frame-ancestors 'self'"
FULL = (errno.ENOSPC, errno.EDQUOT)
FOREIGN = "Only a page of this server can send this. Open the page itself."

_HERE = __name__.rpartition(".")[0]
_log = logging.getLogger(__name__)
_kinds = [(re.compile(kind.path), frozenset(kind.methods.split()), kind) for kind in REQUEST_KINDS]


class RequestLimits:
    """Middleware that passes on the requests of the list above, and answers all others with a sentence.

    Args:
        app: what answers them.
        names: of the server.
    """

    def __init__(self, app: ASGIApp, names: Names) -> None:
        self.app, self.names = app, names
        self.uploading = 0  # bytes of all uploads that have not ended
        policy = [(b"content-security-policy", OWN_ALONE.encode())] if names.are_own_alone else []
        self.headers = [NOT_SNIFFED, *policy]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await (self.app(scope, receive, send) if scope["type"] == "lifespan" else _close(receive, send))
            return
        scope, send = _of_one_page(_with_its_prefix(scope)), self._with_headers(send)
        kind = _kind_of(scope)
        if refusal := self._refusal(scope, kind):
            await _answer(*refusal)(scope, receive, send)
            return
        assert isinstance(kind, RequestKind), kind
        if scope["method"] == "HEAD" and _path_in(scope) == "/":
            # Gradio asks so at its start, for 3 s at most, which a busy small machine may need
            await HTMLResponse()(scope, receive, send)
            return
        if kind.is_upload:
            await run_in_threadpool(make_room)
        await _LimitedRequest(self, scope, receive, send, kind).serve()

    def _with_headers(self, send: Send) -> Send:
        """Return what sends every answer with the headers of this server."""

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *self.headers]}
            await send(message)

        return sent

    def _refusal(self, scope: Scope, kind: RequestKind | int) -> tuple[int, str] | None:
        """(status, sentence) of a request that is not let in, before any of it is read."""
        headers = Headers(scope=scope)
        if not self.names.answers_to(headers.get("host", "")):
            return 421, SENTENCES[421]
        if isinstance(kind, int):
            return kind, SENTENCES[kind]
        if self._is_foreign(scope["method"], headers, kind):
            return 403, FOREIGN
        return (413, SENTENCES[413]) if _said_length(headers) > kind.most else None

    def _is_foreign(self, method: str, headers: Headers, kind: RequestKind) -> bool:
        """Return whether another site's page may be what sends something; a program says nothing of an origin."""
        origin = headers.get("origin")
        if method in ("GET", "HEAD") or not (kind.is_upload or self.names.is_local):
            return False
        if origin is None:
            return kind.is_upload
        return not self.names.is_own(origin, headers.get("host", ""))


def is_malformed(error: Exception, method: str) -> bool:
    """Return whether a post broke Gradio's own reading of it, before any code outside of this folder was called.

    Gradio looks up what a post names, a file or a component, without checking that it is there.
    """
    if method != "POST" or isinstance(error, OSError):
        return False
    modules = [frame.f_globals.get("__name__", "") for frame, _ in walk_tb(error.__traceback__)]
    return not any(name.startswith("playground.") and not name.startswith(_HERE) for name in modules)


class _LimitedRequest:
    """One request that was let in."""

    def __init__(self, limits: RequestLimits, scope: Scope, receive: Receive, send: Send, kind: RequestKind) -> None:
        self.limits, self.scope, self.kind = limits, scope, kind
        self._receive, self._send = receive, send
        self.read = 0
        self.has_begun = self.was_refused = False

    async def serve(self) -> None:
        """Hand it on."""
        try:
            await self.limits.app(self.scope, self.receive, self.send)
        except RefusedCallError as error:
            await self.refuse(error.status, str(error))
        except Exception as error:
            if is_malformed(error, self.scope["method"]):
                _log.warning("A request is malformed: %s %s (%r)", self.scope["method"], self.scope["path"], error)
                await self.refuse(422)
                return
            _log.exception("A request failed: %s %s", self.scope["method"], self.scope["path"])
            await self.refuse(507 if isinstance(error, OSError) and error.errno in FULL else 500)
        finally:
            if self.kind.is_upload:
                self.limits.uploading -= self.read

    async def receive(self) -> Message:
        """Return the next part of the body, unless it is too long by then: then it has ended."""
        message = await self._receive()
        size = len(message.get("body", b""))
        self.read += size
        if self.kind.is_upload:
            self.limits.uploading += size
        if self.read > self.kind.most:
            await self.refuse(413)
        elif self.kind.is_upload and self.limits.uploading > MOST_UPLOADING:
            await self.refuse(503)
        return {"type": "http.disconnect"} if self.was_refused else message

    async def send(self, message: Message) -> None:
        """Send the app's answer; of a refusal, the sentence for it."""
        if self.was_refused:
            return
        if message["type"] == "http.response.start" and message["status"] in SENTENCES:
            await self.refuse(message["status"])
            return
        self.has_begun = True
        await self._send(message)

    async def refuse(self, status: int, sentence: str = "") -> None:
        """Send the refusal as one sentence, once."""
        if not self.has_begun and not self.was_refused:
            self.was_refused = True
            await _answer(status, sentence)(self.scope, self._receive, self._send)


def _with_its_prefix(scope: Scope) -> Scope:
    """Return the request with its whole path: a proxy takes the prefix away, and serving files needs it."""
    root = scope.get("root_path", "")
    return scope if scope["path"].startswith(f"{root}/") else {**scope, "path": root + scope["path"]}


def _of_one_page(scope: Scope) -> Scope:
    """Return the request without `page`: with it, Gradio would look for another page of this one, and fail."""
    words = scope["query_string"].split(b"&")
    other_words = [word for word in words if word != b"page" and not word.startswith(b"page=")]
    return scope if other_words == words else {**scope, "query_string": b"&".join(other_words)}


def _kind_of(scope: Scope) -> RequestKind | int:
    """Return the kind of a request, or the status that refuses it."""
    path = _path_in(scope)
    if len(path) + len(scope["query_string"]) > LONGEST_PATH:
        return 414
    fitting = [(methods, kind) for pattern, methods, kind in _kinds if pattern.fullmatch(path)]
    return next((kind for methods, kind in fitting if scope["method"] in methods), 405 if fitting else 404)


def _path_in(scope: Scope) -> str:
    """Return the path behind the prefix; with or without a slash at its end it is the same."""
    return scope["path"].removeprefix(scope.get("root_path", "")).rstrip("/") or "/"


def _said_length(headers: Headers) -> int:
    said = headers.get("content-length", "0")
    return int(said) if said.isdecimal() and len(said) < 20 else 0


def _answer(status: int, sentence: str = "") -> JSONResponse:
    """Return the sentence under both names that the scripts of Gradio and of this page read."""
    text = sentence or SENTENCES[status]
    return JSONResponse({"detail": text, "error": text}, status)


async def _close(receive: Receive, send: Send) -> None:
    """Close a socket: nothing here opens one."""
    await receive()
    await send({"type": "websocket.close", "code": 1008})
