"""SpecInfer: a tree of independent drafts, verified by multi-step speculative sampling.

    frontier --q--> x1  x1'  x2      K draws below every node, with replacement: equal draws are one node, tested twice
                    |        |
                   ...      ...      the same below each of them, level by level
    walk: test the draws of a node in turn, each against what the rejected ones left of p; step down on acceptance
    the draws of a node may come from several draft models, or have different temperatures; each is tested against the
    law that it came from

Paper: Miao et al. 2024, SpecInfer, arXiv 2305.09781, Algorithm 2.
Differs from the paper: draws are tested in draw order (any order that does not look at the tokens is lossless);
    several draft models take turns in one tree, in place of a tree from each; one number of draws at the root and one
    below, in place of a free expansion list.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import chain

from playground.decoding import method
from playground.decoding.drafting import Visit, grow, independent_draws, refuse_too_many
from playground.decoding.method import DecodingMethod, option
from playground.decoding.round import Draft, Setting, Verdict
from playground.decoding.verification.recursive import judge_with_replacement
from playground.decoding.verification.walk import verify_tree
from playground.decoding.writers import factor_option, models_option, spread_option, writers


@dataclass(frozen=True, slots=True)
class Options(method.Options):
    """Depth and branching of the draft tree, the draft models, and the temperatures of its draws."""

    draft_length: int = option(
        4, label="Tree depth", help="Levels drafted per round.", low=1, high=16, unit="tokens"
    )  # fmt: skip
    first_draws: int = option(
        3, label="Draws at the root", help="Independent draws below the last text token.", low=1, high=16
    )
    later_draws: int = option(1, label="Draws below", help="Independent draws below every drafted node.", low=1, high=2)
    draft_models: int = models_option()
    draft_temperature_factor: float = factor_option()
    temperature_spread: float = spread_option()

    def __post_init__(self) -> None:
        method.Options.__post_init__(self)
        refuse_too_many(self.branching())

    def branching(self) -> list[int]:
        """Draws below each node, level by level."""
        return [self.first_draws] + [self.later_draws] * (self.draft_length - 1)


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
        draft, level, draw = Draft(), setting.frontier, independent_draws(setting, 1)
        begin = dict.fromkeys(level, 0)  # below a node its own model goes first, so that each model writes its own text
        options = self.options
        for num_draws in options.branching()[: setting.room - 1]:  # the last token is the target's own
            hands = partial(
                writers, setting, num_draws, factor=options.draft_temperature_factor, spread=options.temperature_spread
            )
            visits = [Visit(node, draw, writer) for node in level for writer in hands(begin=begin[node])]
            level = list(dict.fromkeys(chain.from_iterable(grow(setting, draft, visits))))
            if level:
                newest = draft.layers[-1]
                begin = dict(zip(reversed(newest.nodes), reversed(newest.writers), strict=True))  # the first draw's
        return draft

    def verify(self, setting: Setting, draft: Draft) -> Verdict:
        """Walk down the tree."""
        return verify_tree(setting, draft, judge_with_replacement)
