"""The end of a page's stream of answers: an event that is sent at that moment is answered once the page knows of it.

Gradio's server answers on a stream, and ends it when no event of the page is pending. An event that is sent at that
very moment gets a number, and its answer on the next stream. But where the number arrives before the last message of
the old stream, Gradio's client takes that stream for open, opens no other, and waits for ever. So the connection of an
ended stream stays open until the client has closed it, and the number is held back until then.

A page that draws a long run, or that shares its processor, may stand still for seconds before it reads that message. A
client that reads on, or a proxy that does not pass the closing on, would be held up as long at every event: once a
session has not closed a stream in time, its next events wait for a moment only.
"""

import asyncio
import re
from collections import deque
from urllib.parse import parse_qs

from starlette.types import ASGIApp, Message, Receive, Scope, Send

STREAM, JOIN = "/gradio_api/queue/data", "/gradio_api/queue/join"
LAST_MESSAGE = b"close_stream"
PATIENCE_S = 5.0  # for a client to close its stream
SHORT_PATIENCE_S = 0.5  # for one that has not done so before
MOST_SESSIONS = 300  # So many are known not to close, those of the last streams.
TAIL_BYTES = 500  # The end of an event's body names its session.
_SESSION = re.compile(rb'"session_hash"\s*:\s*"([\w-]+)"')


class Streams:
    """Middleware that puts the two answers in order, session by session.

    Args:
        app: what answers.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._ending: dict[str, asyncio.Event] = {}  # by session, set once the client has closed its stream
        self._leave_open: deque[str] = deque(maxlen=MOST_SESSIONS)  # sessions whose clients do not close streams

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        path = scope.get("path", "").rstrip("/")
        if scope["type"] == "http" and path.endswith(STREAM):
            await self._stream(scope, receive, send)
        elif scope["type"] == "http" and path.endswith(JOIN):
            await self._join(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        session = parse_qs(scope["query_string"].decode("latin-1")).get("session_hash", [""])[0]
        closed = asyncio.Event()

        async def forward(message: Message) -> None:
            if LAST_MESSAGE in message.get("body", b""):
                self._ending[session] = closed
            if self._ending.get(session) is closed and not message.get("more_body"):
                await self._wait_for_closing(session, receive)
            await send(message)

        try:
            await self.app(scope, receive, forward)
        finally:
            closed.set()
            if self._ending.get(session) is closed:
                del self._ending[session]

    async def _wait_for_closing(self, session: str, receive: Receive) -> None:
        is_known = session in self._leave_open
        try:
            await asyncio.wait_for(_disconnected(receive), SHORT_PATIENCE_S if is_known else PATIENCE_S)
        except TimeoutError:
            if not is_known:
                self._leave_open.append(session)

    async def _join(self, scope: Scope, receive: Receive, send: Send) -> None:
        tail = b""

        async def read() -> Message:
            nonlocal tail
            message = await receive()
            tail = (tail + message.get("body", b""))[-TAIL_BYTES:]
            return message

        async def answer(message: Message) -> None:
            named = _SESSION.findall(tail)
            closed = self._ending.get(named[-1].decode()) if named else None
            if closed and message["type"] == "http.response.start":
                await closed.wait()
            await send(message)

        await self.app(scope, read, answer)


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
