"""SpecTr: several independent draft chains, verified together by K-SEQ.

    frontier --q--> a1 --q--> a2 --q--> a3
             --q--> b1 --q--> b2 --q--> b3      K chains; where they agree they share nodes
    at each depth, the chains that agree with the text so far are the K' draws; K-SEQ accepts one of them with
    min(1, p / (rho q)), rho solved for K', or ends the round with a correction

Paper: Sun et al. 2023, SpecTr: Fast Speculative Decoding via Optimal Transport, arXiv 2310.15141, Algorithms 2 and 3.
Differs from the paper: the division factor is solved at every node for the number of chains still alive there; the
    paper's fixed choices are valid too, but the largest can do worse than a single draft.
"""

from dataclasses import dataclass

from playground.decoding import method
from playground.decoding.drafting.draft import Draft
from playground.decoding.drafting.samplers import draft_chains, draft_samplers, factor_option
from playground.decoding.method import DecodingMethod, option
from playground.decoding.setting import Setting
from playground.decoding.verdict import Verdict
from playground.decoding.verification import k_seq
from playground.decoding.verifying import verify_tree


@dataclass(frozen=True, slots=True)
class Options(method.Options):
    """Number and length of the draft chains, and their temperature."""

    draft_length: int = option(4, label="Draft length", help="Tokens in each chain.", low=1, high=16, unit="tokens")
    num_drafts: int = option(4, label="Draft chains", help="Independent chains (K).", low=1, high=16)
    draft_temperature_factor: float = factor_option()


class SpecTr(DecodingMethod):
    """Several independent draft chains; each position accepts one of their tokens, with a shared division factor."""

    title = "SpecTr (K-SEQ)"
    paper = "Sun et al. 2023, SpecTr, arXiv 2310.15141"
    reproduces = "target sampling"
    drafts = "chains"

    def draft(self, setting: Setting) -> Draft:
        """One draw per chain and depth; a chain's index in the list is its index in the draw order."""
        options = self.options
        samplers = draft_samplers(setting, options.num_drafts, factor=options.draft_temperature_factor)
        return draft_chains(setting, options.draft_length, samplers)

    def verify(self, setting: Setting, draft: Draft) -> Verdict:
        """Walk down; the draws below a node are the chains that pass through it."""
        return verify_tree(setting, draft, k_seq.judge)
