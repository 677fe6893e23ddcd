"""Beam sampling: W texts at a time, every step drawn from the joint distribution of all their continuations.

    p_beam(text i, token x) is proportional to p(text i, x), over the table of W x V pairs, warped as one distribution
    beams 1 .. W --target, one call--> p_beam --W draws--> beams 1 .. W

Paper: the baseline of Qin et al. 2024, Dynamic-Width Speculative Beam Decoding, arXiv 2409.16560.
Differs from the paper: it leaves open whether draws are replaced, and its proofs need that they are while its code does
    without; both are here, by name, and are different distributions. Draws that coincide are beams of their own on one
    node. A text that ends leaves the beams, and from then on one draw fewer is made. The answer is the text with the
    most log-probability per token, ended or not.
"""

from __future__ import annotations

from dataclasses import dataclass

from playground.decoding import method
from playground.decoding.beams import (
    distinct_pairs,
    extend,
    independent_pairs,
    joint_distribution,
    rank_beams,
    read_rows,
    read_unwarped,
)
from playground.decoding.drafting.draft import Draft
from playground.decoding.method import DecodingMethod, option
from playground.decoding.setting import Setting
from playground.decoding.verdict import Verdict
from playground.trace.events import Origin


@dataclass(frozen=True, slots=True)
class Options(method.Options):
    """Width, and draws with or without replacement."""

    width: int = option(4, label="Beam width", help="Texts carried at every step (W).", low=1, high=32)
    replacement: int = option(
        1,
        label="Replacement",
        help="1: the draws are independent and may coincide. 0: no pair is drawn twice.",
        low=0,
        high=1,
    )


class BeamSampling(DecodingMethod):
    """Carries W texts, drawn at every step from the joint probabilities of all their continuations."""

    title = "Beam sampling"
    paper = "Qin et al. 2024, Dynamic-Width Speculative Beam Decoding, arXiv 2409.16560"
    reproduces = "i.i.d. beam sampling"
    needs_draft_model = False
    tests = ""

    def __init__(self, options: Options | None = None) -> None:
        super().__init__(options)
        if not self.options.replacement:
            self.reproduces = "beam sampling without replacement"

    def verify(self, setting: Setting, draft: Draft) -> Verdict:
        """One step: draw from the joint distribution."""
        live = setting.beams.live
        reading = read_unwarped(setting.target, [beam.node for beam in live])
        log_probs = read_rows(reading, live)  # (W, V)
        distribution = joint_distribution(log_probs, setting.target.sampling)  # (W, V)
        draw = independent_pairs if self.options.replacement else distinct_pairs
        pairs = draw(distribution, self.options.width - len(setting.beams.ended), setting.verify_rng)
        beams = extend(setting, live, log_probs, pairs)
        origins: dict[int, Origin] = {beam.node: "plain" for beam in beams}
        return Verdict(reading, [], beams=rank_beams(setting, beams, setting.beams.ended, origins))
