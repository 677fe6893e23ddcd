"""Recursive speculative decoding by stochastic beam search: the best W sequences without replacement, as a tree.

    every beam s carries phi (log-probability) and G (phi perturbed by Gumbel noise, the best child inheriting its
    parent's); at each level all children of all beams compete, and the W with the largest G stay
    siblings are drawn without replacement in falling G; so recursive rejection judges them in that order

Paper: Jeon et al. 2024, Recursive Speculative Decoding, arXiv 2402.14160, RSD-S; stochastic beam search by Kool et al.
    2019, arXiv 1903.06059.
Differs from the paper: nothing known; the number of siblings is random, which is lossless because it depends only on
    tokens already offered and on maxima.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from playground.decoding import method
from playground.decoding.drafting import gumbel
from playground.decoding.method import DecodingMethod, option
from playground.decoding.round import Draft, Layer, Setting, Verdict
from playground.decoding.verification.recursive import judge_without_replacement
from playground.decoding.verification.walk import verify_tree


@dataclass(frozen=True, slots=True)
class Options(method.Options):
    """Depth and width of the beam."""

    draft_length: int = option(3, label="Tree depth", help="Levels drafted per round.", low=1, high=16, unit="tokens")
    width: int = option(3, label="Beam width", help="Sequences kept at each level (W).", low=1, high=16)


@dataclass(frozen=True, slots=True)
class Beam:
    """A drafted sequence: its last node, log-probability and perturbed log-probability."""

    node: int
    phi: float
    perturbed: float


class RSDS(DecodingMethod):
    """Draft by stochastic beam search, verify by recursive rejection."""

    title = "RSD-S"
    summary = "A draft tree grown by stochastic beam search: the budget goes where the draft model sees probability."
    paper = "Jeon et al. 2024, Recursive Speculative Decoding, arXiv 2402.14160"
    lossless = True
    reproduces = "target sampling"
    needs_draft_model = True
    Options = Options

    def draft(self, setting: Setting) -> Draft:
        """Stochastic beam search from the frontier."""
        draft, beams = Draft(), [Beam(setting.frontier[0], 0.0, 0.0)]
        for _ in range(min(self.options.draft_length, setting.room - 1)):
            beams = [beam for beam in beams if setting.tree.tokens[beam.node] not in setting.eos_ids]
            if not beams:
                break
            beams = self._level(setting, draft, beams)
        return draft

    def verify(self, setting: Setting, draft: Draft) -> Verdict:
        """Walk down the tree."""
        return verify_tree(setting, draft, judge_without_replacement)

    def _level(self, setting: Setting, draft: Draft, beams: list[Beam]) -> list[Beam]:
        reading = setting.draft_model.read([beam.node for beam in beams])
        draft.probs.update(zip(reading.nodes, reading.probs, strict=True))
        width = min(self.options.width, reading.probs.shape[-1])
        contenders = []
        for beam, probs in zip(beams, reading.probs, strict=True):
            log_probs = torch.log(probs.double())  # (V,)
            perturbed = conditioned_gumbels(beam.phi + log_probs, gumbel(setting, log_probs), beam.perturbed)
            top = perturbed.topk(width)
            for value, token in zip(top.values.tolist(), top.indices.tolist(), strict=True):
                if value > -torch.inf:  # the draft has fewer tokens than the width
                    contenders.append((value, beam.node, token, beam.phi + float(log_probs[token])))
        contenders.sort(key=lambda contender: -contender[0])
        layer, kept = Layer([], [], reading.seconds), []
        for perturbed, parent, token, phi in contenders[: self.options.width]:
            node = setting.tree.add(parent, token)
            layer.parents.append(parent)
            layer.nodes.append(node)
            kept.append(Beam(node, phi, perturbed))
        draft.layers.append(layer)
        return kept


def conditioned_gumbels(phi: torch.Tensor, noise: torch.Tensor, maximum: float) -> torch.Tensor:
    """Perturbed log-probabilities of all children, conditioned on their largest being the parent's. (V,)

    Kool et al. 2019, section 4.2, in the stable form of their appendix B.3: with g = phi + noise and Z = max g,
    v = G - g + log(1 - exp(g - Z)), the result is G - max(0, v) - log(1 + exp(-|v|)).
    """
    g = phi + noise
    v = maximum - g + torch.log1p(-torch.exp(g - g.max()))
    result = maximum - v.clamp(min=0) - torch.log1p(torch.exp(-v.abs()))
    return torch.where(g == -torch.inf, -torch.inf, result)
