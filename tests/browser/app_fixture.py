"""The whole page for a test: the app as a user starts it, and the hands of a reader on it."""

import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from playwright.sync_api import TimeoutError as TooLate
from playwright.sync_api import expect

from playground.trace import load, validate
from playground.trace.events import Trace

ELSEWHERE = "PLAYGROUND_TESTED_AT"
ROOT = Path(__file__).resolve().parents[2]
PLAYER = "document.querySelector('.player-host').player"
UP_S = 300.0  # a few seconds on an idle machine
UP = "public link"  # Gradio's last line
TRIES = 10
TRY_MS = 9_000  # together as long as anything may take
OPTIONS, FILES, WHY = IN_MENU = ("Options", "Runs and files", "Why not faster?")  # drawers of the Watch tab
NO_HUB = "http://127.0.0.1:9"  # the discard port: refuses at once, so that no test waits for a network or uses one


@contextmanager
def running_app() -> Iterator[str]:
    """`python app.py --mcp` on a free port, until the end of the block; gives its address.

    Or the address of an app that is there already, where $PLAYGROUND_TESTED_AT names one.
    """
    if address := os.environ.get(ELSEWHERE):
        yield address
        return
    with started_app("--mcp") as (address, _):
        yield address


@contextmanager
def started_app(*flags: str) -> Iterator[tuple[str, subprocess.Popen]]:
    """The same, with flags; gives its process too."""
    with tempfile.TemporaryFile("w+") as log:
        address, process = _start(log, flags)
        try:
            assert _is_up(address, process, log), f"The app did not answer at {address}:\n{_said(log)[-4000:]}"
            yield address, process
        finally:
            _end(process)


def _start(log: Any, flags: Sequence[str]) -> tuple[str, subprocess.Popen]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "app.py", "--port", str(port), "--opens-on", "bundled", *flags],
        cwd=ROOT,
        env=os.environ | {"HF_ENDPOINT": NO_HUB, "PYTHONUNBUFFERED": "1"},
        stdout=log,
        stderr=subprocess.STDOUT,
    )
    return f"http://127.0.0.1:{port}", process


def _is_up(address: str, process: subprocess.Popen, log: Any) -> bool:
    """Whether it came up: it answers, and has said that it is done with starting."""
    deadline = time.monotonic() + UP_S
    while time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.1)
        if UP not in _said(log):
            continue
        try:
            with urllib.request.urlopen(address, timeout=5) as answer:
                return answer.status == 200
        except OSError:
            pass
    return False


def _said(log: Any) -> str:
    return os.pread(log.fileno(), 1_000_000, 0).decode(errors="replace")


def _end(process: subprocess.Popen) -> None:
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


# -- what the page shows ---------------------------------------------------------------------------------------------


def wait_for_player(page) -> None:
    """Until the player holds a run, and the server has set the form: what is typed before would be overwritten."""
    page.wait_for_function(
        """(() => {
          const host = document.querySelector('.player-host');
          return host?.player?.state().steps > 0 && host.panel?.isSetUp !== false;
        })()"""
    )


def wait_for_frames(page) -> None:
    """Two frames: what was changed before is laid out, drawn, and has been seen by whoever observes sizes."""
    page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")


def state(page) -> dict[str, Any]:
    return page.evaluate(f"{PLAYER}.state()")


def of_player(page, expression: str) -> Any:
    """Return the value of a JavaScript expression on the player `p`."""
    return page.evaluate(f"(() => {{ const p = {PLAYER}; return {expression}; }})()")


def wait_until(page, condition: str) -> None:
    """Until a JavaScript condition on the player `p` holds."""
    page.wait_for_function(f"(() => {{ const p = {PLAYER}; return {condition}; }})()")


def notice(page):
    return page.locator("#notice .notice")


def file_notice(page):
    """The line below the file buttons."""
    return page.locator("#file-notice .notice")


def toast(page):
    """Return the message that is in the corner for a while, over whatever the page says."""
    return page.locator(".toast-body").first


def run_button(page):
    return page.get_by_role("button", name="Run", exact=True)


# -- what a reader does ----------------------------------------------------------------------------------------------


