"""AtSpeed, relaxed: beam sampling drafted ahead; each draft is tested by itself, and K accepted ones of N are enough.

    draft  N i.i.d. draws at each of several depths, from the draft model's joint distribution over the depth above
    verify one target call; depth by depth, each draw below a kept one is accepted with p_beam/q_beam or not
           K accepted -> next depth; fewer -> the others from the residual, the round is over

Approximate: with N > K accepted draws crowd out others, and the beams lean to what both models like. Without spare
draws, N = K, and without striking out it is lossless: every depth's beams are independent draws from p_beam, as in
`beam_sampling` with replacement.

Paper: Lin et al. 2024, Efficient Inference for Large Language Model-based Generative Recommendation,
    arXiv 2410.05165, relaxed sampling verification, Algorithm 2.
Differs from the paper: a depth has N draws, where line 4 prints K, and counts with K accepted, where line 14 prints
    more than K. Testing stops at the K-th, where the paper picks K of all accepted at random: the same in distribution.
    A depth that fails ends the round and keeps no beam of the depth before; its loop goes on and keeps them. The last
    depth is drawn from p_beam; there it tests an empty draft. Draws are independent, as in its proof; without
    replacement, as in its code, is an option, and gives a list of different texts: then the first K accepted are kept,
    in draw order. To strike accepted draws out of the residual, as printed, is an option. q_beam is restricted to kept
    beams and renormalised. Texts may end, as in `beam_sampling`; theirs have one fixed length. Drafts start from the
    target's probabilities of the beams.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from playground.decoding import method
from playground.decoding.drafting.growth import depth_option
from playground.decoding.forest import ForestDraft, draft_forest, verify_forest
from playground.decoding.method import DecodingMethod, option
from playground.decoding.setting import Setting
from playground.decoding.verdict import Verdict
from playground.decoding.verification.lossy import relaxed


@dataclass(frozen=True, slots=True)
class Options(method.Options):
    """Depth, widths, and the form of the residual."""

    draft_length: int = depth_option()
    width: int = option(4, label="Beam width", help="Texts carried at every depth (K).", low=1, high=32)
    spare: int = option(
        4,
        label="Spare draws",
        help="Each depth has this many draws more than beams are wanted (N - K). 0 is exact, more is faster.",
        low=0,
        high=48,
    )
    strike: int = option(
        0,
        label="Strike out",
        help="1: beams drawn from the residual may not be accepted draws again, as printed; not exact.",
        low=0,
        high=1,
    )
    replacement: int = option(
        1,
        label="Replacement",
        help="1: draws are independent and may coincide. 0: no beam is drawn twice, as in the paper's code; not exact.",
        low=0,
        high=1,
    )

    @property
    def num_drafted(self) -> int:
        """Draws at all depths."""
        return self.draft_length * (self.width + self.spare)


class AtSpeedRelaxed(DecodingMethod):
    """Beam sampling drafted ahead; a depth counts when enough of its draws are accepted, each for itself."""

    title = "AtSpeed (relaxed)"
    paper = (
        "Lin et al. 2024, Efficient Inference for Large Language Model-based Generative Recommendation, "
        "arXiv 2410.05165"
    )
    reproduces = "none"
    approximates = "i.i.d. beam sampling"
    tests = relaxed.TESTS

    def __init__(self, options: Options | None = None) -> None:
        super().__init__(options)
        if self.options.spare == 0 and not self.options.strike and self.options.replacement:
            self.reproduces = "i.i.d. beam sampling"

    def draft(self, setting: Setting) -> ForestDraft:
        """Beam sampling by the draft model."""
        num_draws = self.options.width - len(setting.beams.ended) + self.options.spare
        return draft_forest(setting, self.options.draft_length, num_draws, distinct=not self.options.replacement)

    def verify(self, setting: Setting, draft: ForestDraft) -> Verdict:
        """Test depth by depth; missing beams of the last one are drawn from the residual."""
        distinct = not self.options.replacement
        strike = bool(self.options.strike) or distinct
        rule = partial(relaxed.judge, spare=self.options.spare, strike=strike, independent=not distinct)
        return verify_forest(setting, draft, self.options.width, rule, distinct=distinct)
