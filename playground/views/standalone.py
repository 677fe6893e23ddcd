"""One HTML file that plays a trace: the player, the trace and its charts inside, nothing fetched from anywhere.

Every text a model wrote stands in JSON, from where the player shows it as text; the browser never reads it as markup.
The page's own policy forbids it to load anything, so that a mistake here could not call out either.
"""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

from playground.paths import ASSETS
from playground.trace.events import Trace
from playground.trace.storage import to_json
from playground.views.charts import page_charts
from playground.views.modules import bundle, styles_of
from playground.views.tokens import escaped, shortened
from playground.words import keyed

ENGLISH = "en"

_PAGE = """<!DOCTYPE html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title}</title>
<style>
{style}
</style>
</head>
<body>
<main>
<h1>{heading}</h1>
<div id="player"></div>
<noscript><p>Playing a run needs JavaScript.</p></noscript>
</main>
<script type="application/json" id="trace">{trace}</script>
<script type="application/json" id="charts">{charts}</script>
<script type="application/json" id="step">{step}</script>
{table}<script type="module">
{modules}{start}
</script>
</body>
</html>
"""

_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
    "font-src data:; base-uri 'none'; form-action 'none'"
)

_STYLE = """:root { color-scheme: light dark; }
body { margin: 0; background: #ffffff; color: #1f2328; font: 16px/1.5 system-ui, sans-serif; }
main { padding: 6px 16px 12px; --sp-room: calc(100dvh - 18px); }
h1 { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
@media (prefers-color-scheme: dark) { body { background: #0b0f19; color: #e6e8eb; } }
"""

_START = """const { mount } = await need("player/player.js");
const read = (id) => JSON.parse(document.getElementById(id).textContent);
const player = mount(document.getElementById("player"), { label: document.title, everywhere: true });
const step = read("step");
player.load(read("trace"), { autoplay: step === null });
player.setFigures(read("charts"));
// where nothing may move, a whole round
if (!player.state().playing) player.goto(step ?? player.trace.rounds[0]?.lastStep ?? 0);"""


def standalone_html(trace: Trace, step: int | None = None, language: str = ENGLISH) -> str:
    """Make a self-contained page that plays the trace in the reader's colour scheme, or stays at one step.

    Args:
        trace: the run.
        step: that it stands at; None: it plays.
        language: of its words, where there is a table of it; else they are English.
    """
    table, charts = _table(language), page_charts(trace)
    title = html.escape(_title(trace))
    return _PAGE.format(
        policy=_POLICY,
        title=title,
        heading=title,
        style=_STYLE + "\n".join(_style(file) for file in styles_of("shared", "player", root=ASSETS)),
        trace=inline_json(json.loads(to_json(trace))),
        charts=inline_json(keyed(charts) if table else charts),
        step=inline_json(step),
        language=language if table else ENGLISH,
        table=f'<script type="application/json" id="language-table" lang="{language}">{table}</script>\n'
        if table
        else "",
        modules=bundle("player/player.js", root=ASSETS),
        start=_START,
    )


def _table(language: str) -> str:
    """Return the words in this language, or nothing."""
    file = next((file for file in (ASSETS / "languages").glob("??.json") if file.stem == language != ENGLISH), None)
    return inline_json(json.loads(file.read_text(encoding="utf-8"))) if file else ""


def inline_json(data: Any) -> str:
    """JSON that may stand inside a script element: no character in it can end the element, whatever a model wrote."""
    text = json.dumps(data, separators=(",", ":"))  # ASCII: surrogates and line separators are escaped
    return re.sub("[<>&]", lambda match: f"\\u{ord(match[0]):04x}", text)


def _title(trace: Trace) -> str:
    if not trace.events:
        return "Speculative decoding"
    start = trace.started
    return escaped(f"{start.title}: {shortened(' '.join(start.prompt.split()), 80)}")


def _style(file: Path) -> str:
    return re.sub("<(?=/style)", r"\\3c ", file.read_text(encoding="utf-8"), flags=re.IGNORECASE)
