"""A sweep's grid as a link, and back."""

from collections.abc import Mapping
from dataclasses import replace

from playground.ui.page.links import TAB, is_for
from playground.ui.page.prompt_chooser import refuse_file
from playground.ui.sweep.setup import SweepForm, sweep_setup


def make_link(form: SweepForm) -> str:
    """Return the query string for this form; options of methods that are not chosen are left out.

    Raises:
        PlaygroundError: if it cannot be swept, or not be in a link.
    """
    sweep_setup(form)
    refuse_file(form)
    options = {name: form.options_of(name) for name in form.methods}
    return replace(form, options=options).link(SweepForm(), **{TAB: "sweep"})


def read_link(query: Mapping[str, str]) -> SweepForm | None:
    """Return the form that a link asks for; None if it is for another tab.

    Raises:
        PlaygroundError: if it asks for what does not exist or cannot be swept.
    """
    if not is_for("sweep", query):
        return None
    form = SweepForm(**SweepForm.read_link(query))
    sweep_setup(form)
    return form
