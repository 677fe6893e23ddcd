"""Multi-token assisted decoding: the draft model's best beam, kept as far as the target's joint probability allows.

    frontier --beam sampling--> x1 x2 x3 x4         the likeliest of the continuations that the draft model's beams drew
       P1/Q1   P2/Q2   P3/Q3   P4/Q4                joint probabilities of its prefixes, from one target call
                 > tau         <= tau               accept the longest prefix above tau, also past a shorter one below
                   \\-> y ~ p                        one more token from the target; lossy: no residual

Paper: Qin et al. 2024, Optimized Multi-Token Joint Decoding with Auxiliary Model for LLM Inference, arXiv 2407.09722,
    section 3.2 and Algorithm 1.
Differs from the paper: its Algorithm 1 sets the kept length to a token's id (line 11); the length is meant. Beams that
    reach an end-of-text token stop growing. Temperature, top-k and top-p change the joint distribution that a depth's
    beams are drawn from (Eq. 2), as in `beam_sampling`; beams are compared, and prefixes tested, by the models' own
    probabilities, as in its section 3.2. A token that the run's settings leave no probability ends every prefix.
    It leaves open whether beams are drawn with replacement; here they are, as in `beam_sampling`. By option the draft
    comes from beam search instead, which is deterministic: its text is likelier and repeats itself more.
"""

from dataclasses import dataclass

import numpy as np

from playground.decoding import method
from playground.decoding.beams import (
    extend,
    independent_pairs,
    joint_distribution,
    read_rows,
    read_unwarped,
    split_ended,
    top_pairs,
)
from playground.decoding.distribution import BestGuess
from playground.decoding.drafting.draft import Draft
from playground.decoding.drafting.growth import length_option
from playground.decoding.method import DecodingMethod, option
from playground.decoding.setting import Setting
from playground.decoding.verdict import Beam, Verdict
from playground.decoding.verification.lossy import joint
from playground.decoding.verifying import close_chain, read
from playground.models.reading import Array


@dataclass(frozen=True, slots=True)
class Options(method.Options):
    """Length and width of the draft's beams, their sampling or search, and the threshold."""

    draft_length: int = length_option(high=16)
    beam_width: int = option(8, label="Beams", help="Texts that the draft model carries at a depth.", low=1, high=16)
    tau: float = option(
        0.8,
        label="Threshold",
        help="Joint p/q that a prefix must exceed; 1 accepts nothing. The paper takes 0.1, which rejects little.",
        low=0,
        high=1,
        step=0.05,
    )
    sample: int = option(
        1, label="Draw the beams", help="1: beam sampling, as in the paper. 0: beam search, ours.", low=0, high=1
    )


class MTAD(DecodingMethod):
    """The draft model's best beam is kept as far as its joint probability stays above a threshold."""

    title = "MTAD"
    full_name = "Multi-token assisted decoding"
    paper = "Qin et al. 2024, Optimized Multi-Token Joint Decoding with Auxiliary Model, arXiv 2407.09722"
    reproduces = "none"
    tests = joint.TESTS

    def draft(self, setting: Setting) -> Draft:
        """Beams of the draft model; only the best one is offered to the target."""
        tree, draft, width = setting.tree, Draft(), self.options.beam_width
        rows: dict[int, Array] = {}  # node -> (V,)
        seconds: list[float] = []
        beams = [Beam(setting.frontier[0], 0.0)]
        for _ in range(setting.depth(self.options.draft_length)):
            growing, ended = split_ended(setting, beams)
            if not growing:
                break
            reading = read_unwarped(setting.draft_model, [beam.node for beam in growing])
            seconds.append(reading.seconds)
            rows.update(zip(reading.nodes, reading.probs, strict=True))
            log_probs = read_rows(reading, growing)  # (B, V)
            if self.options.sample:
                distribution = joint_distribution(log_probs, setting.draft_model.sampling)
                pairs = independent_pairs(distribution, width - len(ended), setting.draft_rng)
            else:
                pairs = top_pairs(log_probs, width)
            if not pairs:
                break
            grown = extend(setting, growing, log_probs, pairs)
            beams = sorted([*ended, *grown], key=lambda beam: -beam.log_prob)[:width]
        for node, spent in zip(tree.path(beams[0].node, below=setting.frontier[0]), seconds, strict=False):
            parent = tree.parents[node]
            draft.hang(tree, [(parent, tree.tokens[node])], BestGuess(rows[parent]), spent)
        return draft

    def verify(self, setting: Setting, draft: Draft) -> Verdict:
        """One target call over the beam, then the threshold at each prefix."""
        reading, draws = read(setting, draft), draft.draws.values()
        tokens = [below.tokens[0] for below in draws]
        warped = reading.probs[range(len(tokens)), tokens].tolist()
        log_probs = reading.log_probs(reading.nodes[: len(tokens)])[range(len(tokens)), tokens]
        p = [p_x if w_x > 0 else 0.0 for p_x, w_x in zip(np.exp(log_probs).tolist(), warped, strict=True)]
        q = [below.probs()[0] for below in draws]
        return close_chain(setting, draft, reading, joint.judge(p, q, reading.probs, tau=self.options.tau))
