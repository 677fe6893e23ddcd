"""What is let in, what is not, and that whoever is not is told so in a sentence."""

import json

import httpx
import pytest
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from playground.ui.served.doors import DOORS, LARGE, LONGEST_PATH, SENTENCES, TINY, Doors
from tests.ui.served.apart import apart

OPEN = [
    ("GET", "/"), ("HEAD", "/"), ("GET", "/config"), ("GET", "/page/player/player.js"), ("GET", "/assets/index.js"),
    ("POST", "/gradio_api/queue/join"), ("GET", "/gradio_api/queue/data?session_hash=a"),
    ("GET", "/gradio_api/heartbeat/abc"), ("POST", "/gradio_api/upload?upload_id=1"), ("POST", "/gradio_api/call/run"),
    ("POST", "/gradio_api/component_server/"),
]  # fmt: skip
CLOSED = [
    ("GET", "/monitoring/summary"), ("GET", "/monitoring"), ("GET", "/docs"), ("GET", "/openapi.json"),
    ("GET", "/gradio_api/proxy=http://example.com"), ("GET", "/gradio_api/deep_link"), ("GET", "/gradio_api/runs"),
    ("POST", "/gradio_api/vibe-edit"), ("POST", "/gradio_api/process_recording"), ("POST", "/gradio_api/api/run"),
    ("GET", "/gradio_api/heartbeat/" + "a" * 65), ("GET", "/gradio_api/dev/reload"), ("GET", "//etc/passwd"),
]  # fmt: skip


async def everything(scope: Scope, receive: Receive, send: Send) -> None:
    """An app that reads what it gets, and answers with its length, or with the status that the query names."""
    length, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        length, more = length + len(message.get("body", b"")), message.get("more_body", False)
    if scope["query_string"] == b"bug":
        raise RuntimeError("a secret of the server")
    status = int(scope["query_string"]) if scope["query_string"].isdigit() else 200
    await JSONResponse({"length": length, "detail": "innards"}, status)(scope, receive, send)


def asked(method: str, path: str, **more) -> httpx.Response:
    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(Doors(everything))
        async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
            return await client.request(method, path, **more)

    return apart(ask())


@pytest.mark.parametrize(("method", "path"), OPEN)
def test_what_the_page_asks_is_let_in(method, path):
    assert asked(method, path).status_code == 200


@pytest.mark.parametrize(("method", "path"), CLOSED)
def test_whatever_is_in_no_list_is_not_there(method, path):
    answer = asked(method, path)
    assert (answer.status_code, answer.json()["detail"]) == (404, SENTENCES[404])


@pytest.mark.parametrize(("method", "path"), [("POST", "/config"), ("GET", "/gradio_api/queue/join"), ("PUT", "/")])
def test_what_is_asked_in_another_way_is_refused(method, path):
    assert asked(method, path).status_code == 405


def in_pieces(size: int):
    async def pieces():
        for _ in range(size // 1000):
            yield b"0" * 1000

    return pieces()


@pytest.mark.parametrize("content", [b"0" * (TINY + 1), in_pieces(TINY + 1000)], ids=["its length said", "unsaid"])
def test_what_is_too_long_is_refused_whether_it_says_so_or_not(content):
    answer = asked("POST", "/gradio_api/cancel", content=content)
    assert (answer.status_code, answer.json()["detail"]) == (413, SENTENCES[413])
    assert asked("POST", "/gradio_api/cancel", content=b"0" * TINY).json()["length"] == TINY


def test_a_length_that_is_said_is_enough_to_be_refused():
    """Before anything is read: the app is not even called."""
    answer = asked(
        "POST", "/gradio_api/queue/join", headers={"content-length": str(LARGE + 1)}, content=in_pieces(1000)
    )
    assert answer.status_code == 413


def test_an_address_that_is_too_long_is_refused():
    assert asked("GET", "/?prompt=" + "a" * LONGEST_PATH).status_code == 414


@pytest.mark.parametrize("status", [400, 404, 422, 500, 503])
def test_every_refusal_is_a_sentence_and_tells_nothing_of_the_server(status):
    answer = asked("GET", f"/?{status}")
    assert (answer.status_code, answer.json()["detail"]) == (status, SENTENCES[status])


def test_another_page_of_the_page_is_the_page():
    assert asked("GET", "/?page=other&503&page").json()["detail"] == SENTENCES[503]


def test_a_bug_is_a_sentence_and_stands_in_the_log(caplog):
    answer = asked("GET", "/?bug")
    assert answer.status_code == 500 and answer.json()["detail"] == SENTENCES[500]
    assert "a secret of the server" in caplog.text and "secret" not in answer.text


def test_a_socket_is_closed():
    sent = []

    async def receive():
        return {"type": "websocket.connect"}

    async def send(message):
        sent.append(message["type"])

    apart(Doors(everything)({"type": "websocket", "path": "/"}, receive, send))
    assert sent == ["websocket.close"]


def test_every_sentence_ends_and_every_door_has_a_bound():
    assert all(text.endswith(".") and len(text) < 100 for text in SENTENCES.values())
    assert all(door.most or "POST" not in door.methods for door in DOORS)
    assert json.dumps(SENTENCES).isascii()
