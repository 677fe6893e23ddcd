"""Parts of the page that scripts of assets/ draw in the browser, and the files that the page loads for them.

The template of such a panel holds no data: Gradio would run text that stands there as code.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import wraps
from inspect import isgeneratorfunction
from pathlib import Path
from typing import Any

import gradio as gr
import plotly

from playground.paths import ASSETS
from playground.ui.served.files import address_of as address_in
from playground.views.modules import styles_of
from playground.words import keyed

LANGUAGES, SHARED, PLAYER, RACE, SWEEP, LAB, RECOMMEND, LEARN, PAGE = FOLDERS = [
    ASSETS / name for name in ("languages", "shared", "player", "race", "sweep", "lab", "recommend", "learn", "page")
]
TRACES = ASSETS / "traces"
PLOTLY = Path(plotly.__file__).parent / "package_data"
SERVED = (*FOLDERS, TRACES, PLOTLY)


def json_text(value: Any) -> Any:
    """The value of a large panel as JSON text; None and what leaves the panel as it is stay so.

    Gradio's page copies a value part by part, watches every part, and writes the whole out at each message for
    any other: with the numbers of a race on the page each click waits for that. A text it takes as one.
    """
    return value if value is None or value == gr.skip() else json.dumps(keyed(value), separators=(",", ":"))


def with_json(handler: Callable[..., Any], *indices: int) -> Callable[..., Any]:
    """The handler, with its outputs at these indices as values of large panels; a single output is always one."""

    def converted(outputs: Any) -> Any:
        if not isinstance(outputs, tuple | list):
            return json_text(outputs)
        return [json_text(each) if index in indices else each for index, each in enumerate(outputs)]

    @wraps(handler)
    def answer(*values: Any) -> Any:
        return converted(handler(*values))

    @wraps(handler)
    def steps(*values: Any) -> Iterator[Any]:
        yield from map(converted, handler(*values))

    return steps if isgeneratorfunction(handler) else answer


def event_value(event: gr.EventData, name: str) -> Any:
    """A value that a panel sent with its event; None where it sent none, as a program may."""
    with suppress(AttributeError, TypeError):
        return getattr(event, name)
    return None


def drawn_panel(
    kind: str,
    *,
    value: Any = None,
    large: bool = False,
    wishes: Iterable[str] = (),
    settings: dict[str, Any] | None = None,
    template: str | None = None,
    **of_html: Any,
) -> gr.HTML:
    """The panel.

    Args:
        kind: the module assets/page/panels/<kind>.js mounts it; its element is of the class `<kind>-host`.
        value: what it shows at first.
        large: the value has many parts, and only the server sets it: it is sent as a text. See `with_json`.
        wishes: the events by which it asks something of the server; Gradio has those that its code names.
        settings: given to that module.
        template: of its element, if that is another.
        of_html: of `gr.HTML`.
    """
    settings = {"plotly": address_of(PLOTLY / "plotly.min.js"), "wishes": list(wishes), **(settings or {})}
    panel = "{element, props, trigger, watch, server}"
    return gr.HTML(
        value=json_text(value) if large else value,
        html_template=template or f'<div class="{kind}-host"></div>',
        js_on_load=f"{_module(f'panels/{kind}')}.then(({{mount}}) => mount({panel}, {json.dumps(settings)}));",
        apply_default_css=False,
        container=False,
        **of_html,
    )


def on_page(press: str, *given: Any) -> str:
    """The JavaScript of an event: it calls the function of assets/page/presses.js.

    Args:
        press: its name.
        given: to it, before the values of the event.
    """
    return f"async (...values) => (await {_module('presses')}).{press}(...{json.dumps(given)}, ...values)"


# Gradio opens on Watch and takes half a second to the tab of a link: page/tabs.js shows it
_COVER = r"""<script>
if (/[?&]tab=(?!watch\b)\w/.test(location.search)) document.documentElement.classList.add("tab-opening");
</script>"""


def page_head() -> str:
    """Links to all style sheets and to what the first tab will import, fetched at once; and the cover of a link's tab.

    Given to Gradio as css, it would rewrite the sheets and drop container queries.
    """
    styles = styles_of(*(folder.name for folder in FOLDERS))
    soon = [file for folder in (LANGUAGES, SHARED, PLAYER, PAGE) for file in sorted(folder.rglob("*.js"))]
    links = [("stylesheet", file) for file in styles] + [("modulepreload", file) for file in soon]
    return "".join(f'<link rel="{kind}" href="{address_of(file)}">' for kind, file in links) + _COVER


def _module(name: str) -> str:
    # not relative to the script that imports, which is one of Gradio's
    return f"import(new URL('{address_of(PAGE / f'{name}.js')}', document.baseURI))"


def address_of(path: Path) -> str:
    """The address of a file or a folder of those that are served."""
    return address_in(path, SERVED)
