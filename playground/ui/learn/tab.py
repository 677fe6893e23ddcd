"""Lessons on the recorded runs. The browser has them all; here is where the runs lie."""

from playground.ui.page.drawn_panel import TRACES, address_of, drawn_panel


def build() -> None:
    """Lay the tab out."""
    drawn_panel("learn", settings={"traces": address_of(TRACES)}, elem_id="learn")
