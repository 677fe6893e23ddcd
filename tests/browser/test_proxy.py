"""An app of its own: behind a reverse proxy, below a path, where everything is found; and told to end in mid-run."""

import json
import signal
import threading
import time
from contextlib import contextmanager
from urllib.parse import urlparse

import httpx
import pytest
import uvicorn
from playwright.sync_api import expect
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.routing import Route

from tests.browser import app_fixture as reader
from tests.browser.app_fixture import ROOT
from tests.visitors import Visitor, ended_well, page_at

PREFIX = "/app"
LONG_RUN = {"New tokens (at most)": 900, "Temperature": 2, "method": "speculative_sampling"}
ROUNDS = 3
END_S = 10.0  # two seconds on an idle machine; the run that is ended would take most of a minute
OF_A_CONNECTION = {"connection", "transfer-encoding", "content-length", "host"}


@contextmanager
def proxied(inner: str):
    """A proxy in front of an address: what is asked below the prefix is passed on without it; gives its own address."""
    # every request on a connection of its own: one that is kept the app may close as it is used again, and a page that
    # loses a request is loaded anew
    client = httpx.AsyncClient(base_url=inner, timeout=None, limits=httpx.Limits(max_keepalive_connections=0))

    async def pass_on(request: Request):
        kept = {name: value for name, value in request.headers.items() if name not in OF_A_CONNECTION}
        path = request.url.path.removeprefix(PREFIX) + (f"?{request.url.query}" if request.url.query else "")
        asked = client.build_request(
            request.method, path, headers=kept | {"host": request.url.netloc}, content=await request.body()
        )
        answer = await client.send(asked, stream=True)
        headers = {name: value for name, value in answer.headers.items() if name not in OF_A_CONNECTION}
        return StreamingResponse(answer.aiter_raw(), answer.status_code, headers)

    async def elsewhere(_: Request):
        return PlainTextResponse("another site", 404)

    every = ["GET", "POST", "HEAD"]
    app = Starlette(routes=[Route(f"{PREFIX}/{{rest:path}}", pass_on, methods=every), Route("/{rest:path}", elsewhere)])
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    [socket] = server.servers[0].sockets
    yield f"http://127.0.0.1:{socket.getsockname()[1]}"
    server.should_exit = server.force_exit = True
    thread.join()


@pytest.fixture
def shown_below():
    with reader.started_app("--root-path", PREFIX) as (inner, process), proxied(inner) as outer:
        yield inner, process, outer


def test_below_a_path_runs_are_shown_made_and_saved_and_a_signal_ends_one_that_goes_on(shown_below, open_page):
    """In an app that was started this moment: what is recorded is shown while its models load.

    No address of the page names a folder of the server, and nothing is asked elsewhere. A visitor whose run is ended
    has what was recorded of it, and the process is gone.
    """
    inner, process, outer = shown_below
    _below_a_path(outer, open_page)
    with Visitor(page_at(inner), "visitor") as visitor:
        assert ended_well(visitor.ask(**LONG_RUN))
        answers, sent_at = [], 0.0
        for answer in visitor.run():
            answers.append(answer)
            if not sent_at and sum("process_generating" in each["msg"] for each in answers) > ROUNDS:
                process.send_signal(signal.SIGTERM)
                sent_at = time.monotonic()
            if answer["msg"] == "process_completed":
                break
        assert process.wait(END_S) == 0 and time.monotonic() - sent_at < END_S
    assert ended_well(answers)
    said = json.dumps(answers)
    assert "Stopped: " in said and said.count('\\"event\\":\\"committed\\"') >= ROUNDS


def _below_a_path(outer, open_page) -> None:
    page, requests, missing = open_page(reduced_motion="reduce"), [], []
    page.on("request", lambda request: requests.append(request.url))
    page.on("response", lambda answer: missing.append(answer.url) if answer.status >= 400 else None)
    page.goto(f"{outer}{PREFIX}/")
    reader.wait_for_player(page)
    assert reader.of_player(page, "p.trace.run.method") == "speculative_sampling"
    assert reader.of_player(page, "p.trace.run.prompt") in page.locator(".sp-text").inner_text()
    expect(page.locator(".sp-origin")).to_have_text("Recorded run")
    page.keyboard.press("End")
    reader.wait_until(page, "p.state().kind === 'finished'")
    assert reader.of_player(page, "p.state().totals.tokens") > 10
    reader.choose_tokens(page, 8)
    assert reader.run_to_end(page)["num_tokens"] == 8
    assert reader.saved_trace(page).finished.num_tokens == 8
    parsed = [urlparse(url) for url in requests]
    outside = {each.path for each in parsed if each.netloc and not each.path.startswith(f"{PREFIX}/")}
    assert not outside and not missing, (outside, missing)
    assert len(requests) > 20 and not [url for url in requests if str(ROOT) in url or "site-packages" in url]
    assert str(ROOT) not in page.content()
    page.goto("about:blank")  # the app's end is no fault of the page
