"""A program's call by name is handed on whole, or refused in a sentence that says what is missing."""

import asyncio
import json

import pytest

from playground.ui.programs import ENDPOINTS
from playground.ui.served.calls import DEEPEST, Calls
from playground.ui.served.names import Names
from playground.ui.served.request_limits import RequestLimits
from tests.ui.served.test_request_limits import apart, httpx

P, Q = [0.5, 0.5], [0.8, 0.2]


async def echo(scope, receive, send):
    """An app that answers with the body it gets, or fails as the query says."""
    if scope["query_string"] == b"full":
        raise OSError(28, "No space left on device")
    body, more = b"", True
    while more:
        message = await receive()
        body, more = body + message["body"], message["more_body"]
    assert int(dict(scope["headers"]).get(b"content-length", 0)) == len(body)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": body})


def posted(path, content, method="POST"):
    async def ask():
        transport = httpx.ASGITransport(RequestLimits(Calls(echo, ENDPOINTS), Names("0.0.0.0")))
        async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
            body = content if isinstance(content, bytes) else json.dumps(content).encode()
            return await client.request(method, f"/gradio_api/call/{path}", content=body)

    return apart(ask())


def test_what_is_left_out_is_at_its_default():
    assert posted("acceptance", {"data": [P, Q]}).json() == {"data": [P, Q, 1]}
    assert posted("v2/acceptance", {"draft": Q, "target": P}).json() == {"target": P, "draft": Q, "num_drafts": 1}
    assert posted("run", {"data": ["rsd_s"], "session_hash": "a"}).json() == {
        "data": ["rsd_s", "Once upon a time", 1.0, 0, 1.0, 0, 64],
        "session_hash": "a",
    }
    assert posted("methods", {"data": []}).json() == {"data": []}


@pytest.mark.parametrize(
    ("path", "content", "status", "said"),
    [
        ("acceptance", {"data": [P]}, 422, "'acceptance' takes target, draft, num_drafts, and the values do not fit:"),
        ("acceptance", {"data": [P]}, 422, ": missing a required argument: 'draft'."),
        ("v2/acceptance", {"target": P}, 422, ": missing a required argument: 'draft'."),
        ("acceptance", {"data": [P, Q, 1, 2]}, 422, "do not fit: too many positional arguments."),
        ("methods", {"data": [1]}, 422, "'methods' takes no value, and the values do not fit: too many"),
        ("v2/acceptance", {"target": P, "draft": Q, "drafts": 1}, 422, "an unexpected keyword argument 'drafts'."),
        ("acceptance", {"data": [json.loads(DEEPEST * "[" + DEEPEST * "]"), Q]}, 422, "nested more than 16 deep"),
        ("acceptance", b'{"data": ' + 100_000 * b"[", 422, "is not JSON that can be read"),
        ("acceptance", b"nonsense", 422, "is not JSON that can be read"),
        ("acceptance", {"data": 3}, 422, "The request has no values. Post {"),
        ("v2/acceptance", [P, Q], 422, 'Post {"target": ..., "draft": ..., "num_drafts": ...}'),
        ("runs", {"data": []}, 404, "Unknown endpoint 'runs'. Did you mean 'run'?"),
        ("watch", {"data": []}, 404, "Unknown endpoint 'watch'. Known: "),
        ("run?full", {"data": []}, 507, "The server's disk is full"),
    ],
)
def test_what_cannot_be_answered_is_refused_in_a_sentence(path, content, status, said):
    response = posted(path, content)
    assert response.status_code == status and said in response.json()["error"], response.text
    assert response.json()["error"] == response.json()["detail"]


def test_results_are_asked_for_by_the_same_names():
    assert posted("acceptance/abc", b"", "GET").status_code == 200
    assert posted("nowhere/abc", b"", "GET").status_code == 404


def test_whatever_else_is_asked_is_handed_on_as_it_is():
    sent = []

    async def app(scope, receive, send):
        sent.append(scope)

    asyncio.run(Calls(app, {})({"type": "lifespan"}, None, None))
    asyncio.run(Calls(app, {})({"type": "http", "path": "/gradio_api/queue/join", "method": "POST"}, None, None))
    assert len(sent) == 2
