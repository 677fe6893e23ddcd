"""The change of a branch."""

from dataclasses import dataclass, field
from typing import Literal

from playground.decoding.decode import Round
from playground.decoding.verdict import Judgement
from playground.errors import PlaygroundError
from playground.words import word


@dataclass(frozen=True, slots=True)
class Change:
    """One change: a verdict, a token, or options. Fields are as in `events.RunStarted.branch`.

    Raises:
        PlaygroundError: if there is not exactly one change.
    """

    round: int  # round of the change, from 1
    node: int | None = None  # the tested node that it changes; None for options
    outcome: Literal["accepted", "rejected"] | None = None  # the forced verdict on it
    token: int | None = None  # token that replaces it
    options: dict[str, float] = field(default_factory=dict)  # the method's options from this round on

    def __post_init__(self) -> None:
        kinds = [self.outcome is not None, self.token is not None, bool(self.options)]
        if sum(kinds) != 1 or (self.node is None) != bool(self.options):
            raise PlaygroundError(word("watch_error_one_change"))


def judgement_on(change: Change, original: Round) -> Judgement:
    """Return the test whose outcome a branch forces, or whose token it replaces.

    Raises:
        PlaygroundError: if there was no such test.
    """
    on_node = [each for each in original.verdict.judgements if each.node == change.node]
    if not on_node:
        raise PlaygroundError(word("watch_error_not_drafted", round=original.number, node=change.node))
    tested = [each for each in on_node if each.outcome != "not_tested"]
    if not tested:
        raise PlaygroundError(word("watch_error_not_tested"))
    if change.outcome is None:
        return tested[-1]
    other = [each for each in tested if each.outcome != change.outcome]
    if not other:
        raise PlaygroundError(word("watch_error_no_other_verdict"))
    return other[0]


def uniform_for(judgement: Judgement) -> tuple[float, float]:
    """Random number of a test, and one in the middle of the other side of its acceptance probability.

    Raises:
        PlaygroundError: if no number would change the verdict.
    """
    chance, passed = judgement.accept_prob, judgement.outcome == "accepted"
    if judgement.uniform is None or chance is None or (chance >= 1 if passed else chance <= 0):
        raise PlaygroundError(word("watch_error_no_uniform"))
    return judgement.uniform, (1 + chance) / 2 if passed else chance / 2
