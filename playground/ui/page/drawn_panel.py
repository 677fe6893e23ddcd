"""Panels that scripts of assets/ draw in the browser, and the files that the page loads for them.

The template of such a panel holds no data: Gradio would run text that stands there as code.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import gradio as gr
import plotly

ASSETS = Path(__file__).parents[3] / "assets"
PLAYER, RACE, SWEEP, LAB = (ASSETS / name for name in ("player", "race", "sweep", "lab"))
PLOTLY = Path(plotly.__file__).parent / "package_data"


def drawn_panel(kind: str, on_load: str, scripts: Iterable[Path] = (), **settings: Any) -> gr.HTML:
    """The panel.

    Args:
        kind: its element is of the class `<kind>-host`.
        on_load: mounts it there; PLOTLY_ADDRESS in it becomes plotly's.
        scripts: what it needs, in order.
        settings: of `gr.HTML`.
    """
    return gr.HTML(
        html_template=f'<div class="{kind}-host"></div>',
        js_on_load=on_load.replace("PLOTLY_ADDRESS", _address(PLOTLY / "plotly.min.js")),
        head="".join(f'<script src="{_address(file)}"></script>' for file in scripts) or None,
        apply_default_css=False,
        container=False,
        **settings,
    )


def manifest(folder: Path) -> dict[str, Any]:
    """What a folder of assets lists: its scripts and styles, and those of others that it needs."""
    return json.loads((folder / "manifest.json").read_text())


def scripts_of(folder: Path) -> list[Path]:
    """The scripts of a panel, those of the player and the race that it needs first."""
    listed = manifest(folder)
    folders = {"of_the_player": PLAYER, "of_the_race": RACE, "scripts": folder}
    return [where / name for key, where in folders.items() for name in listed.get(key, [])]


def page_head() -> str:
    """Links to all style sheets. Given to Gradio as css, it would rewrite them and drop container queries."""
    files = [folder / name for folder in (PLAYER, RACE, SWEEP, LAB) for name in manifest(folder)["styles"]]
    return "".join(f'<link rel="stylesheet" href="{_address(file)}">' for file in files)


def _address(file: Path) -> str:
    """Where the page finds a file of a folder that was made static."""
    return f"/gradio_api/file={file}"
