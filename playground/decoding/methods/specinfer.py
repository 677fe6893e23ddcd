"""SpecInfer: a tree of independent drafts, verified by multi-step speculative sampling.

    frontier --q--> x1  x1'  x2      K draws below every node, with replacement: equal draws are one node, tested twice
                    |        |
                   ...      ...      the same below each of them, level by level
    walk: test the draws of a node in turn, each against what the rejected ones left of p; step down on acceptance

Paper: Miao et al. 2024, SpecInfer, arXiv 2305.09781, Algorithm 2.
Differs from the paper: draws are tested in draw order (any order that does not look at the tokens is lossless), from
    one draft model; one number of draws at the root and one below, in place of a free expansion list.
"""

from __future__ import annotations

from dataclasses import dataclass

from playground.decoding import method
from playground.decoding.drafting import grow_level, heated, independent_draws, temperature_factor
from playground.decoding.method import DecodingMethod, option
from playground.decoding.round import Draft, Setting, Verdict
from playground.decoding.verification.recursive import judge_with_replacement
from playground.decoding.verification.walk import verify_tree


@dataclass(frozen=True, slots=True)
class Options(method.Options):
    """Depth, branching and temperature of the draft tree."""

    draft_length: int = option(
        4, label="Tree depth", help="Levels drafted per round.", low=1, high=16, unit="tokens"
    )  # fmt: skip
    first_draws: int = option(
        3, label="Draws at the root", help="Independent draws below the last text token.", low=1, high=16
    )
    later_draws: int = option(1, label="Draws below", help="Independent draws below every drafted node.", low=1, high=2)
    draft_temperature_factor: float = temperature_factor()


class SpecInfer(DecodingMethod):
    """Draft a tree with replacement, verify by recursive rejection."""

    title = "SpecInfer"
    summary = "A tree of independent drafts; rejected siblings shrink the target's remaining mass one after the other."
    paper = "Miao et al. 2024, SpecInfer, arXiv 2305.09781"
    lossless = True
    reproduces = "target sampling"
    needs_draft_model = True
    Options = Options

    def draft(self, setting: Setting) -> Draft:
        """Level by level, K draws below each distinct node."""
        draft, level = Draft(), setting.frontier
        sampling = heated(setting, self.options.draft_temperature_factor)
        for depth in range(min(self.options.draft_length, setting.room - 1)):
            num_draws = self.options.later_draws if depth else self.options.first_draws
            drawn = grow_level(setting, draft, level, independent_draws(setting, num_draws), sampling)
            level = list(dict.fromkeys(drawn))
        return draft

    def verify(self, setting: Setting, draft: Draft) -> Verdict:
        """Walk down the tree."""
        return verify_tree(setting, draft, judge_with_replacement)
