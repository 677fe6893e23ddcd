"""SpecInfer: a tree of independent drafts, verified by multi-step speculative sampling.

    frontier --q--> x1  x1'  x2      K draws below every node, with replacement: equal draws are one node, tested twice
                    |        |
                   ...      ...      the same below each of them, depth by depth
    or `chains`: x1 and x1' go on apart, each with a draw of its own; below their node there are two draws
    walk: test the draws of a node in turn, each against the residual of the rejected ones; step down on acceptance
    the draws of a node may come from several draft models, or have different temperatures; each is tested against the
    distribution that it came from

Paper: Miao et al. 2024, SpecInfer, arXiv 2305.09781, Algorithm 2. With `chains` as later papers compare it with SpecTr:
    K i.i.d. sequences (Khisti et al. 2025, arXiv 2410.18234, section 5; Qin et al. 2024, MTAD, Table 13).
Differs from the paper: draws are tested in draw order (any order that does not look at the tokens is lossless);
    several draft models take turns in one tree, instead of a tree from each; one number of draws at the root and one
    below, instead of a free expansion list.
"""

from dataclasses import dataclass

from playground.decoding.drafting.draft import Draft
from playground.decoding.drafting.growth import BranchingOptions, depth_option
from playground.decoding.drafting.samplers import (
    draft_chains,
    draft_samplers,
    draft_tree,
    factor_option,
    models_option,
    spread_option,
)
from playground.decoding.method import DecodingMethod, option
from playground.decoding.setting import Setting
from playground.decoding.verdict import Verdict
from playground.decoding.verification import recursive
from playground.decoding.verifying import verify_tree


@dataclass(frozen=True, slots=True)
class Options(BranchingOptions):
    """Depth and branching of the draft tree, or a number of whole chains; the draft models and their temperatures."""

    draft_length: int = depth_option(4)
    first_draws: int = option(
        3, label="Draws at the root", help="Independent draws below the last text token.", low=1, high=16
    )
    later_draws: int = option(1, label="Draws below", help="Independent draws below every drafted node.", low=1, high=2)
    chains: int = option(
        0,
        label="Whole chains",
        help="0: a tree, by the draws at the root and below. Else this many whole chains instead, as in SpecTr.",
        low=0,
        high=16,
    )
    draft_models: int = models_option()
    draft_temperature_factor: float = factor_option()
    temperature_spread: float = spread_option()

    def branching(self) -> list[int]:
        """Draws below each node, depth by depth; a chain goes on with one below each draw."""
        first, later = (self.chains, 1) if self.chains else (self.first_draws, self.later_draws)
        return [first] + [later] * (self.draft_length - 1)


class SpecInfer(DecodingMethod):
    """A tree of independent drafts; rejected siblings shrink the target's remaining mass one after the other."""

    title = "SpecInfer"
    paper = "Miao et al. 2024, SpecInfer, arXiv 2305.09781"
    reproduces = "target sampling"

    def draft(self, setting: Setting) -> Draft:
        """Depth by depth, K draws below each distinct node, or one more on each of K chains."""
        options = self.options
        factor, spread = options.draft_temperature_factor, options.temperature_spread
        if options.chains:
            samplers = draft_samplers(setting, options.chains, factor=factor, spread=spread)
            return draft_chains(setting, options.draft_length, samplers)
        return draft_tree(setting, options.branching(), factor=factor, spread=spread)

    def verify(self, setting: Setting, draft: Draft) -> Verdict:
        """Walk down the tree."""
        return verify_tree(setting, draft, recursive.judge)
