"""The number of an event comes after the end of the stream that its answer is not on."""

import asyncio

import pytest

from playground.ui.served import streams
from playground.ui.served.streams import JOIN, STREAM, Streams
from tests.ui.served.apart import apart

LAST = b'data: {"event_id":null,"msg":"close_stream"}\n\n'


class Server:
    """Gradio's two answers, and a client; `sent` is what the client got, in order."""

    def __init__(self, last: bytes = LAST):
        self.app = Streams(self.answer)
        self.last, self.sent, self.closed = last, [], asyncio.Event()

    async def answer(self, scope, receive, send):
        if scope["path"].endswith(JOIN):
            await receive()
        body = self.last if scope["path"].endswith(STREAM) else b"number"
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": body, "more_body": True})
        await send({"type": "http.response.body"})

    async def send(self, message):
        if body := message.get("body"):
            self.sent.append("number" if body == b"number" else "last")

    async def stream(self, session="a"):
        async def receive():
            await self.closed.wait()
            self.sent.append("closed")
            return {"type": "http.disconnect"}

        await self.app(scope(f"/page{STREAM}", f"session_hash={session}"), receive, self.send)

    async def join(self, session="a"):
        body = b'{"data":["session_hash"],"fn_index":3,"session_hash":"%s"}' % session.encode()

        async def receive():
            return {"type": "http.request", "body": body}

        await self.app(scope(f"/page{JOIN}", ""), receive, self.send)


def scope(path, query):
    return {"type": "http", "path": path, "query_string": query.encode()}


async def have_had_their_turns() -> None:
    """Everything that can go on has gone on until it waits."""
    for _ in range(50):
        await asyncio.sleep(0)


async def both(server: Server, *, session="a", close=True) -> list[str]:
    ending = asyncio.create_task(server.stream())
    await have_had_their_turns()
    joining = asyncio.create_task(server.join(session))
    await have_had_their_turns()
    if close:
        server.closed.set()
    await asyncio.gather(ending, joining)
    return server.sent


def test_the_number_is_held_back_until_the_client_has_closed_the_stream_that_ended():
    assert apart(both(Server())) == ["last", "closed", "number"]


def test_the_number_of_another_page_is_not():
    assert apart(both(Server(), session="b")) == ["last", "number", "closed"]


def test_nor_is_one_while_the_stream_goes_on():
    assert apart(both(Server(last=b'data: {"msg":"process_completed"}\n\n'))) == ["last", "number"]


@pytest.mark.parametrize("session", ["a", ""])
def test_a_client_that_does_not_close_its_stream_is_waited_for_once_and_then_for_a_moment(monkeypatch, session):
    server = Server()

    async def ask_twice() -> None:
        for long, short in ((0.02, 60.0), (60.0, 0.02)):
            monkeypatch.setattr(streams, "PATIENCE_S", long)
            monkeypatch.setattr(streams, "SHORT_PATIENCE_S", short)
            await both(server, session=session, close=False)

    apart(ask_twice())
    assert server.sent == ["last", "number"] * 2 and not server.app._ending
