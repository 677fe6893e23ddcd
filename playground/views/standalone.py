"""One HTML file that plays a trace: the player, the trace and its charts inside, nothing fetched from anywhere.

Every text a model wrote is in JSON, from where the player shows it as text; the browser never reads it as markup.
The page's own policy forbids it to load anything, so that a mistake here could not call out either.
"""

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
from playground.views.pages import filled_page
from playground.views.tokens import escaped, shortened
from playground.words import keyed

ENGLISH = "en"

_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
    "font-src data:; base-uri 'none'; form-action 'none'"
)


def standalone_html(trace: Trace, step: int | None = None, language: str = ENGLISH) -> str:
    """Make a self-contained page that plays the trace in the reader's colour scheme, or stays at one step.

    Args:
        step: the step that is shown; None: the run plays.
        language: of its words, where there is a table of it; else they are English.
    """
    table, charts = _table(language), page_charts(trace)
    title = html.escape(_title(trace))
    return filled_page(
        "standalone.html",
        policy=_POLICY,
        title=title,
        style="\n".join(_style(file) for file in styles_of("shared", "player", root=ASSETS)),
        trace=inline_json(json.loads(to_json(trace))),
        charts=inline_json(keyed(charts) if table else charts),
        step=inline_json(step),
        language=language if table else ENGLISH,
        table=f'<script type="application/json" id="language-table" lang="{language}">{table}</script>\n'
        if table
        else "",
        modules=bundle("player/player.js", root=ASSETS),
    )


def _table(language: str) -> str:
    """Return the words in this language, or nothing."""
    file = next((file for file in (ASSETS / "languages").glob("??.json") if file.stem == language != ENGLISH), None)
    return inline_json(json.loads(file.read_text(encoding="utf-8"))) if file else ""


def inline_json(data: Any) -> str:
    """Return JSON for a script element: no character in it can end the element, whatever a model wrote."""
    text = json.dumps(data, separators=(",", ":"))  # ASCII: surrogates and line separators are escaped
    return re.sub("[<>&]", lambda match: f"\\u{ord(match[0]):04x}", text)


def _title(trace: Trace) -> str:
    if not trace.events:
        return "Speculative decoding"
    start = trace.started
    return escaped(f"{start.title}: {shortened(' '.join(start.prompt.split()), 80)}")


def _style(file: Path) -> str:
    return re.sub("<(?=/style)", r"\\3c ", file.read_text(encoding="utf-8"), flags=re.IGNORECASE)
