"""DSBD: beam sampling drafted ahead and verified without loss; each depth chooses its own width.

    draft  i.i.d. draws at each of several depths, from the draft model's joint distribution over the depth above
    verify one target call; depth by depth: as many beams as draws that will probably be accepted, and draws below
           accepted beams are tested for them, p_beam against q_beam
           enough accepted -> next depth; draws run out -> missing beams from the residual and p_beam, the round is over

A depth has max(W_min, W~(t)) beams: W~(t) is the most that are accepted with probability t. Given the widths, the beams
of a depth are independent draws from p_beam. Threshold 0 keeps the width at W_min, and then the distribution is that of
`beam_sampling` with this width.

Paper: Qin et al. 2024, Dynamic-Width Speculative Beam Decoding, arXiv 2409.16560, Algorithm 1.
Differs from the paper: a draft is accepted with p/q, as in its proof; the algorithm prints q/p. For the corrections of
    the width see `playground/theory/beam_width.py`; it counts the draws below accepted beams, not all W_S. q_beam is
    restricted to accepted parents and renormalised. The depth after the last has as many beams as that one left alive.
    Drafts start from the target's probabilities of the beams, which any draft distribution may. A text that ends counts
    as one of the W_min beams; when W_min texts have ended the run is over, and the best of them is the answer. Else
    texts are compared as in `beam_sampling`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from playground.decoding import method
from playground.decoding.beams import rank_beams
from playground.decoding.drafting.growth import depth_option
from playground.decoding.forest import ForestDraft, draft_forest, verify_forest
from playground.decoding.method import DecodingMethod, option
from playground.decoding.setting import Setting
from playground.decoding.verdict import Beam, Beams, Verdict
from playground.decoding.verification import width
from playground.errors import PlaygroundError
from playground.trace.events import Origin


@dataclass(frozen=True, slots=True)
class Options(method.Options):
    """Depth and breadth of the forest, and the widths of the verified depths."""

    draft_length: int = depth_option()
    num_draws: int = option(
        6, label="Draws per depth", help="Independent draws at every drafted depth (W_S).", low=1, high=64
    )
    width: int = option(
        2, label="Least width", help="Every depth keeps at least this many beams (W_min).", low=1, high=16
    )
    threshold: float = option(
        0.7,
        label="Width threshold",
        help="A depth asks for the beams that are accepted with this probability (t). 0: always the least width.",
        low=0,
        high=1,
        step=0.05,
    )

    def __post_init__(self) -> None:
        method.Options.__post_init__(self)
        if self.num_draws < self.width:
            raise PlaygroundError(
                f"Draws per depth {self.num_draws} can never fill a least width of {self.width}. "
                f"Choose {self.width} draws or more, or a smaller width."
            )

    @property
    def num_drafted(self) -> int:
        """Draws at all depths."""
        return self.draft_length * self.num_draws


class DSBD(DecodingMethod):
    """Beam sampling drafted ahead; each depth keeps the number of beams that is likely to be accepted."""

    title = "Speculative beam decoding (DSBD)"
    paper = "Qin et al. 2024, Dynamic-Width Speculative Beam Decoding, arXiv 2409.16560"
    reproduces = "i.i.d. beam sampling, given the widths"
    tests = width.TESTS

    def __init__(self, options: Options | None = None) -> None:
        super().__init__(options)
        if self.lossless and self.options.threshold == 0:
            self.reproduces = "i.i.d. beam sampling"

    def draft(self, setting: Setting) -> ForestDraft:
        """Beam sampling by the draft model."""
        return draft_forest(setting, self.options.draft_length, self.options.num_draws)

    def verify(self, setting: Setting, draft: ForestDraft) -> Verdict:
        """Test depth by depth; what is missing in the last one is drawn from the target."""
        rule = partial(width.judge, threshold=self.options.threshold)
        return verify_forest(setting, draft, self.options.width, rule, self.next_beams)

    def next_beams(self, setting: Setting, live: list[Beam], ended: list[Beam], origins: dict[int, Origin]) -> Beams:
        """Beams of the next round: all live ones, unless enough texts have ended."""
        return rank_beams(setting, live if len(ended) < self.options.width else [], ended, origins)
