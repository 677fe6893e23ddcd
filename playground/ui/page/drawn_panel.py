"""Panels that scripts of assets/ draw in the browser, and the files that the page loads for them.

The template of such a panel holds no data: Gradio would run text that stands there as code.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gradio as gr
import plotly

from playground.views.modules import ASSETS, styles_of

SHARED, PLAYER, RACE, SWEEP, LAB = FOLDERS = [ASSETS / name for name in ("shared", "player", "race", "sweep", "lab")]
PLOTLY = Path(plotly.__file__).parent / "package_data"


def drawn_panel(kind: str, on_load: str, modules: Mapping[str, Path], **settings: Any) -> gr.HTML:
    """The panel.

    Args:
        kind: its element is of the class `<kind>-host`.
        on_load: mounts it there; PLOTLY_ADDRESS in it becomes plotly's.
        modules: what it calls, by the name that it calls it by.
        settings: of `gr.HTML`.
    """
    fetched = ", ".join(f"import('{_address(file)}')" for file in modules.values())
    code = on_load.replace("PLOTLY_ADDRESS", _address(PLOTLY / "plotly.min.js"))
    return gr.HTML(
        html_template=f'<div class="{kind}-host"></div>',
        js_on_load=f"Promise.all([{fetched}]).then(([{', '.join(modules)}]) => {{{code}}});",
        apply_default_css=False,
        container=False,
        **settings,
    )


def page_head() -> str:
    """Links to all style sheets, and to what the first tab will import, so that the browser fetches it at once.

    Given to Gradio as css, it would rewrite the sheets and drop container queries.
    """
    styles = styles_of(*(folder.name for folder in FOLDERS))
    soon = [file for folder in (SHARED, PLAYER) for file in sorted(folder.rglob("*.js"))]
    links = [("stylesheet", file) for file in styles] + [("modulepreload", file) for file in soon]
    return "".join(f'<link rel="{kind}" href="{_address(file)}">' for kind, file in links)


def _address(file: Path) -> str:
    """Where the page finds a file of a folder that was made static."""
    return f"/gradio_api/file={file}"
