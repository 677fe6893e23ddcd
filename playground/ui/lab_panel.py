"""A section of the Lab on the page: drawn by the scripts of assets/lab, which ask the server for numbers.

As with the player, the template holds no data: Gradio would run text that stands there as code.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import gradio as gr

from playground.errors import PlaygroundError
from playground.ui.player_panel import PLAYER

LAB = Path(__file__).parents[2] / "assets" / "lab"
_MANIFEST = json.loads((LAB / "manifest.json").read_text())

_ON_LOAD = """
const host = element.querySelector('.lab-host');
host.lab = specLab.MOUNT(host, {ask: (request) => server.ask(request)});
"""

Ask = Callable[[dict[str, Any]], dict[str, Any]]

_log = logging.getLogger(__name__)


def lab_panel(section: str, ask: Ask) -> gr.HTML:
    """The section's picture.

    Args:
        section: its name in the manifest, which lists its scripts and the function of theirs that mounts it.
        ask: answers what the page asks; it must be called so, the page knows it by that name.
    """
    own = _MANIFEST["sections"][section]
    scripts = [*(PLAYER / name for name in _MANIFEST["of_the_player"])]
    scripts += [LAB / name for name in (*_MANIFEST["common"], *own["scripts"])]
    return gr.HTML(
        value="",
        html_template='<div class="lab-host"></div>',
        js_on_load=_ON_LOAD.replace("MOUNT", own["mount"]),
        head="".join(f'<script src="{_address(file)}"></script>' for file in scripts),
        server_functions=[ask],
        apply_default_css=False,
        elem_id=f"lab-{section}-panel",
        container=False,
    )


def page_head() -> str:
    """Links to the style sheets, as the player's: Gradio would rewrite them."""
    return "".join(f'<link rel="stylesheet" href="{_address(LAB / name)}">' for name in _MANIFEST["styles"])


def answered(ask: Ask) -> Ask:
    """The same, with a sentence under "error" where a question is bad or its answer fails."""

    @wraps(ask)
    def safely(request: dict[str, Any]) -> dict[str, Any]:
        try:
            return ask(request)
        except PlaygroundError as error:
            return {"error": str(error)}
        except (KeyError, TypeError, ValueError):
            return {"error": "The question came damaged. Move a slider to ask again."}
        except Exception as error:
            _log.exception("The lab failed")
            return {"error": f"The server could not answer ({type(error).__name__}). Its log says more."}

    return safely


def _address(file: Path) -> str:
    return f"/gradio_api/file={file}"
