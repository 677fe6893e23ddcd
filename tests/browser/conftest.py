"""A real browser and the running app for the tests in this folder: one of each for the session.

A reader of the app is a fresh browser context; what is tested by itself, without the app, is put on an emptied page.

A test fails when its page throws, opens a dialog or asks for anything outside its own host.
"""

import shutil
from collections.abc import Callable, Iterator
from urllib.parse import urlparse

import pytest
from playwright.sync_api import expect, sync_playwright

from tests.browser.app_fixture import running_app, wait_for_player

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")  # those that tests/run accepts
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), "/usr/bin/chromium")
ARGUMENTS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
TIMEOUT_MS = 90_000  # how long anything may take; generous, because test machines are busy
OWN_HOSTS = {"", "localhost", "127.0.0.1"}

expect.set_options(timeout=TIMEOUT_MS)


@pytest.fixture(scope="session")
def browser() -> Iterator:
    """One chromium for all tests. Without one they fail: a page that nobody looked at is not tested."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """Where the app is: one for all tests, as one app serves many readers. Each test leaves it idle."""
    with running_app() as address:
        yield address


@pytest.fixture
def open_page(browser) -> Iterator:
    """`open_page(width=..., ...)` gives a watched page; what went wrong on it fails the test at its end."""
    contexts, faults = [], []

    def open_page(*, width: int = 1280, height: int = 900, **context_options):
        context = browser.new_context(viewport={"width": width, "height": height}, **context_options)
        context.set_default_timeout(TIMEOUT_MS)
        contexts.append(context)
        page = context.new_page()
        listen(page, faults)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not faults, faults


@pytest.fixture(scope="session")
def tab(browser) -> Iterator:
    """The tab for what is put on an empty page by itself: a new one each time costs more than most such tests."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(TIMEOUT_MS)
    yield context.new_page()
    context.close()


@pytest.fixture
def page(tab) -> Iterator:
    """An empty page on a desk: a new document with a new window object, in a tab that other tests had before."""
    tab.goto("about:blank")
    tab.mouse.move(0, 0)
    faults: list[str] = []
    listeners = listen(tab, faults)
    yield tab
    for event, listener in listeners.items():
        tab.remove_listener(event, listener)
    assert not faults, faults


@pytest.fixture
def visit(open_page, address):
    """`visit("?tab=lab")` gives a fresh browser's page with that address; `window.executed` says if an alert was."""

    def visit(query: str = "", **context):
        page = open_page(**context)
        page.add_init_script("window.alert = () => { window.executed = true; }")
        page.goto(f"{address}/{query}")
        return page

    return visit


@pytest.fixture
def visit_watch(visit):
    """`visit_watch()` gives a fresh browser's page with the recorded run on it."""

    def visit_watch(query: str = "", **context):
        page = visit(query, **context)
        wait_for_player(page)
        return page

    return visit_watch


@pytest.fixture
def watch(visit_watch):
    """A page on a desk, with the recorded run on it."""
    return visit_watch()


def listen(page, faults: list[str]) -> dict[str, Callable]:
    """Collects page errors, dialogs, and requests that leave the host; gives what listens, by event."""

    def on_dialog(dialog) -> None:
        faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def on_request(request) -> None:
        address = urlparse(request.url)
        if address.scheme in {"http", "https", "ws", "wss"} and address.hostname not in OWN_HOSTS:
            faults.append(f"request to {request.url}")

    def on_page_error(problem) -> None:
        faults.append(f"page error: {problem}")

    listeners = {"pageerror": on_page_error, "dialog": on_dialog, "request": on_request}
    for event, listener in listeners.items():
        page.on(event, listener)
    return listeners
