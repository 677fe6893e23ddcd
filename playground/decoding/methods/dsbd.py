"""Speculative beam decoding, fixed width: beam sampling drafted ahead, and judged so that its law stays what it was.

    draft  several layers of i.i.d. draws, each from the draft model's joint law over the layer above
    verify one target call; layer by layer, draws below accepted ones are offered to W outputs, p_beam against q_beam
           W accepted -> next layer; draws run out -> the missing beams from the residual and p_beam, the round is over

Paper: Qin et al. 2024, Dynamic-Width Speculative Beam Decoding, arXiv 2409.16560, Algorithm 1.
Differs from the paper: the width is fixed, not chosen per layer. A draft is accepted with p/q, as in its proof; the
    algorithm prints q/p. q_beam is restricted to accepted parents and renormalised. Drafts start from the target's
    probabilities of the beams, which any draft law may. Ended texts and the answer are those of `beam_sampling`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import torch

from playground.decoding import method
from playground.decoding.beams import Pair, ask, extend, independent_pairs, joint_law, read_rows, settle, survivors
from playground.decoding.method import DecodingMethod, option
from playground.decoding.round import Beam, Draft, Judgement, Layer, Setting, Verdict
from playground.decoding.sampling import categorical
from playground.decoding.verification.layer import judge_layer


@dataclass(frozen=True, slots=True)
class Options(method.Options):
    """Depth, width, and draws to spare."""

    draft_length: int = option(3, label="Draft length", help="Layers drafted per round.", low=1, high=16, unit="layers")
    width: int = option(3, label="Beam width", help="Texts carried at every step (W).", low=1, high=16)
    spare: int = option(
        3, label="Spare draws", help="Each layer has this many draws more than beams are wanted.", low=0, high=48
    )


@dataclass(slots=True)
class Step:
    """One drafted layer, and the law it was drawn from.

    Attributes:
        sources: for each row of the law, the place of its beam among the draws of the layer above.
        law: (R, V) q_beam.
        pairs: the draws.
        beams: what they became; one entry per draw, also where two coincide.
    """

    sources: list[int]
    law: torch.Tensor
    pairs: list[Pair]
    beams: list[Beam]


@dataclass(slots=True)
class BeamDraft(Draft):
    """A draft that remembers which draw hangs from which, for a node may hold several."""

    steps: list[Step] = field(default_factory=list)


class DSBD(DecodingMethod):
    """Beam sampling, several steps per target call."""

    title = "Speculative beam decoding"
    summary = "Beam sampling drafted ahead: layers of draws are judged against the joint law of the target's beams."
    paper = "Qin et al. 2024, Dynamic-Width Speculative Beam Decoding, arXiv 2409.16560"
    lossless = True
    reproduces = "i.i.d. beam sampling"
    needs_draft_model = True
    Options = Options

    def draft(self, setting: Setting) -> BeamDraft:
        """Beam sampling by the draft model, begun with the target's probabilities of the beams."""
        draft, beams = BeamDraft(), setting.beams.live
        sources = list(range(len(beams)))
        num_draws = self.options.width - len(setting.beams.ended) + self.options.spare
        for _ in range(min(self.options.draft_length, setting.room - 1)):
            reading = ask(setting.draft_model, [beam.node for beam in beams])
            log_probs = read_rows(reading, beams)  # (R, V)
            law = joint_law(log_probs, setting.draft_model.sampling)  # (R, V)
            pairs = independent_pairs(law, num_draws, setting.draft_rng)
            drawn = extend(setting, beams, log_probs, pairs)
            draft.steps.append(Step(sources, law, pairs, drawn))
            parents, nodes = [beams[row].node for row, _ in pairs], [beam.node for beam in drawn]
            draft.layers.append(Layer(parents, nodes, reading.seconds))
            for beam, row in zip(beams, law, strict=True):  # q of a node: of all beams that stand there
                draft.probs[beam.node] = draft.probs.get(beam.node, 0) + row
            sources = [place for place, node in enumerate(nodes) if setting.tree.tokens[node] not in setting.eos_ids]
            beams = [drawn[place] for place in sources]
            if not beams:
                break
        return draft

    def verify(self, setting: Setting, draft: BeamDraft) -> Verdict:
        """Judge layer by layer; what is missing in the last one is drawn from the target."""
        tree, eos_ids, rng = setting.tree, setting.eos_ids, setting.verify_rng
        living = [node for node in draft.nodes() if tree.tokens[node] not in eos_ids]
        reading = ask(setting.target, [*setting.frontier, *living])
        live, ended, origins, judgements = setting.beams.live, setting.beams.ended, {}, []
        parents = list(range(len(live)))  # the place of each live beam among the draws of the layer above
        for step in [*draft.steps, None]:
            log_probs = read_rows(reading, live)  # (A, V)
            law = joint_law(log_probs, setting.target.sampling)  # (A, V)
            num_outputs = self.options.width - len(ended)
            places, pairs, rest = [], [], law.flatten()
            if step is not None:
                places, pairs, rest = _judge(setting, step, parents, law, num_outputs, judgements)
            missing = num_outputs - len(pairs)
            if missing:
                pairs.append(divmod(categorical(rest, rng.random()), law.shape[-1]))
                pairs += independent_pairs(law, missing - 1, rng)
            beams = extend(setting, live, log_probs, pairs)
            extra = "correction" if step else "bonus" if draft.steps else "plain"
            for place, beam in enumerate(beams):
                origins.setdefault(beam.node, "accepted" if place < len(places) else extra)
            ended = ended + [beam for beam in beams if tree.tokens[beam.node] in eos_ids]
            live = [beam for beam in beams if tree.tokens[beam.node] not in eos_ids]
            if missing or not live:
                break
            parents = [
                place for place, beam in zip(places, beams, strict=True) if tree.tokens[beam.node] not in eos_ids
            ]
        judgements += [
            Judgement(node, "unjudged", None, None, None, None, "The round was over before.")
            for node in [node for layer in draft.layers for node in layer.nodes][len(judgements) :]
        ]
        return Verdict(reading, judgements, beams=survivors(setting, settle(setting, live, ended, origins)))


