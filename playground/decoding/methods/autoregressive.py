"""Plain decoding: one target call for every token. The baseline that every other method is measured against.

    frontier --target--> p --draw--> token

Paper: none; this is the definition the others must reproduce.
Differs from the paper: nothing.
"""

from __future__ import annotations

from playground.decoding.method import DecodingMethod
from playground.decoding.round import Draft, Setting, Verdict
from playground.decoding.sampling import categorical


class Autoregressive(DecodingMethod):
    """Sample each token from the target model; greedy at temperature 0."""

    title = "Autoregressive"
    summary = "Plain decoding: the target model makes one token per call. The baseline."
    paper = "Definition; no paper"
    lossless = True
    reproduces = "target sampling"
    needs_draft_model = False

    def draft(self, setting: Setting) -> Draft:
        """Nothing."""
        return Draft()

    def verify(self, setting: Setting, draft: Draft) -> Verdict:
        """Draw one token from the target."""
        reading = setting.target.read(setting.frontier)
        probs = reading.probs[0]  # (V,)
        token = categorical(probs, setting.verify_rng.random())
        return Verdict(reading, [], accepted=[], extra=token, origin="plain", extra_probs=probs)
