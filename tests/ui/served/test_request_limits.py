"""Requests that are let in, those that are not, and the sentence that these get."""

import json

import httpx
import pytest
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from playground.ui.served import request_limits
from playground.ui.served.names import Names
from playground.ui.served.request_limits import (
    FOREIGN,
    LARGE,
    LONGEST_PATH,
    REQUEST_KINDS,
    SENTENCES,
    TINY,
    RequestLimits,
    is_malformed,
)
from tests.ui.served.apart import apart

OPEN = [
    ("GET", "/"), ("HEAD", "/"), ("GET", "/config"), ("GET", "/page/player/player.js"), ("GET", "/assets/index.js"),
    ("POST", "/gradio_api/queue/join"), ("GET", "/gradio_api/queue/data?session_hash=a"),
    ("GET", "/gradio_api/heartbeat/abc"), ("POST", "/gradio_api/call/run"), ("POST", "/gradio_api/component_server/"),
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


PUBLIC, LOCAL = Names("0.0.0.0"), Names("127.0.0.1", ["seen.example"])
UPLOAD = "/gradio_api/upload?upload_id=1"


def asked(method: str, path: str, names: Names = PUBLIC, host: str = "here", **more) -> httpx.Response:
    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(RequestLimits(everything, names))
        async with httpx.AsyncClient(transport=transport, base_url=f"http://{host}") as client:
            return await client.request(method, path, **more)

    return apart(ask())


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        *((*each, 200) for each in OPEN),
        *((*each, 404) for each in CLOSED),
        ("POST", "/config", 405),
        ("GET", "/gradio_api/queue/join", 405),
        ("PUT", "/", 405),
        ("GET", "/?prompt=" + "a" * LONGEST_PATH, 414),
    ],
)
def test_what_the_page_asks_is_let_in_and_whatever_is_in_no_list_is_not_there(method, path, status):
    answer = asked(method, path)
    assert answer.status_code == status
    assert status == 200 or answer.json()["detail"] == SENTENCES[status]


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
    said = {"content-length": str(LARGE + 1)}  # enough, before anything is read
    assert asked("POST", "/gradio_api/queue/join", headers=said, content=in_pieces(1000)).status_code == 413


@pytest.mark.parametrize("status", [400, 404, 422, 500, 503])
def test_every_refusal_is_a_sentence_and_tells_nothing_of_the_server(status):
    """As is one of another page of Gradio's, which is the page."""
    for query in (str(status), f"page=other&{status}&page"):
        answer = asked("GET", f"/?{query}")
        assert answer.json()["detail"] == SENTENCES[status]
    assert asked("GET", f"/?{status}").status_code == status


def test_a_bug_is_a_sentence_and_stands_in_the_log(caplog):
    answer = asked("GET", "/?bug")
    assert answer.status_code == 500 and answer.json()["detail"] == SENTENCES[500]
    assert "a secret of the server" in caplog.text and "secret" not in answer.text


@pytest.mark.parametrize(
    ("module", "method", "error", "expected"),
    [
        ("gradio.routes", "POST", KeyError("0"), True),  # component_server of a component that is not there
        ("starlette.formparsers", "POST", AttributeError("filename"), True),  # upload without a file's name
        ("gradio.routes", "GET", KeyError("0"), False),
        ("gradio.routes", "POST", OSError("no space left"), False),
        ("playground.lab.load", "POST", KeyError("0"), False),  # a fault of ours
    ],
)
def test_a_post_that_its_reader_cannot_read_is_the_clients_fault(module, method, error, expected):
    scope = {"__name__": module, "error": error}
    exec("def fail():\n    raise error", scope)  # a frame of that module
    try:
        scope["fail"]()
    except (KeyError, AttributeError, OSError) as raised:
        assert is_malformed(raised, method) == expected


@pytest.mark.parametrize("host", ["localhost:7860", "127.0.0.1:7860", "[::1]:7860", "a.localhost", "seen.example"])
def test_a_server_for_this_machine_answers_to_its_names(host):
    assert asked("GET", "/", LOCAL, host).status_code == 200


