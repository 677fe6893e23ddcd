"""Acceptance near chance: a drafter that reads features of its target, and is hardly ever right.

A head that reads a state from before the target's last norm where it was trained on that after it, or is another
target's, still drafts text; only what is accepted tells. So the first drafts of a run are looked at.
"""

from playground.trace.events import Trace
from playground.words import Word, word

FIRST = 200  # Only so many tests of drafts are looked at.
FEWEST = 50  # Fewer tests than these say nothing.
NEAR_CHANCE = 0.05  # A head of its own target has 0.3 to 0.9 of its tests accepted.


def near_chance(trace: Trace) -> Word | str:
    """Sentence on a drafter of features whose first tests were hardly ever accepted; else empty."""
    draft = trace.started.draft or {} if trace.events else {}
    if not draft.get("features_of"):
        return ""
    outcomes = [each for of_round in trace.rounds for each in of_round.verified.outcomes if each != "not_tested"][
        :FIRST
    ]
    accepted = outcomes.count("accepted")
    if len(outcomes) < FEWEST or accepted > NEAR_CHANCE * len(outcomes):
        return ""
    return word(
        "why_near_chance",
        drafter=draft["name"],
        target=draft["features_of"],
        accepted=accepted,
        tested=len(outcomes),
    )
