"""Recursive speculative decoding with constant branching: a tree whose siblings are drawn without replacement.

    frontier --q--> x1  x2        b0 different tokens, by Gumbel-top-k, in draw order
                    |   |
                   ...  ...       b1 below each, and so on
    walk: recursive rejection, each sibling against the residual, with q without the siblings before it

Paper: Jeon et al. 2024, Recursive Speculative Decoding, arXiv 2402.14160, RSD-C.
Differs from the paper: three branching factors (first, second, all later depths) in place of a free list.
"""

from dataclasses import dataclass

from playground.decoding.drafting.draft import Draft
from playground.decoding.drafting.growth import BranchingOptions, depth_option, distinct_draws, grow
from playground.decoding.method import DecodingMethod, option
from playground.decoding.setting import Setting
from playground.decoding.verdict import Verdict
from playground.decoding.verification import recursive
from playground.decoding.verifying import verify_tree


@dataclass(frozen=True, slots=True)
class Options(BranchingOptions):
    """Depth and branching factors of the draft tree."""

    draft_length: int = depth_option(high=8)
    first_branching: int = option(
        2, label="Branching at the root", help="Different tokens drafted first.", low=1, high=8
    )
    second_branching: int = option(2, label="Branching, second depth", help="Below each of those.", low=1, high=4)
    later_branching: int = option(1, label="Branching, later depths", help="Below every later node.", low=1, high=2)

    def branching(self) -> list[int]:
        """Draws below each node, depth by depth."""
        factors = [self.first_branching, self.second_branching]
        return (factors + [self.later_branching] * self.draft_length)[: self.draft_length]


class RSDC(DecodingMethod):
    """A draft tree whose siblings are all different, with the same branching at all nodes of a depth."""

    title = "RSD-C"
    full_name = "Recursive speculative decoding, constant branching"
    paper = "Jeon et al. 2024, Recursive Speculative Decoding, arXiv 2402.14160"
    reproduces = "target sampling"

    def draft(self, setting: Setting) -> Draft:
        """Gumbel-top-k below every node, depth by depth."""
        draft, branching = Draft(), self.options.branching()
        for parents, num_draws in zip(setting.parents_by_depth(draft, len(branching)), branching, strict=False):
            grow(setting, draft, parents, distinct_draws(setting, num_draws))
        return draft

    def verify(self, setting: Setting, draft: Draft) -> Verdict:
        """Walk down the tree."""
        return verify_tree(setting, draft, recursive.judge)
