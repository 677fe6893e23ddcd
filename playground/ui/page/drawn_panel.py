"""Parts of the page that scripts of assets/ draw in the browser, and the files that the page loads for them.

The template of such a panel holds no data: Gradio would run text in it as code.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import wraps
from inspect import isgeneratorfunction
from pathlib import Path
from typing import Any

import gradio as gr
import plotly

from playground.errors import PlaygroundError
from playground.paths import ASSETS
from playground.ui.contract.from_page import FromPage
from playground.ui.contract.reading import M, receive, tag_of
from playground.ui.served.files import address_of as address_in
from playground.ui.served.files import address_of_name
from playground.ui.served.gradio_queue import event_fields
from playground.views.modules import bundle, styles_of
from playground.words import keyed

NAMES = ("languages", "shared", "player", "runs", "lab", "recommend", "learn", "page")
TRACES = ASSETS / "traces"
PLOTLY = Path(plotly.__file__).parent / "package_data"
SERVED = (*(ASSETS / name for name in NAMES), TRACES, PLOTLY)
SCRIPT, STYLE = "script.js", "style.css"


def json_text(value: Any) -> Any:
    """Return the value of a large panel as JSON text; None and what leaves the panel as it is stay so.

    Gradio's page copies a value part by part, watches every part, and writes the whole out at each message for
    any other: with the numbers of a race on the page each click waits for that. A text it takes as one.
    """
    return value if value is None or value == gr.skip() else json.dumps(keyed(value), separators=(",", ":"))


def with_json(handler: Callable[..., Any], *indices: int) -> Callable[..., Any]:
    """Wrap a handler: its outputs at these indices become values of large panels; a single output is always one."""

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


def heard(event: gr.EventData, kind: type[M]) -> M:
    """Return the message that a panel sent with its event.

    Raises:
        gr.Error: if a program, or a page of another version, sent something else.
    """
    try:
        return receive(event_fields(event), kind)
    except PlaygroundError as error:
        raise gr.Error(str(error), print_exception=False) from None


def drawn_panel(
    kind: str,
    *,
    value: Any = None,
    large: bool = False,
    hears: Iterable[type[FromPage]] = (),
    settings: Mapping[str, object] | None = None,
    template: str | None = None,
    **of_html: Any,
) -> gr.HTML:
    """Return the panel.

    Args:
        kind: the module assets/page/panels/<kind>.js mounts it; its element is of the class `<kind>-host`.
        value: what it shows at first.
        large: the value has many parts, and only the server sets it: it is sent as a text. See `with_json`.
        hears: the messages that come as its events; Gradio has those events that its code names.
        settings: given to that module.
        template: of its element, if that is another.
        of_html: of `gr.HTML`.
    """
    events = [tag_of(each) for each in hears]
    settings = {"plotly": address_of(PLOTLY / "plotly.min.js"), "events": events, **(settings or {})}
    panel = "{element, props, trigger, watch, server}"
    return gr.HTML(
        value=json_text(value) if large else value,
        html_template=template or f'<div class="{kind}-host"></div>',
        js_on_load=f"{module(f'page/panels/{kind}.js')}.then(({{mount}}) => mount({panel}, {json.dumps(settings)}));",
        apply_default_css=False,
        container=False,
        **of_html,
    )


def on_page(press: str, *given: Any) -> str:
    """Return the JavaScript of an event: it calls the function of assets/page/presses.js.

    Args:
        press: its name.
        given: to it, before the values of the event.
    """
    return f"async (...values) => (await {module('page/presses.js')}).{press}(...{json.dumps(given)}, ...values)"


# The page's first script, in the HTML itself: what Gradio is given for the head comes with its own script. Gradio opens
# on Watch and takes half a second to the tab of a link: page/tabs.js shows it. A key that is pressed before the player
# is there is kept for it
FIRST_SCRIPT = r"""<script>
if (/[?&]tab=(?!watch\b)\w/.test(location.search)) document.documentElement.classList.add("tab-opening");
addEventListener("keydown", ({ key, target, ctrlKey, altKey, metaKey }) => {
  const isForPage = [document.body, document.documentElement].includes(target) && !(ctrlKey || altKey || metaKey);
  if (isForPage && !document.querySelector(".spec-player")) window.earlyKey = key;
});
</script>"""


def page_head() -> str:
    """Link the style sheet and the script, which are fetched at once.

    Given to Gradio as css, it would rewrite the sheet and drop container queries.
    """
    links = [("stylesheet", STYLE), ("modulepreload", SCRIPT)]
    return "".join(f'<link rel="{kind}" href="{address_of_name(name, SERVED)}">' for kind, name in links)


def script() -> str:
    """Link the modules of every panel into one: a page fetches one script instead of two hundred."""
    panels = [f"page/panels/{file.name}" for file in sorted((ASSETS / "page" / "panels").glob("*.js"))]
    return bundle("page/presses.js", *panels, address="new URL(name, import.meta.url).href") + "export { need };\n"


def style() -> str:
    """Join the style sheets of every panel."""
    return "\n".join(file.read_text(encoding="utf-8") for file in styles_of(*NAMES))


BUNDLES = {SCRIPT: script, STYLE: style}


def module(name: str) -> str:
    """Return JavaScript for the exports, once they are there, of a module in assets/."""
    # not relative to the script that imports, which is one of Gradio's
    return f"import(new URL('{address_of_name(SCRIPT, SERVED)}', document.baseURI)).then((all) => all.need('{name}'))"


def address_of(path: Path) -> str:
    """Return the address of a file or a folder of those that are served."""
    return address_in(path, SERVED)
