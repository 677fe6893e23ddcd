"""An empty page with one module of assets/ on it."""

from functools import cache
from pathlib import Path

from playground.views.modules import bundle


def empty_page(page, module: str, name: str, styles: list[Path], *, dark: bool) -> None:
    """Show a page with nothing but `#host`; a module of assets/ is on it as `window[name]`.

    A tab that has this module already only gets another host: reading its hundred files took most of a small test.
    """
    if page.evaluate("window.module") != module:
        page.set_content(_document(module, name, tuple(styles)))
    page.evaluate("(dark) => clearHost(dark)", dark)


# dialogs that a module keeps for the life of its document stay, closed
_CLEAR_HOST = """
window.clearHost = (dark) => {
  window.rest?.();
  window.rest = null;
  for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
  for (const part of document.querySelectorAll("body > :not(.sp-glossary-host)")) part.remove();
  document.body.removeAttribute("style");
  document.body.className = dark ? "dark" : "";
  document.body.prepend(Object.assign(document.createElement("div"), { id: "host" }));
};
"""


@cache
def _document(module: str, name: str, styles: tuple[Path, ...]) -> str:
    return (
        "<!doctype html><html lang=en><meta name=viewport content='width=device-width, initial-scale=1'>"
        f"<style>body {{ margin: 16px }} {''.join(path.read_text() for path in styles)}</style>"
        f"<script>window.module = '{module}'; {_CLEAR_HOST}</script>"
        f"<script type=module>{bundle(module)} window.need = need; window.{name} = await need('{module}');</script>"
    )
