"""The stage of Watch as the other tabs have it: they open a run there, with the form set as that run was made."""

from collections.abc import Callable
from typing import Any, NamedTuple

import gradio as gr

from playground.trace import Trace
from playground.ui.contract.to_page import Line
from playground.ui.page.controls import HIDDEN


class RunOfTab(NamedTuple):
    """A run that a tab opens on the stage."""

    trace: Trace
    models: tuple[str, str, str]  # pair, target and draft, as the grid of the run names them
    drafter: str
    message: Line  # in Watch
    notice: Line  # in the tab that opens the run
    made_here: bool  # whether it was measured on this machine


class Stage(NamedTuple):
    """The components of the page that an opened run changes, and the handler that opens it."""

    shown: list[Any]  # the player and the tabs of the page
    form: list[Any]  # message, filled, and the controls of the form of Watch
    open: Callable[[gr.Request, Callable[[], RunOfTab]], tuple[Any, ...]]

    def show(
        self,
        event: Callable[..., Any],
        find: Callable[[Any, gr.EventData], RunOfTab],
        job: gr.State,
        message: gr.HTML,
        **settings: Any,
    ) -> None:
        """Open a run at each event of a panel.

        Args:
            event: of the panel.
            find: finds the run by the job that the panel shows and the data of the event, or refuses it.
            job: the race or the sweep that the panel shows.
            message: in which the tab says that the run is open, or why it is not.
            settings: of the event.
        """

        def open_run(request: gr.Request, shown: Any, event: gr.EventData) -> tuple[Any, ...]:
            return self.open(request, lambda: find(shown, event))

        event(open_run, job, [*self.shown, message, *self.form], **settings, **HIDDEN)
