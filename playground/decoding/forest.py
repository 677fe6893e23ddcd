"""A drafted forest: layers of i.i.d. draws below several beams, judged layer by layer.

    beams   i1  i2         each layer is drawn from the draft model's joint law over the layer above,
    layer 1 a   b   c      one draw after the other, so a draw may hang below any beam and may coincide with another
    layer 2 d   e   f      judging: p_beam over the beams that were accepted, against q_beam over the same beams

All trees of the forest are one token tree here: beams that share words share nodes. A node may hold several draws, so
draws are known by their places in a layer, not by their nodes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch

from playground.decoding.beams import Pair, ask, draw_pairs, extend, independent_pairs, joint_law, read_rows
from playground.decoding.round import Beam, Draft, Judgement, Layer, Reading, Setting, Workings
from playground.decoding.verification.layer import LayerResult, Rule
from playground.trace.events import Origin


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
class ForestDraft(Draft):
    """A draft that remembers which draw hangs from which."""

    steps: list[Step] = field(default_factory=list)


@dataclass(slots=True)
class Verified:
    """What the target made of a forest.

    Attributes:
        reading: the target's answer.
        judgements: one per draw.
        live, ended: the beams of the last layer that was reached, and the texts that have ended so far.
        origins: how each beam's nodes came about, a parent before its children.
        workings: of each judged layer.
    """

    reading: Reading
    judgements: list[Judgement] = field(default_factory=list)
    live: list[Beam] = field(default_factory=list)
    ended: list[Beam] = field(default_factory=list)
    origins: dict[int, Origin] = field(default_factory=dict)
    workings: list[Workings] = field(default_factory=list)


def draft_forest(setting: Setting, draft_length: int, num_draws: int) -> ForestDraft:
    """Beam sampling by the draft model, begun with the target's probabilities of the beams."""
    draft, beams = ForestDraft(), setting.beams.live
    sources = list(range(len(beams)))
    for _ in range(min(draft_length, setting.room - 1)):  # the last layer is the target's own
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


def verify_forest(setting: Setting, draft: ForestDraft, least: int, rule: Rule) -> Verified:
    """Ask the target once and judge layer by layer; what a layer misses is drawn from the target, and ends the round.

    Where every layer had its beams accepted, one more is drawn. It has as many beams as the last layer left alive,
    and as the least width asks for: without drafts there is nothing to choose a width by.

    Args:
        setting: the round's setting.
        draft: the forest.
        least: how many beams there are to be at least, ended texts included.
        rule: judges the draws of one layer, and may ask for more.
    """
    tree, eos_ids, rng = setting.tree, setting.eos_ids, setting.verify_rng
    living = [node for node in draft.nodes() if tree.tokens[node] not in eos_ids]
    found = Verified(ask(setting.target, [*setting.frontier, *living]))
    live, ended = setting.beams.live, setting.beams.ended
    parents = list(range(len(live)))  # the place of each live beam among the draws of the layer above
    for step in [*draft.steps, None]:
        log_probs = read_rows(found.reading, live)  # (A, V)
        law = joint_law(log_probs, setting.target.sampling)  # (A, V)
        wanted = least - len(ended)
        places, pairs, missing = [], [], [law] * max(wanted, len(live))
        if step is not None:
            places, pairs, missing = _judge(setting, step, parents, law, wanted, rule, found)
        pairs += draw_pairs(missing, law.shape[-1], rng)
        beams = extend(setting, live, log_probs, pairs)
        extra = "correction" if step else "bonus" if draft.steps else "plain"
        for place, beam in enumerate(beams):
            found.origins.setdefault(beam.node, "accepted" if place < len(places) else extra)
        ended = ended + [beam for beam in beams if tree.tokens[beam.node] in eos_ids]
        live = [beam for beam in beams if tree.tokens[beam.node] not in eos_ids]
        if missing or not live or len(ended) >= least:
            break
        parents = [place for place, beam in zip(places, beams, strict=True) if tree.tokens[beam.node] not in eos_ids]
    found.judgements += [
        Judgement(node, "unjudged", None, None, None, None, "The round was over before.")
        for node in [node for layer in draft.layers for node in layer.nodes][len(found.judgements) :]
    ]
    found.live, found.ended = live, ended
    return found


def _judge(
    setting: Setting, step: Step, parents: list[int], law: torch.Tensor, least: int, rule: Rule, found: Verified
) -> tuple[list[int], list[Pair], list[torch.Tensor]]:
    """Judge one layer's draws below the live beams; the judgements and workings are added to what was found.

    Args:
        setting: the round's setting.
        step: the drafted layer.
        parents: of each live beam, its place among the draws of the layer above.
        law: (A, V) p_beam, a row per live beam.
        least: how many live beams are wanted.
        rule: see `verify_forest`.
        found: what the layers above came to.

    Returns:
        The accepted draws' places, the same as pairs of the live beams, and what each missing beam is drawn from.
    """
    rows = [step.sources.index(place) for place in parents]
    live_row = {row: live for live, row in enumerate(rows)}
    offered = {place: (live_row[row], x) for place, (row, x) in enumerate(step.pairs) if row in live_row}
    target_probs, draft_probs = law.flatten(), step.law[rows].to(law.dtype).flatten()  # (A * V,)
    # q_beam of the draws that are offered: below accepted beams only, and a law again
    draft_probs = draft_probs / draft_probs.sum().clamp(min=torch.finfo(law.dtype).tiny)
    draws = [live * law.shape[-1] + x for live, x in offered.values()]
    result = rule(target_probs, draft_probs, draws, least, setting.verify_rng)
    found.judgements += _explain(step, offered, result, law, draft_probs.view_as(law))
    if result.workings is not None:
        found.workings.append(partial(_in_layer, len(found.workings) + 1, result.workings))
    places = [list(offered)[i] for i in result.accepted]
    return places, [offered[place] for place in places], result.missing


def _in_layer(layer: int, workings: Workings) -> dict[str, Any]:
    found = workings()
    return {"kind": found.pop("kind"), "layer": layer, **found}


def _explain(
    step: Step, offered: dict[int, Pair], result: LayerResult, law: torch.Tensor, draft_law: torch.Tensor
) -> list[Judgement]:
    """A judgement per draw of the layer, in draw order."""
    order, judgements = {place: i for i, place in enumerate(offered)}, []
    rows, tokens = [row for row, _ in offered.values()], [token for _, token in offered.values()]
    target_probs, draft_probs = law[rows, tokens].tolist(), draft_law[rows, tokens].tolist()
    for place, beam in enumerate(step.beams):
        i = order.get(place)
        if i is None or i >= len(result.coins):
            why = "Its beam was not kept." if i is None else result.untested
            judgements.append(Judgement(beam.node, "unjudged", None, None, None, None, why))
            continue
        accepted = i in result.accepted
        why = f"The coin {'fell' if accepted else 'did not fall'} below the acceptance probability."
        outcome = "accepted" if accepted else "rejected"
        p, q, accept = target_probs[i], draft_probs[i], result.accept_probs[i]
        judgements.append(Judgement(beam.node, outcome, p, q, accept, result.coins[i], why))
    return judgements