def persist(act: Callable[[], Any], came: Callable[[], Any]) -> None:
    """Act, and again until it came of it what should.

    Gradio draws parts of the page anew whenever it likes, and a click or a text that falls into that is lost.

    Args:
        act: what a reader does; it can be done twice.
        came: waits for TRY_MS at most, and raises if it did not come.
    """
    for _ in range(TRIES - 1):
        with suppress(TooLate):
            act()
        with suppress(TooLate, AssertionError):
            return came()
    act()
    return came()


def stays(page, field, value: str | re.Pattern) -> None:
    """A field shows the value, and Gradio does not fill it once more with what the server had before."""
    for _ in range(2):
        expect(field).to_have_value(value, timeout=TRY_MS)
        wait_for_frames(page)


def write(page, field, text: str) -> None:
    """Into a field, and leave it."""

    def act() -> None:
        field.fill(text, timeout=TRY_MS)
        field.press("Tab", timeout=TRY_MS)

    persist(act, lambda: stays(page, field, text))


def open_tab(page, name: str) -> None:
    """Open a tab, or a view of Compare."""
    if name in ("Race", "Sweep", "From the papers"):
        open_tab(page, "Compare")
    tab = page.get_by_role("tab", name=name, exact=True)
    persist(
        lambda: tab.click(timeout=TRY_MS),
        lambda: expect(tab).to_have_attribute("aria-selected", "true", timeout=TRY_MS),
    )


def unfold(page, title: str) -> None:
    """Open an accordion or a drawer, and wait until what is in it is there, with its numbers; nothing if it is open."""
    header = page.get_by_role("button", name=re.compile("^" + re.escape(title)), include_hidden=title in IN_MENU)

    def act() -> None:
        if title in IN_MENU and not (header.count() and header.get_attribute("aria-expanded") == "true"):
            open_menu(page)  # The drawers' lines are in it from its first opening on.
        if (
            header.get_attribute("aria-expanded") != "true"
            and "open" not in (header.get_attribute("class") or "").split()
        ):
            header.click(timeout=TRY_MS)

    def came() -> None:
        page.wait_for_function(
            """(header) => {
              const drawer = document.getElementById(header.getAttribute('aria-controls') || '');
              const shown = [...(drawer || header.parentElement).querySelectorAll('input, textarea, button')]
                .filter((each) => each !== header && each.getClientRects().length);
              return shown.length && shown.every((each) => each.type !== 'number' || each.value !== '');
            }""",
            arg=header.element_handle(),
            timeout=TRY_MS,
        )

    persist(act, came)
    wait_for_frames(page)  # Gradio may fill a field once more after it has appeared, over what was typed by then


def open_menu(page) -> None:
    """All that Watch has beside method, prompt and Run."""
    if not page.locator(".sp-menu:popover-open").count():
        page.locator("#more button").click(timeout=TRY_MS)


def close_drawer(page) -> None:
    """As a reader does; the focus goes back to its button."""
    page.keyboard.press("Escape")
    page.wait_for_function("!document.querySelector('.drawer:popover-open')")


def open_view(page, name: str) -> None:
    """Turn the panel beside the stage to one of its views."""
    of_player(page, f"p.side.open('{name}')")


def type_number(page, label: str, value: int) -> None:
    """Into a number field without a slider."""
    write(page, page.get_by_label(label).first, str(value))


def choose_tokens(page, number: int, **others: Any) -> None:
    """Set the number of new tokens, and sliders by their labels: `choose_tokens(page, 8, Temperature=0)`."""
    unfold(page, OPTIONS)
    wanted = {"New tokens (at most)": float(number)} | {label: float(value) for label, value in others.items()}

    def act() -> None:
        for label, value in wanted.items():
            field = page.get_by_label(f"number input for {label}")
            if float(field.input_value(timeout=TRY_MS) or "nan") != value:
                field.fill("", timeout=TRY_MS)
                field.fill(f"{value:g}", timeout=TRY_MS)
                field.press("Tab", timeout=TRY_MS)

    def came() -> None:
        for _ in range(2):
            page.wait_for_function(  # the slider beside it follows once the page has taken the number
                """(wanted) => Object.entries(wanted).every(([label, value]) => ['number input', 'range slider'].every(
                  (kind) => Number(document.querySelector(`[aria-label='${kind} for ${label}']`).value) === value))""",
                arg=wanted,
                timeout=TRY_MS,
            )
            wait_for_frames(page)

    persist(act, came)


