"""A real browser for the tests in this folder: one for the session, one fresh page per test.

A test fails when its page throws, opens a dialog or asks for anything outside its own host.
"""

import shutil
from collections.abc import Iterator
from urllib.parse import urlparse

import pytest
from playwright.sync_api import sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")  # those that tests/run accepts
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), "/usr/bin/chromium")
ARGUMENTS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
TIMEOUT_MS = 20_000
OWN_HOSTS = {"", "localhost", "127.0.0.1"}


@pytest.fixture(scope="session")
def browser() -> Iterator:
    """One chromium for all tests. Without one they fail: a page that nobody looked at is not tested."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture
def open_page(browser) -> Iterator:
    """`open_page(width=..., ...)` gives a watched page; what went wrong on it fails the test at its end."""
    contexts, faults = [], []

    def open_page(*, width: int = 1280, height: int = 900, **context_options):
        context = browser.new_context(viewport={"width": width, "height": height}, **context_options)
        context.set_default_timeout(TIMEOUT_MS)
        contexts.append(context)
        page = context.new_page()
        watch(page, faults)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not faults, faults


@pytest.fixture
def page(open_page):
    """A page on a desk."""
    return open_page()


def watch(page, faults: list[str]) -> None:
    """Collects page errors, dialogs, and requests that leave the host."""

    def on_dialog(dialog) -> None:
        faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def on_request(request) -> None:
        address = urlparse(request.url)
        if address.scheme in {"http", "https", "ws", "wss"} and address.hostname not in OWN_HOSTS:
            faults.append(f"request to {request.url}")

    page.on("pageerror", lambda problem: faults.append(f"page error: {problem}"))
    page.on("dialog", on_dialog)
    page.on("request", on_request)
