"""The card that a shared link shows in a chat or a post: title, sentence and the picture of a tree.

Gradio writes cards of its own into the page's head, before anything that a page can add there. They are taken out of
the answer, and this page's stand in their place, with the address that the reader's request came by.
"""

import re
from collections.abc import Mapping
from urllib.parse import parse_qsl

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from playground.decoding.method import methods
from playground.views.link_card import DESCRIPTION, TITLE, card_tags

TABS = {each.lower(): each for each in ("Compare", "Sweep", "Lab", "Recommend", "Learn")}
_FOREIGN = re.compile(rb"<meta\s+(?:property|name)=\"(?:og|twitter):[^>]*>\s*")
_HEAD = re.compile(rb"<head[^<>]*>")


class LinkCard:
    """Middleware that gives the page's HTML its own card, and its first script.

    Args:
        app: what answers.
        picture: the address of the picture, relative to the page's.
        script: runs before everything else of the page.
    """

    def __init__(self, app: ASGIApp, picture: str, script: str = "") -> None:
        self.app, self.picture, self.script = app, picture, script.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; any but that for the page itself as it is."""
        path = scope.get("path", "").removeprefix(scope.get("root_path", ""))
        if scope["type"] != "http" or scope["method"] != "GET" or path not in ("", "/"):
            await self.app(scope, receive, send)
            return
        start: Message | None = None
        parts: list[bytes] = []

        async def held(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                start = message
                return
            parts.append(message.get("body", b""))
            if message.get("more_body") or start is None:
                return
            body = self._with_card(scope, start, b"".join(parts))
            headers = [(name, value) for name, value in start["headers"] if name.lower() != b"content-length"]
            await send({**start, "headers": [*headers, (b"content-length", b"%d" % len(body))]})
            await send({"type": "http.response.body", "body": body})

        await self.app(scope, receive, held)

    def _with_card(self, scope: Scope, start: Message, body: bytes) -> bytes:
        headers = Headers(raw=start["headers"])
        if not headers.get("content-type", "").startswith("text/html") or "content-encoding" in headers:
            return body
        query = dict(parse_qsl(scope["query_string"].decode("latin-1")))
        card = card_tags(title_for(query), DESCRIPTION, base_of(scope) + self.picture).encode()
        return _HEAD.sub(lambda head: head[0] + b"\n" + card + self.script, _FOREIGN.sub(b"", body), count=1)


def title_for(query: Mapping[str, str]) -> str:
    """Return the page's title with the tab or known method that a link leads to; nothing else of a link is shown."""
    if tab := TABS.get(query.get("tab", "")):
        return f"{tab} · {TITLE}"
    method = methods().get(query.get("method", ""))
    return f"{method.title} · {TITLE}" if method else TITLE


def base_of(scope: Scope) -> str:
    """Return the whole address of the page, as the reader's browser or a proxy in front of this server has it."""
    headers = Headers(raw=scope["headers"])
    protocol = headers.get("x-forwarded-proto", scope.get("scheme", "http")).split(",")[0].strip()
    host = headers.get("x-forwarded-host", headers.get("host", "localhost")).split(",")[0].strip()
    return f"{protocol}://{host}{scope.get('root_path', '').rstrip('/')}/"
