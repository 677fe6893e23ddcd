"""The button that installs the real chat model, where a reader chooses it and it is not here."""

import importlib
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import gradio as gr

from playground.environment import MODEL_BYTES, has_model, model_commands
from playground.files import bytes_below
from playground.ui.page.controls import HIDDEN
from playground.ui.page.messages import complain, notice, say
from playground.ui.page.model_chooser import REAL, choose_pair, may_install
from playground.words import word

LOOK_S = 0.5  # So much time passes between two looks at how much has come.


def install_button(pair: gr.Dropdown) -> None:
    """Lay out the button below the choice of a pair, and the line that says how far it is."""
    button = gr.Button(word("model_install"), visible=False, size="md", elem_id="install-model")
    message = notice("", elem_id="install-note")
    pair.change(offer_install, pair, [button, message], trigger_mode="multiple", **HIDDEN)
    button.click(install, None, [button, message, pair], concurrency_limit=1, concurrency_id="install", **HIDDEN)


def offer_install(pair: str) -> tuple[gr.Button, Any]:
    """Return the button, to be seen where it would help, and an empty line."""
    return gr.Button(visible=pair == REAL and may_install() and not has_model(), interactive=True), say()


def install() -> Iterator[tuple[Any, Any, Any]]:
    """Install the model into this Python; (button, message, pair) now and then.

    pip says in no form that can be relied on how far it is, so what it has written of the file is counted.
    """
    if not may_install():  # a client may ask for it though it sees no button
        return
    share = 0.0
    for command in model_commands():
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile("w+") as log:
            process = subprocess.Popen(command, env=os.environ | {"TMPDIR": folder}, stdout=log, stderr=log)
            try:
                while process.poll() is None:
                    share = max(share, min(1.0, bytes_below(Path(folder)) / MODEL_BYTES))
                    yield gr.Button(interactive=False), say(word("model_installing", percent=f"{share:.0%}")), gr.skip()
                    time.sleep(LOOK_S)
            finally:
                process.terminate()  # The page may have been closed meanwhile; a process that has ended is left alone.
            if process.returncode:
                problem = complain(word("model_not_installed", why=_last_line(log)))
                yield gr.Button(interactive=True), problem, gr.skip()
                return
    importlib.invalidate_caches()
    yield gr.Button(visible=False), say(word("model_installed")), choose_pair(REAL)[0]


def _last_line(log: IO[str]) -> str:
    log.seek(0)
    lines = [line.strip() for line in log if line.strip() and "[notice]" not in line]
    return lines[-1].rstrip(".") if lines else "pip"
