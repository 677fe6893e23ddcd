"""The Lab tab: two small distributions that one can drag, and what every rule makes of them, exactly."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gradio as gr

from playground.bench import acceptance_lab
from playground.errors import PlaygroundError
from playground.ui.player_panel import PLAYER

LAB = Path(__file__).parents[3] / "assets" / "lab"
BERNOULLI_DRAFT = 0.3  # the draft's first token in the cut through the RSD paper's figure
UNIFORM_TARGET = 1 / 3  # the target's first token in the importance-sampling paper's figure
_MANIFEST = json.loads((LAB / "manifest.json").read_text())

_ON_LOAD = """
const host = element.querySelector('.lab-host');
host.lab = specLab.mount(host, {ask: (request) => server.ask(request)});
"""

_log = logging.getLogger(__name__)


def build(page: gr.Blocks) -> gr.HTML:
    """Lay the tab out; the lab itself is drawn in the browser and asks the server for numbers."""
    gr.Markdown(
        "Two models, one position: the target's distribution p and the draft's q over a few tokens. Drag them and "
        "see how often each rule accepts a draft, and why what comes out still follows p. Everything is exact.",
        elem_classes="lead",
    )
    scripts = [*(PLAYER / name for name in _MANIFEST["of_the_player"]), *(LAB / name for name in _MANIFEST["scripts"])]
    return gr.HTML(
        value="",
        html_template='<div class="lab-host"></div>',
        js_on_load=_ON_LOAD,
        head="".join(f'<script src="{_address(file)}"></script>' for file in scripts),
        server_functions=[ask],
        apply_default_css=False,
        elem_id="lab",
        container=False,
    )


def page_head() -> str:
    """Links to the style sheets, as the player's: Gradio would rewrite them."""
    return "".join(f'<link rel="stylesheet" href="{_address(LAB / name)}">' for name in _MANIFEST["styles"])


def ask(request: dict[str, Any]) -> dict[str, Any]:
    """What the lab asks while one drags; a bad question is answered by a sentence under "error"."""
    try:
        kind = request["kind"]
        if kind == "position":
            return acceptance_lab.one_position(
                _row(request["target"]), _row(request["draft"]), int(request["num_drafts"]), str(request["rule"])
            )
        if kind in CURVES:
            return CURVES[kind](request)
        return {"error": "The lab does not know this question. Reload the page."}
    except PlaygroundError as error:
        return {"error": str(error)}
    except (KeyError, TypeError, ValueError):
        return {"error": "The question came damaged. Move a slider to ask again."}
    except Exception as error:
        _log.exception("The lab failed")
        return {"error": f"The server could not answer ({type(error).__name__}). Its log says more."}


def _row(values: Any) -> list[float]:
    return [float(value) for value in values]


def _towards(request: dict[str, Any]) -> dict[str, Any]:
    position = acceptance_lab.one_position(  # refuses what cannot be shown
        _row(request["target"]), _row(request["draft"]), int(request["num_drafts"]), "recursive"
    )
    return acceptance_lab.towards(position["target"], position["draft"], position["num_drafts"])


def _drafts(request: dict[str, Any]) -> int:
    drafts = int(request["num_drafts"])
    if not 1 <= drafts <= acceptance_lab.MAX_DRAFTS:
        raise PlaygroundError(f"{drafts} drafts is out of range. Choose 1 to {acceptance_lab.MAX_DRAFTS}.")
    return drafts


def _bernoulli(request: dict[str, Any]) -> dict[str, Any]:
    return acceptance_lab.bernoulli(BERNOULLI_DRAFT, _drafts(request)) | {"value": BERNOULLI_DRAFT}


def _uniform_draft(request: dict[str, Any]) -> dict[str, Any]:
    return acceptance_lab.uniform_draft(UNIFORM_TARGET, _drafts(request)) | {"value": UNIFORM_TARGET}


CURVES: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "towards": _towards,
    "bernoulli": _bernoulli,
    "uniform_draft": _uniform_draft,
}


def _address(file: Path) -> str:
    return f"/gradio_api/file={file}"
