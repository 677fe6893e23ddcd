"""Exports of a tab: a link to its setup, and files."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import gradio as gr

from playground.errors import PlaygroundError
from playground.ui.page.controls import HIDDEN, POSTED
from playground.ui.page.drawn_panel import on_page
from playground.ui.page.form import Controls
from playground.ui.page.messages import complain, notice, say
from playground.words import word


class TakeAway(NamedTuple):
    """The fields."""

    link: gr.Textbox
    make: gr.Button
    message: gr.HTML
    download: gr.DownloadButton
    press: str

    def offer_link(self, form: Controls[Any], make: Callable[[Any], str]) -> None:
        """Make the link when its button is pressed: the query string of the filled form."""
        handler = form.call(lambda filled: told_link(lambda: make(filled)))
        link = self.make.click(handler, form.components, [self.link, self.message], **POSTED)
        link.success(None, self.link, self.link, js=on_page("wholeAddress"), **HIDDEN)

    def offer_file(
        self, button: gr.Button, write: Callable[..., Path], values: list[Any], js: str | None = None
    ) -> None:
        """Save a file when this button is pressed: `write` makes it of the values, the first being what is shown."""
        saved = button.click(partial(save, write, self.press), values, [self.download, self.message], js=js, **HIDDEN)
        saved.success(None, self.download, None, js=on_page("download"), **HIDDEN)


def save(write: Callable[..., Path], press: str, shown: Any, *values: Any) -> tuple[Any, Any]:
    """Write what is shown into a file; (download, message), which says what to press where nothing is shown."""
    try:
        if shown is None:
            raise PlaygroundError(word(f"press_{press}"))
        path = write(shown, *values)
    except PlaygroundError as error:
        why = error.args[0]
    except OSError as error:
        why = error.strerror or str(error)  # without the path: a folder of the server
    else:
        return gr.DownloadButton(value=str(path)), say(word("notice_saved", name=path.name))
    return gr.DownloadButton(value=None), say(word("watch_error_not_saved"), why, kind="error")


def told_link(make: Callable[[], str]) -> tuple[str, Any]:
    """(query, message) once the link is made, or why it cannot be."""
    try:
        return make(), say(word("notice_link_made"))
    except PlaygroundError as error:
        return "", complain(error)


def follow_form(
    tab: str, form: Controls[Any], make: Callable[[Any], str], plan: gr.HTML, plan_of: Callable[[Any], Any]
) -> None:
    """Keep the address up to date, and the line that says what would run.

    Both by one event: of two that a control has, Gradio repeats the one whenever the other ends, for ever. And in the
    queue, one after the other: of answers that were made side by side, an older one could come last, and stay. The page
    asks again until the form has come to rest, see assets/page/form.js.

    Args:
        tab: its name in a link.
        form: of the tab.
        make: the query string of a filled form; what it refuses has no link, and the address only names the tab.
        plan: the line.
        plan_of: what it says of a filled form.
    """
    query = gr.Textbox(visible=False)
    again = gr.Button(visible="hidden", elem_id=f"{tab}-ask-again")
    changed = gr.on(
        [again.click, *(control.change for control in form.components)],
        form.call(lambda filled: (plan_of(filled), told_link(lambda: make(filled))[0])),
        form.components,
        [plan, query],
        js=on_page("asksOfForm", tab),
        trigger_mode="always_last",
        **POSTED,
    )
    changed.then(None, query, None, js=on_page("toldOfForm", tab), **HIDDEN)


def take_away(prefix: str, *, what: str, press: str) -> TakeAway:
    """Lay the fields out.

    Args:
        prefix: what their ids begin with.
        what: the link leads to: setup, race, grid or recommendation.
        press: the button that makes what files are made of: run, race, sweep or recommend.
    """
    with gr.Row(equal_height=False, elem_classes="low-row"):
        link = gr.Textbox(
            label=word(f"link_to_{what}"),
            info=word("link_info"),
            interactive=False,
            buttons=["copy"],
            scale=4,
            elem_id=f"{prefix}link",
        )
        make = gr.Button(word("make_link"), elem_id=f"{prefix}make-link", size="md")
    message = notice(elem_id=f"{prefix}file-notice")
    download = gr.DownloadButton(word("download"), visible="hidden", elem_id=f"{prefix}download")
    return TakeAway(link, make, message, download, press)
