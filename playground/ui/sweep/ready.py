"""Ready-made grids: each asks a question, and ends within two minutes on two cores with the bundled pair."""

from __future__ import annotations

from typing import Any, NamedTuple


class Ready(NamedTuple):
    """One ready-made grid.

    Attributes:
        title: on its button.
        question: what its charts answer, one sentence.
        values: of the controls, as `sweep_setup.controls_of` gives them; the others go to their defaults.
    """

    title: str
    question: str
    values: dict[str, Any]


DEFAULTS = {
    "source": "preset", "prompt": "", "set": "quick", "prompts": 2, "pair": "bundled", "target": "", "draft": "",
    "tokens": "64", "seeds": "0, 1", "temperature": "1", "top_k": "0", "top_p": "1",
}  # fmt: skip

READY = (
    Ready(
        "Draft length 1 to 8",
        "How long should a draft be, before the tokens at its end are wasted?",
        DEFAULTS | {"methods": ["speculative_sampling", "autoregressive"], "speculative_sampling.draft_length": "1..8"},
    ),
    Ready(
        "Trees over the target's budget",
        "Which tree makes the most of the nodes that the target reads in one call?",
        DEFAULTS
        | {
            "methods": ["rsd_s", "rsd_c", "specinfer"],
            "rsd_s.width": "1..4",
            "rsd_c.first_branching": "1..4",
            "rsd_c.second_branching": "1",
            "specinfer.draft_length": "3",
            "specinfer.first_draws": "1..4",
        },
    ),
    Ready(
        "Quality for speed",
        "What do lossy methods gain in speed, and does the target find their texts less likely?",
        DEFAULTS
        | {
            "methods": ["typical_acceptance", "bild", "speculative_sampling"],
            "typical_acceptance.epsilon": "0.03, 0.09, 0.27",
            "typical_acceptance.delta": "0.1, 0.5",
            "bild.rollback": "1, 3, 5",
        },
    ),
)
