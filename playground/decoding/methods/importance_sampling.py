"""Importance sampling: of several independent drafts one is selected by optimised weights, and only that one is tested.

    frontier --q--> a1 --q--> a2 --q--> a3
             --q--> b1 --q--> b2 --q--> b3      K chains; where they agree they share nodes
    at each depth: the chains that agree with the text so far are the draws; a linear program weighs tokens so that the
    selected draw has a distribution P_I as near to p as it can; it is accepted with min(1, p / P_I), or corrected

Paper: Khisti et al. 2025, Multi-Draft Speculative Sampling: Canonical Architectures and Theoretical Limits,
    arXiv 2410.18234, section 4 and appendix G.
Differs from the paper: the program is solved as a flow. The test is against p, not against p inside the alphabet, which
    accepts no less. By an option of ours the tokens that are not weighed one by one are weighed in classes of similar
    p / q, where the paper puts them in one order.

The paper's rule rests on rows that few tokens fill: only s tokens are weighed, and of two others the one with the
larger p - q q wins, however often it is drafted. Top-p, as in its experiments, leaves fewer of them, and still the rule
is below K-SEQ on the bundled pair with three drafts and with four. On a flat row most pairs are such others, so the
order decides nearly everything: what is selected piles up on some tokens and hardly ever is one of the rest. P_I lies
further from p than q does, and more drafts make it worse. Our classes let the program divide between tokens of
different p / q however many there are. By the command `several-drafts`, at 600 positions of texts that the bundled
target wrote at temperature 1, one of four drafts is accepted with probability .825 by the paper's rule, .840 by
SpecInfer, .861 by K-SEQ, .894 with our classes and .895 at the optimum; a single draft with .724.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from playground.decoding import method
from playground.decoding.drafting.draft import Draft
from playground.decoding.drafting.samplers import (
    draft_chains,
    draft_samplers,
    factor_option,
    models_option,
    spread_option,
)
from playground.decoding.method import DecodingMethod, option
from playground.decoding.setting import Setting
from playground.decoding.verdict import Verdict
from playground.decoding.verification import importance
from playground.decoding.verifying import verify_tree

CLASSES = 12  # a good number of them for our rule


@dataclass(frozen=True, slots=True)
class Options(method.Options):
    """Number and length of the draft chains, their samplers, and the size of the linear program."""

    draft_length: int = option(4, label="Draft length", help="Tokens in each chain.", low=1, high=16, unit="tokens")
    num_drafts: int = option(3, label="Draft chains", help="Independent chains (K).", low=2, high=6)
    lp_size: int = option(
        5, label="Tokens weighed", help="Tokens that the linear program weighs one by one (s).", low=1, high=20
    )
    num_classes: int = option(
        0,
        label="Classes (ours)",
        help="0: all other tokens are ranked, as in the paper. Else weighed in this many classes of similar p/q.",
        low=0,
        high=16,
    )
    alphabet: int = option(
        40,
        label="Alphabet",
        help="Without classes: tokens beyond this many of the target's likeliest are ranked last.",
        low=1,
        high=1000,
        unit="tokens",
    )
    draft_models: int = models_option()
    draft_temperature_factor: float = factor_option()
    temperature_spread: float = spread_option()


class ImportanceSampling(DecodingMethod):
    """Several independent draft chains; each position selects one of their tokens by optimised weights."""

    title = "Importance sampling (Khisti et al.)"
    paper = "Khisti et al. 2025, Multi-Draft Speculative Sampling, arXiv 2410.18234"
    reproduces = "target sampling"
    drafts = "chains"
    tests = importance.TESTS

    def __init__(self, options: Options | None = None) -> None:
        super().__init__(options)
        if self.options.num_classes:  # another rule than the paper's goes by another name
            self.title = "Importance sampling with our classes"

    def draft(self, setting: Setting) -> Draft:
        """One draw per chain and depth; a chain's index in the list is its index in the draw order."""
        options = self.options
        samplers = draft_samplers(
            setting,
            options.num_drafts,
            factor=options.draft_temperature_factor,
            spread=options.temperature_spread,
        )
        return draft_chains(setting, options.draft_length, samplers)

    def verify(self, setting: Setting, draft: Draft) -> Verdict:
        """Walk down; the draws below a node are the chains that pass through it."""
        return verify_tree(setting, draft, partial(importance.judge, rule=self._rule()))

    def _rule(self) -> importance.Rule:
        lp_size, num_classes = self.options.lp_size, self.options.num_classes
        if num_classes:
            return partial(importance.pooled, lp_size=lp_size, num_classes=num_classes)
        return partial(importance.truncated, lp_size=lp_size, alphabet=self.options.alphabet)
