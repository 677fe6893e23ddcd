"""A page with one section of the Lab on it, answered by the section's own handler in this process."""

from typing import Any
from urllib.parse import parse_qs

from playground.ui.lab.tab import SECTIONS
from playground.views.modules import bundle, styles_of

ADDRESS = "http://127.0.0.1:9/"  # nobody listens there: what the browser asks for is answered here


def open_lab(page, query: str) -> str:
    """Open a section by its link; gives the selector of its element, which is that of the whole page."""
    section = parse_qs(query.lstrip("?"))["section"][0]
    if not page.evaluate("'askLab' in window"):
        page.expose_function("askLab", answer)
    page.unroute_all()
    page.route(f"{ADDRESS}**", lambda route: route.fulfill(body=_document(section), content_type="text/html"))
    page.goto(ADDRESS + query)
    page.wait_for_function("document.querySelector('.lab-host').lab")
    return f"#lab-{section}-panel"


def answer(section: str, request: dict[str, Any]) -> dict[str, Any]:
    """Return the answer of the page's handler."""
    return SECTIONS[section](request)


def of_lab(page, expression: str) -> Any:
    """Return the value of a JavaScript expression on the section's `lab`."""
    return page.evaluate(f"(() => {{ const {{ lab }} = document.querySelector('.lab-host'); return {expression}; }})()")


def _document(section: str) -> str:
    return (
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
        f"<style>{''.join(path.read_text(encoding='utf-8') for path in styles_of('shared', 'player', 'lab'))}</style>"
        f"<div id=lab-{section}-panel><div class=lab-host></div></div>"
        f"<script type=module>{bundle('page/panels/lab.js')}"
        f"const ask = (request) => askLab('{section}', request);"
        "const panel = { element: document, server: { ask } };"
        f"(await need('page/panels/lab.js')).mount(panel, {{ section: '{section}' }});</script>"
    )
