"""Big little decoder: the small model writes while it is confident; the large one takes over, and may go back. Lossy.

    frontier --best--> x1 --best--> x2 --?        draft until the small model's confidence max q falls below fallback,
                                                  or 10 tokens: the hesitant token is not drafted
       -log p(x1) <= rollback?  -log p(x2)?       one target call; roll back at the first token that surprises it
                      \\-> y ~ p                   the target's own token there, or after the last

Paper: Kim et al. 2023, Speculative Decoding with Big Little Decoder, arXiv 2302.07863.
Differs from the paper: the target's token is drawn from p, where the paper takes the most likely (at temperature 0 both
    are the same). Confidence and surprise are those of the unwarped models, as there. An end-of-text token of the small
    model ends the text only once the target has accepted it; the reference code ends at it unverified.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

import torch

from playground.decoding import method
from playground.decoding.method import DecodingMethod, option
from playground.decoding.round import Draft, Layer, Setting, Verdict
from playground.decoding.verification import rollback
from playground.decoding.verification.prefix import keep_prefix


@dataclass(frozen=True, slots=True)
class Options(method.Options):
    """When to hand over, and when to go back."""

    draft_length: int = option(
        10, label="Longest run", help="Tokens the small model writes at most per round.", low=1, high=32, unit="tokens"
    )
    fallback: float = option(
        0.6,
        label="Fallback threshold",
        help="The small model hands over where its best token has less probability than this.",
        low=0,
        high=1,
        step=0.05,
    )
    rollback: float = option(
        5.0,
        label="Rollback threshold",
        help="Go back to the first token whose surprise -log p is larger than this.",
        low=0,
        high=20,
        step=0.5,
        unit="nats",
    )


@dataclass(slots=True)
class SureDraft(Draft):
    """A draft that remembers how sure the small model was.

    Attributes:
        confidences: its largest probability before each drafted token, and before the one that it hesitated at.
        hesitant: that token, which was not drafted; None where the run ended otherwise.
    """

    confidences: list[float] = field(default_factory=list)
    hesitant: int | None = None


class BiLD(DecodingMethod):
    """Fall back on low confidence, roll back on high surprise."""

    title = "Big little decoder (BiLD)"
    summary = "Lossy: the small model writes while confident; the large one takes over and may roll back."
    paper = "Kim et al. 2023, Speculative Decoding with Big Little Decoder, arXiv 2302.07863"
    lossless = False
    reproduces = "none"
    needs_draft_model = True
    Options = Options

    def draft(self, setting: Setting) -> SureDraft:
        """The small model's most likely tokens, until it hesitates."""
        draft, node = SureDraft(), setting.frontier[0]
        for _ in range(min(self.options.draft_length, setting.room - 1)):  # the last token is the target's own
            reading = setting.draft_model.read([node])
            confidence, token = torch.softmax(reading.forward.logits[0].double(), -1).max(-1)
            draft.confidences.append(float(confidence))
            if draft.confidences[-1] < self.options.fallback:
                draft.hesitant = int(token)
                break
            draft.probs[node] = reading.probs[0]  # (V,)
            child = setting.tree.add(node, int(token))
            draft.layers.append(Layer([node], [child], reading.seconds))
            node = child
            if int(token) in setting.eos_ids:
                break
        return draft

    def verify(self, setting: Setting, draft: SureDraft) -> Verdict:
        """One target call over the run, then the surprise of each token."""
        chain = draft.nodes()
        reading = setting.target.read([*setting.frontier, *chain])
        tokens = [setting.tree.tokens[node] for node in chain]
        log_probs = torch.log_softmax(reading.forward.logits[: len(chain)].double(), -1)  # (N, V)
        chosen = log_probs[range(len(chain)), tokens].tolist()
        thresholds = {"fallback": self.options.fallback, "threshold": self.options.rollback}
        rulings = rollback.judge(chosen, threshold=self.options.rollback)
        shown = partial(rollback.workings, draft.confidences, chosen, draft.hesitant, **thresholds)
        return keep_prefix(setting, draft, reading, rulings, shown)
