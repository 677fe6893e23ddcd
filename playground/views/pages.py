"""Pages that are made of a template in assets/page, in the language of Jinja."""

from jinja2 import Template

from playground.paths import ASSETS


def filled_page(name: str, **parts: str) -> str:
    """Return a page with these parts put in as they are: the caller escapes what must be."""
    text = (ASSETS / "page" / name).read_text(encoding="utf-8")
    return Template(text, keep_trailing_newline=True).render(parts)
