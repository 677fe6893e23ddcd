"""AtSpeed, strict: the draft model runs a beam search ahead, and the target accepts a step when it holds all its beams.

    draft  N >= W beams for several steps, from the target's own scores
    verify one target call; step by step, the target's W best continuations: all of them drafted -> next step,
           else these W are the new beams, and the round is over

Paper: Lin et al. 2024, Efficient Inference for LLM-based Generative Recommendation, arXiv 2410.05165, strict top-K
    verification.
Differs from the paper: texts may end (theirs have one fixed length), by the rules of `beam_search`; the condition is
    that the target's W best are among the drafted ones, which is what its proof needs and its text has the other way
    round; scores are double precision, so that ties do not depend on the hardware.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from playground.decoding import method
from playground.decoding.beams import ask, penalty_option, search_step, settle_search, survivors
from playground.decoding.method import DecodingMethod, option
from playground.decoding.round import Beam, Draft, Judgement, Layer, Reading, Setting, Verdict


@dataclass(frozen=True, slots=True)
class Options(method.Options):
    """Depth and widths of the two searches."""

    draft_length: int = option(3, label="Draft length", help="Steps drafted per round.", low=1, high=16, unit="steps")
    width: int = option(4, label="Beam width", help="Texts kept at every step (W).", low=1, high=16)
    spare: int = option(
        4, label="Spare draft beams", help="The draft model keeps this many beams more (N - W).", low=0, high=48
    )
    length_penalty: float = penalty_option()


class AtSpeedStrict(DecodingMethod):
    """Beam search, several steps per target call."""

    title = "AtSpeed (strict)"
    summary = "Beam search drafted ahead: a step counts when all of the target's best beams were drafted."
    paper = "Lin et al. 2024, Efficient Inference for LLM-based Generative Recommendation, arXiv 2410.05165"
    lossless = True
    reproduces = "beam search"
    needs_draft_model = True
    Options = Options

    def draft(self, setting: Setting) -> Draft:
        """A beam search of the draft model, begun with the target's scores."""
        draft, beams = Draft(), setting.beams.live
        for _ in range(min(self.options.draft_length, setting.room - 1)):
            reading = ask(setting.draft_model, [beam.node for beam in beams])
            width = self.options.width + self.options.spare
            found = search_step(setting, beams, reading, width, last=False)
            _add_layer(setting, draft, found, reading)
            beams = [beam for beam in found if setting.tree.tokens[beam.node] not in setting.eos_ids]
            if not beams:
                break
        return draft

    def verify(self, setting: Setting, draft: Draft) -> Verdict:
        """Search on with the target's own scores as far as the draft goes."""
        options, tree = self.options, setting.tree
        living = [node for node in draft.nodes() if tree.tokens[node] not in setting.eos_ids]
        reading = ask(setting.target, [*setting.frontier, *living])
        known = set(reading.nodes)
        live, ended, origins, judgements = setting.beams.live, setting.beams.ended, {}, []
        for step in range(len(draft.layers) + 1):
            last = setting.room - step == 1
            found = search_step(setting, live, reading, options.width, last=last)
            drafted = draft.layers[step].nodes if step < len(draft.layers) else []
            judgements += _judge(setting, reading, drafted, live, found)
            origin = "correction" if drafted else "bonus" if draft.layers else "plain"
            origins |= {beam.node: "accepted" if beam.node in drafted else origin for beam in found}
            settled = settle_search(
                setting, found, ended, origins, length_penalty=options.length_penalty, width=options.width
            )
            live, ended = settled.live, settled.ended
            if settled.over or not live or not known.issuperset(beam.node for beam in live):
                break
        judgements += [
            Judgement(node, "unjudged", None, None, None, None, "An earlier step was not drafted in full.")
            for layer in draft.layers[step + 1 :]
            for node in layer.nodes
        ]
        return Verdict(reading, judgements, beams=survivors(setting, settled))


def _add_layer(setting: Setting, draft: Draft, found: list[Beam], reading: Reading) -> None:
    """One layer of draws that leave nothing to chance: q is 1 at each."""
    tree = setting.tree
    draft.layers.append(
        Layer([tree.parents[beam.node] for beam in found], [beam.node for beam in found], reading.seconds)
    )
    rows = {parent: row for row, parent in enumerate(dict.fromkeys(draft.layers[-1].parents))}
    certain = torch.zeros_like(reading.forward.logits[: len(rows)])  # (parents, V)
    certain[[rows[parent] for parent in draft.layers[-1].parents], [tree.tokens[beam.node] for beam in found]] = 1
    draft.probs.update(zip(rows, certain, strict=True))


def _judge(
    setting: Setting, reading: Reading, drafted: list[int], live: list[Beam], found: list[Beam]
) -> list[Judgement]:
    """A drafted node is accepted when it is among the target's best of this step."""
    tree, best = setting.tree, {beam.node for beam in found}
    row_of = {node: row for row, node in enumerate(reading.nodes)}
    parents = {beam.node for beam in live}
    judged = [node for node in drafted if tree.parents[node] in parents]
    rows, tokens = [row_of[tree.parents[node]] for node in judged], [tree.tokens[node] for node in judged]
    target_probs = dict(zip(judged, reading.probs[rows, tokens].tolist(), strict=True))
    judgements = []
    for node in drafted:
        if node not in target_probs:
            judgements.append(Judgement(node, "unjudged", None, None, None, None, "Its beam was not kept."))
            continue
        p = target_probs[node]
        if node in best:
            judgements.append(Judgement(node, "accepted", p, 1.0, 1.0, None, "It is among the target's best beams."))
        else:
            judgements.append(Judgement(node, "rejected", p, 1.0, 0.0, None, "The target has better beams than this."))
    return judgements
