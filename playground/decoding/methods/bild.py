"""Big little decoder: the small model writes while it is confident; the large one takes over, and may go back. Lossy.

    frontier --best--> x1 --best--> x2 --?        draft until the small model's confidence max q falls below fallback,
                                                  or 10 tokens: the hesitant token is not drafted
       -log p(x1) <= rollback?  -log p(x2)?       one target call; roll back at the first token that surprises it
                      \\-> y ~ p                   the target's own token there, or after the last

Paper: Kim et al. 2023, Speculative Decoding with Big Little Decoder, arXiv 2302.07863.
Differs from the paper: the target's token is drawn from p, where the paper takes the most likely (at temperature 0 both
    are the same). Confidence and surprise are those of the unwarped models, as there. An end-of-text token of the small
    model ends the text only once the target has accepted it; the reference code ends at it unverified. That code lets
    the large model write the first token of all; here the small one begins.
"""

import math
from dataclasses import dataclass, field, replace

from playground.decoding import method
from playground.decoding.distribution import BestGuess
from playground.decoding.drafting.draft import Draft
from playground.decoding.method import DecodingMethod, option
from playground.decoding.setting import Setting
from playground.decoding.verdict import Verdict
from playground.decoding.verification.lossy import rollback
from playground.decoding.verifying import close_chain, read
from playground.decoding.workings.records import Rollback


@dataclass(frozen=True, slots=True)
class Options(method.Options):
    """Thresholds of fallback and rollback."""

    draft_length: int = option(
        10, label="Longest run", help="Tokens the small model writes at most per round.", low=1, high=32, unit="tokens"
    )
    fallback: float = option(
        0.2,
        label="Fallback threshold",
        help="The small model hands over where its best token has less probability than this. Its code has 0.6, where "
        "a model as small as ours drafts nothing.",
        low=0,
        high=1,
        step=0.05,
    )
    rollback: float = option(
        1.5,
        label="Rollback threshold",
        help="Go back to the first token whose surprise -log p is larger than this. The paper's go from 2 to 5; 5 "
        "hardly ever goes back here.",
        low=0,
        high=20,
        step=0.5,
        unit="nats",
    )


@dataclass(slots=True)
class SureDraft(Draft):
    """A draft with the small model's confidences."""

    # largest probability before each drafted token, and before the token below the fallback threshold
    confidences: list[float] = field(default_factory=list)
    hesitant: int | None = None  # It was not drafted; None where the draft ended otherwise.


class BiLD(DecodingMethod):
    """The small model writes while confident; the large one takes over and may roll back."""

    title = "Big little decoder (BiLD)"
    paper = "Kim et al. 2023, Speculative Decoding with Big Little Decoder, arXiv 2302.07863"
    reproduces = "none"

    def draft(self, setting: Setting) -> SureDraft:
        """Draft the small model's most likely tokens, down to the fallback threshold."""
        draft = SureDraft()
        for parents in setting.parents_by_depth(draft, self.options.draft_length):
            reading = setting.draft_model.read(parents, unwarped=True)
            if reading.dead_ends is not None:
                break
            [log_probs] = reading.log_probs(parents)
            token = int(log_probs.argmax())
            draft.confidences.append(math.exp(log_probs[token]))
            if draft.confidences[-1] < self.options.fallback:
                draft.hesitant = token
                break
            draft.hang(setting.tree, [(parents[0], token)], BestGuess(reading.probs[0]), reading.seconds)
        return draft

    def verify(self, setting: Setting, draft: SureDraft) -> Verdict:
        """One target call over the chain, then the test of each token's surprise."""
        reading, tokens = read(setting, draft), [setting.tree.tokens[node] for node in draft.nodes()]
        chosen = reading.log_probs(reading.nodes[: len(tokens)])[range(len(tokens)), tokens].tolist()
        ruling = rollback.judge(chosen, reading.probs, threshold=self.options.rollback)
        return close_chain(setting, draft, reading, replace(ruling, workings=lambda: self._workings(draft, chosen)))

    def _workings(self, draft: SureDraft, log_probs: list[float]) -> Rollback:
        return Rollback(
            confidences=draft.confidences,
            surprises=[-each if math.isfinite(each) else None for each in log_probs],
            fallback=self.options.fallback,
            rollback=self.options.rollback,
            tokens=[] if draft.hesitant is None else [draft.hesitant],
        )
