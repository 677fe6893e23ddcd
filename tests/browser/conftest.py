"""A browser of each worker and one running app for all of them.

A reader of the app is a browser that remembers nothing; what is tested by itself, without the app, gets an empty page.

A test fails when its page throws, opens a dialog or asks for anything outside its own host.
"""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

import pytest
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import expect, sync_playwright

from tests.browser.app_fixture import running_app, wait_for_player
from tests.browser.shared_app import shared_app, turn

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")  # those that tests/run accepts
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), "/usr/bin/chromium")
ARGUMENTS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",  # A request to another host fails.
    # Chromium takes the last of several such lists: features that Playwright turns off stay so, and no page of the
    # browser's own, which nobody sees, is made ready beside every page.
    "--disable-features=HttpsUpgrades,PaintHolding,RenderDocument,Translate,PreloadTopChromeWebUI",
    "--js-flags=--min-semi-space-size=64 --max-semi-space-size=64",  # most of what a page makes at its start is garbage
]  # fmt: skip
TIMEOUT_MS = 90_000  # Anything may take so long, because test machines are busy.
BUTTONS = ("#run", "#stop")
OWN_HOSTS = {"", "localhost", "127.0.0.1"}

expect.set_options(timeout=TIMEOUT_MS)


@pytest.fixture(scope="session")
def browser() -> Iterator:
    """One chromium for all tests. Without one they fail: a page that nobody looked at is not tested."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield chromium
        chromium.close()


@contextmanager
def lone_page(**how: Any) -> Iterator[Any]:
    """A page of an app of its own with the recorded run on it, for programs that take pictures."""
    with running_app() as address, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        page = chromium.new_page(**how)
        page.set_default_timeout(TIMEOUT_MS)
        page.goto(address)
        wait_for_player(page)
        yield page
        chromium.close()


@pytest.fixture
def undisturbed() -> None:
    """One test at a time among all workers: what it runs is long, or many runs. See `its_turn`."""


FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    report = (yield).get_result()
    if report.failed:
        item.session.stash[FAILED] = True
    if report.failed and report.when == "call" and (tabs := item.funcargs.get("tabs")):
        for number, tab in enumerate(tabs):
            report.longrepr.addsection(f"what stood on page {number}", what_stands_on(tab))


def what_stands_on(page) -> str:
    """The text on a page, and whether its buttons Run and Stop can be pressed: what a failure by chance is told by."""
    try:
        buttons = [f"{name}: {'off' if page.locator(name).is_disabled(timeout=5_000) else 'on'}" for name in BUTTONS]
        return "\n".join([page.url, *buttons, page.locator("body").inner_text(timeout=5_000)])
    except PlaywrightError as error:
        return str(error)


@pytest.fixture(scope="session")
def tabs(browser) -> Iterator[list]:
    """Those of this worker's readers; the browser outlives them."""
    tabs: list = []
    yield tabs
    close_all(tabs)


def close_all(tabs: list) -> None:
    for tab in tabs:
        tab.context.close()
    tabs.clear()


@pytest.fixture(scope="session")
def worker(request) -> str:
    return getattr(request.config, "workerinput", {}).get("workerid", "alone")


@pytest.fixture(scope="session")
def folder(tmp_path_factory, worker) -> Path:
    """A folder of this run's workers alone."""
    own = tmp_path_factory.getbasetemp()
    return own if worker == "alone" else own.parent


@pytest.fixture(scope="session")
def address(folder, worker) -> Iterator[str]:
    """Where the app of all workers is, as one app serves many readers. Each test leaves it idle."""
    with shared_app(folder, worker) as address:
        yield address


@pytest.fixture(autouse=True)
def its_turn(folder, worker, request) -> Iterator[None]:
    """A test of the app begins when it is its turn, until its pages are left."""
    if "address" not in request.fixturenames:
        yield
        return
    with turn(folder, worker, alone="undisturbed" in request.fixturenames):
        yield


@pytest.fixture
def readers(browser, tabs, request) -> Callable:
    """`readers(0)` gives the tab of the first reader, as the test before left it: empty, remembering nothing.

    Each has a browser context of their own, as two people have. It lasts, as what the app serves is fetched and
    compiled once then: a page costs half of what it costs in a new context. A test that fails may leave a tab in a
    state that fails the next ones too, so all are made anew after it.
    """
    if request.session.stash.get(FAILED, False):
        request.session.stash[FAILED] = False
        close_all(tabs)

    def reader(number: int):
        if number == len(tabs):
            tabs.append(new_tab(browser))
        elif tabs[number].is_closed():
            tabs[number] = tabs[number].context.new_page()
        return tabs[number]

    return reader


@pytest.fixture
def open_page(browser, readers) -> Iterator[Callable]:
    """`open_page(width=..., ...)` gives another reader's watched page; what went wrong on it fails the test at its end.

    Anything beside size, motion and colours that a browser context can be made with makes one for this page alone.
    """
    watched, faults = [], []

    def open_page(*, width=1280, height=900, reduced_motion="no-preference", color_scheme="light", **device):
        page = new_tab(browser, **device) if device else readers(len(watched))
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(reduced_motion=reduced_motion, color_scheme=color_scheme)
        watched.append((page, listen(page, faults), device))
        return page

    yield open_page
    for page, listeners, device in watched:
        if device:
            page.context.close()
            continue
        if not page.is_closed():
            leave(page)
        for event, listener in listeners.items():
            page.remove_listener(event, listener)
    assert not faults, faults


@pytest.fixture
def page(open_page):
    """An empty page on a desk, for what is tested by itself."""
    return open_page()


def new_tab(browser, **device):
    """A tab in a context of its own, where a text that became a script and calls `alert` is a fault of its page."""
    context = browser.new_context(**device)
    context.set_default_timeout(TIMEOUT_MS)
    context.add_init_script("window.alert = () => { window.executed = true; throw Error('A text was executed.'); }")
    return context.new_page()


def leave(page) -> None:
    """The next reader remembers nothing, and no page is left running; a module by itself stays for the next test."""
    if page.url == "about:blank":
        page.evaluate("window.clearHost?.(false)")
    else:
        if page.url.startswith("http"):
            page.evaluate("localStorage.clear()")
        page.goto("about:blank")
    page.mouse.move(0, 0)


@pytest.fixture
def visit(open_page, address):
    """`visit("?tab=lab")` gives another reader's page with that address; `window.executed` says if an alert was.

    Nothing on it moves by itself unless `reduced_motion="no-preference"` is said: what moves takes up to half of a
    processor for as long as it is looked at, and most tests wait for what stands there in the end.
    """

    def visit(query: str = "", *, reduced_motion="reduce", **context):
        page = open_page(reduced_motion=reduced_motion, **context)
        page.goto(f"{address}/{query}")
        return page

    return visit


@pytest.fixture
def visit_watch(visit):
    """`visit_watch()` gives another reader's page with the recorded run on it."""

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
    """Collects page errors, dialogs, and requests that leave the host; gives what listens, by event.

    Those requests are told of as failed, see ARGUMENTS: to hear of all 240 of a visit took a seventh of its time.
    """

    def on_dialog(dialog) -> None:
        faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def on_request(request) -> None:
        address = urlparse(request.url)
        if address.scheme in {"http", "https", "ws", "wss"} and address.hostname not in OWN_HOSTS:
            faults.append(f"request to {request.url}")

    def on_page_error(problem) -> None:
        faults.append(f"page error: {problem}")

    listeners = {"pageerror": on_page_error, "dialog": on_dialog, "requestfailed": on_request}
    for event, listener in listeners.items():
        page.on(event, listener)
    return listeners
