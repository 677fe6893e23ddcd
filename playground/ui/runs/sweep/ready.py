"""Ready-made grids: each asks a question, and ends within two minutes on two cores with the bundled pair."""

from dataclasses import replace
from typing import NamedTuple

from playground.bench.prompts import CHAT, read_prompts
from playground.ui.page.model_chooser import REAL
from playground.ui.runs.sweep.setup import SweepForm
from playground.words import word


class Ready(NamedTuple):
    """One ready-made grid."""

    title: str  # on its button
    question: str  # Its charts answer it; one sentence.
    form: SweepForm  # The form sweeps the grid.

    def form_for(self, pair: str) -> SweepForm:
        """Return the form that asks for it of the chat model, on a prompt of each kind, or else of the bundled pair."""
        if pair != REAL:
            return self.form
        chat = {"prompt": read_prompts(CHAT)[0], "set": CHAT, "prompts": 5, "seeds": "0", "temperature": "0.7"}
        return replace(self.form, pair=pair, **chat)


READY = (
    Ready(
        word("ready_lengths"),
        word("sweep_ask_length"),
        SweepForm(
            methods=["speculative_sampling", "autoregressive"],
            options={"speculative_sampling": {"draft_length": "1..8"}},
        ),
    ),
    Ready(
        word("ready_trees"),
        word("sweep_ask_tree"),
        SweepForm(
            methods=["rsd_s", "rsd_c", "specinfer"],
            options={
                "rsd_s": {"width": "1..4"},
                "rsd_c": {"first_branching": "1..4", "second_branching": "1"},
                "specinfer": {"draft_length": "3", "first_draws": "1..4"},
            },
        ),
    ),
    Ready(
        word("ready_quality"),
        word("sweep_ask_lossy"),
        SweepForm(
            methods=["typical_acceptance", "bild", "speculative_sampling"],
            options={
                "typical_acceptance": {"epsilon": "0.03, 0.09, 0.27", "delta": "0.1, 0.5"},
                "bild": {"rollback": "1, 3, 5"},
            },
        ),
    ),
)
