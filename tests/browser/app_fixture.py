"""The whole page for a test: the app as a user starts it, and the hands of a reader on it."""

import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PLAYER = "document.querySelector('.player-host').player"
UP_S = 60.0
NO_HUB = "http://127.0.0.1:9"  # the discard port: refuses at once, so that no test waits for a network or uses one


@contextmanager
def running_app() -> Iterator[str]:
    """`python app.py` on a free port, until the end of the block; gives its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(
            [sys.executable, "app.py", "--port", str(port)],
            cwd=ROOT,
            env=os.environ | {"HF_ENDPOINT": NO_HUB},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            _wait_for(address, process, log)
            yield address
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


def _wait_for(address: str, process: subprocess.Popen, log: Any) -> None:
    deadline = time.monotonic() + UP_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=5) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.1)
    log.seek(0)
    raise AssertionError(f"The app did not answer at {address}:\n{log.read()[-4000:]}")


# -- what the page shows ---------------------------------------------------------------------------------------------


def wait_for_player(page) -> None:
    page.wait_for_function("document.querySelector('.player-host')?.player?.state().steps > 0")


def state(page) -> dict[str, Any]:
    return page.evaluate(f"{PLAYER}.state()")


def of_player(page, expression: str) -> Any:
    """What a JavaScript expression says of the player `p`."""
    return page.evaluate(f"(() => {{ const p = {PLAYER}; return {expression}; }})()")


def wait_until(page, condition: str, timeout_s: float = 20) -> None:
    """Until a JavaScript condition on the player `p` holds."""
    page.wait_for_function(f"(() => {{ const p = {PLAYER}; return {condition}; }})()", timeout=timeout_s * 1000)


def notice(page):
    return page.locator("#notice .notice")


def file_notice(page):
    """The line below the file buttons."""
    return page.locator("#file-notice .notice")


def run_button(page):
    return page.get_by_role("button", name="Run", exact=True)


# -- what a reader does ----------------------------------------------------------------------------------------------


def unfold(page, title: str) -> None:
    """Open an accordion; nothing if it is open."""
    header = page.get_by_role("button", name=re.compile("^" + re.escape(title)))
    if header.get_attribute("aria-expanded") != "true" and "open" not in (header.get_attribute("class") or "").split():
        header.click()
        page.wait_for_timeout(400)  # Gradio fills the fields when they first appear, over what was typed by then


def choose_tokens(page, number: int, **others: Any) -> None:
    """Set the number of new tokens, and sliders by their labels: `choose_tokens(page, 8, Temperature=0)`."""
    unfold(page, "Models, sampling and options")
    for label, value in {"New tokens (at most)": number, **others}.items():
        field = page.get_by_label(f"number input for {label}")
        field.fill("")
        field.fill(str(value))
        field.press("Tab")
        page.wait_for_function(  # the slider beside it follows once the page has taken the number
            "([label, value]) => Number(document.querySelector(`[aria-label='${label}']`).value) === value",
            arg=[f"range slider for {label}", float(value)],
        )


def choose(page, label: str, option: str) -> None:
    page.get_by_label(label, exact=True).click()
    page.get_by_role("option", name=option).click()


def write_prompt(page, text: str) -> None:
    """Put a text into the prompt past the field's own limit, as any program could."""
    page.locator("#prompt textarea").evaluate(
        """(field, text) => {
          field.removeAttribute('maxlength');
          field.value = text;
          field.dispatchEvent(new Event('input', {bubbles: true}));
        }""",
        text,
    )


def remember_run(page) -> None:
    """`window.traceBefore` is the run on the page; void, because a trace is too large to be answered."""
    page.evaluate(f"void (window.traceBefore = {PLAYER}.trace)")


def press_run(page) -> None:
    """Press Run, and remember the run before it."""
    remember_run(page)
    run_button(page).click()


def wait_for_rounds(page, number: int, timeout_s: float = 20) -> None:
    wait_until(page, f"p.trace !== window.traceBefore && p.trace.rounds.length >= {number}", timeout_s)


def wait_for_end(page, timeout_s: float = 30) -> dict[str, Any]:
    """Until the run has ended and the next may begin; gives what its end said."""
    wait_until(page, "p.trace !== window.traceBefore && p.trace.finished", timeout_s)
    page.wait_for_function("!document.querySelector('#run').disabled", timeout=timeout_s * 1000)
    return of_player(page, "p.trace.finished")


def run_to_end(page) -> dict[str, Any]:
    press_run(page)
    return wait_for_end(page)


def save(page, button: str) -> Path:
    """Press one of the Save buttons; gives the file, under the name it was offered by."""
    unfold(page, "Recorded runs, files and links")
    with page.expect_download() as arrival:
        page.get_by_role("button", name=button).click()
    path = Path(tempfile.mkdtemp(prefix="watch-test-")) / arrival.value.suggested_filename
    arrival.value.save_as(path)
    return path


def open_file(page, name: str, content: bytes) -> None:
    unfold(page, "Recorded runs, files and links")
    page.locator("#open-trace").scroll_into_view_if_needed()  # where a reader who presses it is
    page.locator("#files input[type=file]").set_input_files(
        {"name": name, "mimeType": "application/json", "buffer": content}
    )
