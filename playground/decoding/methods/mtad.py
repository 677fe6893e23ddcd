"""Multi-token assisted decoding: the draft model's best beam, kept as far as the target's joint probability allows.

    frontier --beam search--> x1 x2 x3 x4           the most likely continuation of the draft model, of many beams
       P1/Q1   P2/Q2   P3/Q3   P4/Q4                joint probabilities of its prefixes, from one target call
                 > tau         <= tau               keep the longest prefix above tau, also past a shorter one below
                   \\-> y ~ p                        one more token from the target; lossy: no residual

Paper: Qin et al. 2024, Optimized Multi-Token Joint Decoding with Auxiliary Model for LLM Inference, arXiv 2407.09722,
    Algorithm 1.
Differs from the paper: its Algorithm 1 sets the kept length to a token's id (line 11); the length is meant. Beams that
    reach an end-of-text token stop growing. The probabilities are warped by the run's own settings, and renormalised.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from playground.decoding import method
from playground.decoding.beams import parted
from playground.decoding.draft import Draft
from playground.decoding.drafting import length_option
from playground.decoding.law import Guessed
from playground.decoding.method import DecodingMethod, option
from playground.decoding.setting import Setting
from playground.decoding.verdict import Beam, Verdict
from playground.decoding.verification import joint
from playground.decoding.verifying import close_chain, read


@dataclass(frozen=True, slots=True)
class Options(method.Options):
    """Length and width of the draft's beam search, and the threshold."""

    draft_length: int = length_option(high=16)
    beam_width: int = option(8, label="Beams", help="Width of the draft model's beam search.", low=1, high=16)
    tau: float = option(
        0.1, label="Threshold", help="Joint p/q that a prefix must exceed; 1 keeps nothing.", low=0, high=1, step=0.05
    )


class MTAD(DecodingMethod):
    """Draft by beam search, keep the longest prefix above the threshold."""

    title = "MTAD"
    summary = "Lossy: the draft model's best beam is kept as far as its joint probability stays above a threshold."
    paper = "Qin et al. 2024, Optimized Multi-Token Joint Decoding with Auxiliary Model, arXiv 2407.09722"
    lossless = False
    reproduces = "none"
    needs_draft_model = True
    tests = joint.TESTS
    Options = Options

    @property
    def num_drafted_nodes(self) -> int:
        """The chain."""
        return self.options.draft_length

    def draft(self, setting: Setting) -> Draft:
        """Beam search with the draft model; only the best beam is offered to the target."""
        tree, draft = setting.tree, Draft()
        rows: dict[int, torch.Tensor] = {}  # node -> (V,)
        seconds: list[float] = []
        beams = [Beam(setting.frontier[0], 0.0)]
        for _ in range(setting.depth(self.options.draft_length)):
            growing, ended = parted(setting, beams)
            if not growing:
                break
            reading = setting.draft_model.read([beam.node for beam in growing])
            seconds.append(reading.seconds)
            rows.update(zip(reading.nodes, reading.probs, strict=True))
            grown = extensions(growing, reading.probs, self.options.beam_width)
            grown = [Beam(tree.add(parent, token), log_prob) for log_prob, parent, token in grown]
            beams = sorted([*ended, *grown], key=lambda beam: -beam.log_prob)[: self.options.beam_width]
        for node, spent in zip(tree.path(beams[0].node, below=setting.frontier[0]), seconds, strict=False):
            parent = tree.parents[node]
            draft.hang(tree, [(parent, tree.tokens[node])], Guessed(rows[parent]), spent)
        return draft

    def verify(self, setting: Setting, draft: Draft) -> Verdict:
        """One target call over the beam, then the threshold at each prefix."""
        reading, draws = read(setting, draft), draft.draws.values()
        p = [float(row[below.tokens[0]]) for below, row in zip(draws, reading.probs, strict=False)]
        q = [below.law.probs(below.tokens)[0] for below in draws]
        return close_chain(setting, draft, reading, joint.judge(p, q, reading.probs, tau=self.options.tau))


def extensions(beams: list[Beam], probs: torch.Tensor, width: int) -> list[tuple[float, int, int]]:
    """The best one-token extensions of all beams together: joint log-probability, parent node, token.

    Args:
        beams: n of them.
        probs: (n, V) the draft model's distribution after each.
        width: how many to return; fewer where fewer have mass.
    """
    so_far = probs.new_tensor([beam.log_prob for beam in beams])
    joint_log_probs = (so_far[:, None] + torch.log(probs)).flatten()  # (n * V,)
    top = joint_log_probs.topk(min(width, len(joint_log_probs)))
    vocab_size = probs.shape[-1]
    return [
        (log_prob, beams[place // vocab_size].node, place % vocab_size)
        for log_prob, place in zip(top.values.tolist(), top.indices.tolist(), strict=True)
        if log_prob > -torch.inf
    ]
