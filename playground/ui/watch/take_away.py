"""What a reader takes along from a tab: a link to its setup, and files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import gradio as gr

from playground.ui.page.messages import notice

_WHOLE_ADDRESS = "(query) => query ? location.origin + location.pathname + query : ''"
# the hidden button has a link once there is a file, and none after a refusal
_CLICK = "() => setTimeout(() => document.querySelector('a#ID, #ID a, #ID')?.click(), 50)"
_HIDDEN: Any = {"show_progress": "hidden", "api_visibility": "private"}


class TakeAway(NamedTuple):
    """The fields."""

    link: gr.Textbox
    make: gr.Button
    message: gr.HTML
    download: gr.DownloadButton

    def offer_link(self, made_of: Callable[..., tuple[Any, Any]], values: list[Any]) -> None:
        """Make the link when its button is pressed; `made_of` gives (query, message)."""
        made = self.make.click(made_of, values, [self.link, self.message], **_HIDDEN)
        made.success(None, self.link, self.link, js=_WHOLE_ADDRESS, **_HIDDEN)

    def offer_file(self, button: gr.Button, write: Callable[..., tuple[Any, Any]], values: list[Any]) -> None:
        """Save a file when this button is pressed; `write` gives (download, message)."""
        saved = button.click(write, values, [self.download, self.message], **_HIDDEN)
        saved.success(None, None, None, js=_CLICK.replace("ID", self.download.elem_id), **_HIDDEN)


def take_away(prefix: str, *, what: str, info: str) -> TakeAway:
    """Lay the fields out.

    Args:
        prefix: what their ids begin with.
        what: the link leads to.
        info: what the link says, and what is left to do for whoever opens it.
    """
    with gr.Row(equal_height=False, elem_classes="low-row"):
        link = gr.Textbox(
            label=f"Link to this {what}",
            info=info,
            interactive=False,
            buttons=["copy"],
            scale=4,
            elem_id=f"{prefix}link",
        )
        make = gr.Button("Make the link", elem_id=f"{prefix}make-link", size="md")
    message = notice(elem_id=f"{prefix}file-notice")
    return TakeAway(link, make, message, gr.DownloadButton("Download", visible="hidden", elem_id=f"{prefix}download"))
