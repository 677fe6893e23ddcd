"""Plain decoding: one target call for every token. The baseline that every other method is measured against.

    frontier --target--> p --draw--> token

Paper: none; this is the definition the others must reproduce.
Differs from the paper: nothing.
"""

from playground.decoding.drafting.draft import Draft
from playground.decoding.method import DecodingMethod
from playground.decoding.setting import Setting
from playground.decoding.verdict import Verdict
from playground.decoding.verifying import close, read


class Autoregressive(DecodingMethod):
    """Plain decoding: the target model makes one token per call. The baseline."""

    title = "Autoregressive"
    paper = "Definition; no paper"
    reproduces = "target sampling"
    needs_draft_model = False
    tests = ""
    drafts = "nothing"

    def verify(self, setting: Setting, draft: Draft) -> Verdict:
        """Draw one token from the target."""
        return close(setting, draft, read(setting, draft))
