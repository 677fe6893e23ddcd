"""A recorded run in a notebook, and in a paper: no model, no server, no browser of our own.

    show(trace, step=37)      the player, in the output of a cell; a trace as a cell's last line does the same
    figure(trace, step=37)    the tree of that step, as SVG

Steps have the numbers that the player's links have. Neither torch nor Gradio is needed to read, check or show a trace.
"""

from playground.notebook.figure import figure
from playground.notebook.shown import Picture, Player
from playground.notebook.stage import check_step, num_steps
from playground.trace.events import Trace
from playground.views.standalone import standalone_html

__all__ = ["Picture", "Player", "figure", "num_steps", "show"]


def show(trace: Trace, step: int | None = None, *, height: int = 720) -> Player:
    """Show the player with this run, as the output of a cell.

    Args:
        trace: whole or interrupted.
        step: the step that is shown, from 0, as in a link; None: it plays from the start.
        height: of the frame, in px; a megabyte goes into the notebook whatever it is.

    Raises:
        PlaygroundError: if the run has no such step.
    """
    if step is not None:
        check_step(trace, step)
    return Player(standalone_html(trace, step), height)