def choose(page, label: str, option: str) -> None:
    """Choose from a dropdown by a part of the option's name."""
    if label != "Method":
        choose_in(page, page.get_by_label(label, exact=True), option)
        return
    page.get_by_label(label, exact=True).click()
    page.get_by_role("option", name=option).click()
    chosen = page.locator("#method [aria-selected=true]").get_attribute("data-method")
    wait_until(page, f"p.trace.run.method === '{chosen}'")  # its recording plays


def choose_in(page, dropdown, option: str) -> None:
    """Until the dropdown shows what was chosen.

    Gradio opens the list when the field gets the focus, and closes it when it loses it: what takes the focus away
    closes the list, and a click on a field that has the focus already opens none.
    """

    def act() -> None:
        dropdown.blur(timeout=TRY_MS)
        dropdown.click(timeout=TRY_MS)
        page.get_by_role("option", name=option).click(timeout=TRY_MS)

    persist(act, lambda: stays(page, dropdown, re.compile(re.escape(option), re.IGNORECASE)))  # Roles are named so.


def write_prompt(page, text: str) -> None:
    """Put a text into the prompt past the field's own limit, as any program could."""

    def act() -> None:
        page.locator("#prompt textarea").evaluate(
            """(field, text) => {
              field.removeAttribute('maxlength');
              field.value = text;
              window.written = field.value;
              field.dispatchEvent(new Event('input', {bubbles: true}));
            }""",
            text,
        )

    def came() -> None:
        wait_for_frames(page)
        assert page.evaluate("document.querySelector('#prompt textarea').value === window.written"), text

    persist(act, came)


def remember_run(page) -> None:
    """`window.traceBefore` is the run on the page; void, because a trace is too large to be answered."""
    page.evaluate(f"void (window.traceBefore = {PLAYER}.trace)")


def press_run(page) -> None:
    """Press Run, and remember the run before it."""
    remember_run(page)
    run_button(page).click()


def wait_for_rounds(page, number: int) -> None:
    wait_until(page, f"p.trace !== window.traceBefore && p.trace.rounds.length >= {number}")


def wait_for_end(page) -> dict[str, Any]:
    """Until the run has ended and the next may begin; gives what its end said."""
    wait_until(page, "p.trace !== window.traceBefore && p.trace.finished")
    page.wait_for_function("!document.querySelector('#run').disabled")
    return of_player(page, "p.trace.finished")


def run_to_end(page) -> dict[str, Any]:
    press_run(page)
    return wait_for_end(page)


def press(page, button: str) -> None:
    """As soon as it can be pressed: Playwright's own click waits for frames, which a busy machine has few of."""
    page.wait_for_function("(button) => !document.querySelector(button).disabled", arg=button, polling=100)
    page.evaluate("(button) => document.querySelector(button).click()", button)


def save(page, button: str, *, below: str = FILES) -> Path:
    """Press one of the Save buttons below a title; gives the file, under the name it was offered by."""
    unfold(page, below)
    return download(page, button)


def download(page, button: str) -> Path:
    """The file that a button gives."""
    with page.expect_download() as arrival:
        page.get_by_role("button", name=button).click()
    path = Path(tempfile.mkdtemp(prefix="page-test-")) / arrival.value.suggested_filename
    arrival.value.save_as(path)
    return path


def saved_trace(page) -> Trace:
    """The trace as a reader gets it, checked."""
    trace = load(save(page, "Save the trace (JSON)"))
    validate(trace)
    return trace


def open_file(page, path: Path) -> None:
    unfold(page, FILES)
    page.locator("#open-trace").scroll_into_view_if_needed()  # A reader who presses it has scrolled there.
    page.locator("#files input[type=file]").set_input_files(path)


def answer_slowly(page) -> None:
    """From now on what the server says comes a moment late, so that changes of the same moment overtake it."""
    page.evaluate(
        """() => {
          const ask = window.fetch;
          window.fetch = (...asked) =>
            ask(...asked).then((answer) => new Promise((told) => setTimeout(told, 100, answer)));
        }"""
    )