def _judge(
    setting: Setting,
    step: Step,
    parents: list[int],
    law: torch.Tensor,
    num_outputs: int,
    judgements: list[Judgement],
) -> tuple[list[int], list[Pair], torch.Tensor]:
    """Judge one layer's draws below the live beams.

    Args:
        setting: the round's setting.
        step: the drafted layer.
        parents: of each live beam, its place among the draws of the layer above.
        law: (A, V) p_beam, a row per live beam.
        num_outputs: how many beams are wanted.
        judgements: gets one more per draw of the layer, in draw order.

    Returns:
        The accepted draws' places, the same as pairs of the live beams, and what a missing beam is drawn from.
    """
    rows = [step.sources.index(place) for place in parents]
    draft_law = step.law[rows].to(law.dtype)  # (A, V)
    draft_law = draft_law / draft_law.sum().clamp(min=torch.finfo(law.dtype).tiny)
    live_row = {row: live for live, row in enumerate(rows)}
    offered = {place: (live_row[row], x) for place, (row, x) in enumerate(step.pairs) if row in live_row}
    draws = [live * law.shape[-1] + x for live, x in offered.values()]
    result = judge_layer(law.flatten(), draft_law.flatten(), draws, num_outputs, setting.verify_rng)
    order = {place: i for i, place in enumerate(offered)}
    for place, beam in enumerate(step.beams):
        i = order.get(place)
        if i is None or i >= len(result.coins):
            why = "Its beam was not kept." if i is None else "Enough beams were accepted before it."
            judgements.append(Judgement(beam.node, "unjudged", None, None, None, None, why))
            continue
        p, q = float(law[offered[place]]), float(draft_law[offered[place]])
        accepted = i in result.accepted
        why = f"The coin {'fell' if accepted else 'did not fall'} below the acceptance probability."
        outcome = "accepted" if accepted else "rejected"
        judgements.append(Judgement(beam.node, outcome, p, q, result.accept_probs[i], result.coins[i], why))
    places = [list(offered)[i] for i in result.accepted]
    return places, [offered[place] for place in places], result.rest