@pytest.mark.parametrize("host", ["evil.example:7860", "127.0.0.1.nip.io", "localhost.evil.example", "192.168.0.7"])
@pytest.mark.parametrize("path", ["/", "/config", "/gradio_api/queue/data", "/nothing"])
def test_a_name_that_leads_here_by_somebodys_wish_is_not_answered(host, path):
    """DNS rebinding: to the browser its page is the server's own, so neither an origin nor a header is asked for."""
    answer = asked("GET", path, LOCAL, host, headers={"origin": f"http://{host}"})
    assert (answer.status_code, answer.json()["detail"]) == (421, SENTENCES[421])
    assert asked("GET", "/", PUBLIC, host).status_code == 200


def upload(origin: str | None, names: Names = LOCAL, host: str = "localhost:7860", **more) -> httpx.Response:
    headers = {"origin": origin} if origin else {}
    return asked("POST", UPLOAD, names, host, headers=headers, content=b"a file", **more)


@pytest.mark.parametrize(
    ("origin", "names", "host"),
    [
        ("http://localhost:7860", LOCAL, "localhost:7860"),
        ("https://Seen.example", LOCAL, "127.0.0.1:7860"),
        ("https://here.example", PUBLIC, "here.example"),
    ],
)
def test_a_file_comes_from_the_servers_own_page(origin, names, host):
    assert upload(origin, names, host).json()["length"] == len(b"a file")


@pytest.mark.parametrize("names", [LOCAL, PUBLIC], ids=["local", "public"])
@pytest.mark.parametrize(
    "origin", [None, "null", "https://evil.example", "http://localhost:3000", "http://[", "http://localhost:7860.evil"]
)
def test_a_file_of_another_sites_page_or_of_none_is_refused(names, origin):
    answer = upload(origin, names)
    assert (answer.status_code, answer.json()["detail"]) == (403, FOREIGN)


def test_on_this_machine_no_other_sites_page_starts_anything_and_programs_still_do():
    join, foreign = "/gradio_api/queue/join", {"origin": "https://evil.example"}
    assert asked("POST", join, LOCAL, "localhost:7860", headers=foreign).json()["detail"] == FOREIGN
    assert asked("POST", join, LOCAL, "localhost:7860").status_code == 200
    assert asked("POST", join, PUBLIC, headers=foreign).status_code == 200


def test_uploads_together_are_bounded_while_they_come_and_forgotten_once_they_have(monkeypatch):
    monkeypatch.setattr(request_limits, "MOST_UPLOADING", 3000)
    served = RequestLimits(everything, LOCAL)
    headers = {"origin": "http://localhost"}

    async def ask(size: int, path: str = UPLOAD) -> int:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(served), base_url="http://localhost") as client:
            return (await client.post(path, content=in_pieces(size), headers=headers)).status_code

    assert [apart(ask(size)) for size in (2000, 2000, 4000, 2000)] == [200, 200, 503, 200]
    served.uploading = 3000
    assert apart(ask(1000)) == 503 and served.uploading == 3000
    assert apart(ask(1000, "/gradio_api/queue/join")) == 200


def test_room_is_made_before_a_file_comes(monkeypatch):
    rows = []
    monkeypatch.setattr(request_limits, "make_room", lambda: rows.append("room"))
    upload("https://evil.example")
    assert not rows
    upload("http://localhost:7860")
    assert rows == ["room"]


def test_a_socket_is_closed():
    sent = []

    async def receive():
        return {"type": "websocket.connect"}

    async def send(message):
        sent.append(message["type"])

    apart(RequestLimits(everything, PUBLIC)({"type": "websocket", "path": "/"}, receive, send))
    assert sent == ["websocket.close"]


def test_every_sentence_ends_and_every_door_has_a_bound():
    assert all(text.endswith(".") and len(text) < 100 for text in (*SENTENCES.values(), FOREIGN))
    assert all(kind.most or "POST" not in kind.methods for kind in REQUEST_KINDS)
    assert json.dumps(SENTENCES).isascii()


@pytest.mark.parametrize("path", ["/", "/docs"])
def test_every_answer_says_that_its_kind_is_the_one_it_names_and_a_page_of_this_machine_stands_in_no_frame(path):
    alone = asked("GET", path, Names("127.0.0.1"), host="localhost").headers
    assert alone["x-content-type-options"] == "nosniff"
    assert "frame-ancestors 'self'" in alone["content-security-policy"]
    for names, host in ((PUBLIC, "here"), (LOCAL, "seen.example")):
        others = asked("GET", path, names, host=host).headers
        assert others["x-content-type-options"] == "nosniff" and "content-security-policy" not in others
