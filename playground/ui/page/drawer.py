"""Drawers over the page: what is needed now and then, one press away, without taking a line of the page.

A drawer is a column that the browser itself shows over everything (a popover): Escape and a press outside close it, and
the focus goes back to its button. Gradio's own accordion would push what is below it, and its sidebar is one only.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import gradio as gr

from playground.ui.page.drawn_panel import drawn_panel
from playground.words import keyed

_BUTTON = '<button type="button" class="drawer-button" popovertarget="{id}">{title}</button>'
_HEAD = (
    '<header class="drawer-head"><h2>{title}</h2><button type="button" class="drawer-close" popovertarget="{id}" '
    'popovertargetaction="hide">✕</button></header>'
)


def drawer_button(title: str, elem_id: str) -> gr.HTML:
    """Return the button of a drawer, which may be laid out later; its words are the drawer's title, too."""
    return drawn_panel(
        "drawer",
        template=_BUTTON.format(id=elem_id, title=title),
        settings={"id": elem_id},
        elem_classes="drawer-opener",
    )


def drawer_menu(titles: Mapping[str, str]) -> gr.HTML:
    """One button for several drawers, which are in the player's menu.

    Args:
        titles: of the drawers, by their ids.
    """
    return drawn_panel("more", settings={"drawers": keyed(titles)}, elem_id="more")


@contextmanager
def drawer(title: str, elem_id: str, *, wide: bool = False) -> Iterator[None]:
    """Inside, components are laid out in the drawer.

    Args:
        title: at its head.
        elem_id: as its button names it.
        wide: for charts.
    """
    with gr.Column(elem_id=elem_id, elem_classes=["drawer", "drawer-wide"] if wide else ["drawer"]):
        gr.HTML(_HEAD.format(id=elem_id, title=title), elem_classes="drawer-top", apply_default_css=False)
        yield
