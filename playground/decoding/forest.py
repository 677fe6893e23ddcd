"""A drafted forest: layers of i.i.d. draws below several beams, judged layer by layer.

    beams   i1  i2         each layer is drawn from the draft model's joint law over the layer above,
    layer 1 a   b   c      one draw after the other, so a draw may hang below any beam and may coincide with another
    layer 2 d   e   f      judging: p_beam over the beams that were accepted, against q_beam over the same beams

All trees of the forest are one token tree here: beams that share words share nodes. A node may hold several draws, so
draws are known by their places in a layer, not by their nodes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import torch

from playground.decoding.beams import (
    Pair,
    ask,
    draw_pairs,
    extend,
    independent_pairs,
    joint_law,
    other_pairs,
    parted,
    read_rows,
)
from playground.decoding.drafting.draft import Draft
from playground.decoding.drafting.growth import distinct_draws
from playground.decoding.law import Distinct, Independent
from playground.decoding.reader import Reading
from playground.decoding.setting import Setting
from playground.decoding.verdict import Beam, Judgement
from playground.decoding.verification.ruling import LayerRule, Ruling
from playground.decoding.verifying import unreached
from playground.decoding.workings import reasons
from playground.decoding.workings.records import InLayer, Working
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
    workings: list[Callable[[], Working]] = field(default_factory=list)


def draft_forest(setting: Setting, draft_length: int, num_draws: int, *, distinct: bool = False) -> ForestDraft:
    """Beam sampling by the draft model, begun with the target's probabilities of the beams.

    Args:
        setting: the round's setting.
        draft_length, num_draws: layers, and draws of each.
        distinct: whether draws of a layer are without replacement.
    """
    drawn_apart, kind = distinct_draws(setting, num_draws), Distinct if distinct else Independent
    draft, beams = ForestDraft(), setting.beams.live
    sources = list(range(len(beams)))
    for _ in setting.levels(draft, draft_length):
        reading = ask(setting.draft_model, [beam.node for beam in beams])
        log_probs = read_rows(reading, beams)  # (R, V)
        law = joint_law(log_probs, setting.draft_model.sampling)  # (R, V)
        if distinct:
            pairs = [divmod(place, law.shape[-1]) for place in drawn_apart.take(law.flatten())]
        else:
            pairs = independent_pairs(law, num_draws, setting.draft_rng)
        drawn = extend(setting, beams, log_probs, pairs)
        draft.steps.append(Step(sources, law, pairs, drawn))
        rows: dict[int, torch.Tensor] = {}
        for beam, row in zip(beams, law, strict=True):  # q of a node: of all beams that stand there
            rows[beam.node] = rows[beam.node] + row if beam.node in rows else row
        laws = {node: kind(row) for node, row in rows.items()}
        draft.hang(setting.tree, [(beams[row].node, token) for row, token in pairs], laws, reading.seconds)
        sources = [place for place, beam in enumerate(drawn) if not setting.ends(beam.node)]
        beams = [drawn[place] for place in sources]
    return draft


def verify_forest(
    setting: Setting, draft: ForestDraft, least: int, rule: LayerRule, *, distinct: bool = False
) -> Verified:
    """Ask the target once and judge layer by layer; what a layer misses is drawn from the target, and ends the round.

    Where every layer had its beams accepted, one more is drawn. It has as many beams as the last layer left alive,
    and as the least width asks for: without drafts there is nothing to choose a width by.

    Args:
        setting: the round's setting.
        draft: the forest.
        least: how many beams there are to be at least, ended texts included.
        rule: judges the draws of one layer, and may ask for more.
        distinct: whether what is drawn from the target may be nothing that is there already.
    """
    found = Verified(ask(setting.target, [*setting.frontier, *setting.living(draft.nodes())]))
    live, ended = setting.beams.live, setting.beams.ended
    parents = list(range(len(live)))  # the place of each live beam among the draws of the layer above
    for step in [*draft.steps, None]:
        log_probs = read_rows(found.reading, live)  # (A, V)
        law = joint_law(log_probs, setting.target.sampling)  # (A, V)
        wanted = least - len(ended)
        places, pairs, missing = [], [], [law] * max(wanted, len(live))
        if step is not None:
            places, pairs, missing = _judge(setting, step, parents, law, wanted, rule, found)
        if distinct:
            pairs += other_pairs(missing, law, pairs, setting.verify_rng)
        else:
            pairs += draw_pairs(missing, law.shape[-1], setting.verify_rng)
        beams = extend(setting, live, log_probs, pairs)
        extra: Origin = "correction" if step else "bonus" if draft.steps else "plain"
        for place, beam in enumerate(beams):
            found.origins.setdefault(beam.node, "accepted" if place < len(places) else extra)
        live, newly_ended = parted(setting, beams)
        ended = ended + newly_ended
        if missing or not live or len(ended) >= least:
            break
        parents = [place for place, beam in zip(places, beams, strict=True) if not setting.ends(beam.node)]
    found.judgements += unreached(setting, draft, found.judgements, reasons.ROUND_OVER)
    if not live and not ended:
        setting.refuse_dead_end()
    found.live, found.ended = live, ended
    return found


def _judge(
    setting: Setting, step: Step, parents: list[int], law: torch.Tensor, least: int, rule: LayerRule, found: Verified
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
    ruling = rule(target_probs, draft_probs, draws, least, setting.verify_rng)
    found.judgements += _in_draw_order(step, offered, ruling, target_probs[draws].tolist(), draft_probs[draws].tolist())
    if ruling.workings is not None:
        found.workings.append(partial(_in_layer, len(found.workings) + 1, ruling.workings))
    places = [list(offered)[i] for i in ruling.accepted]
    return places, [offered[place] for place in places], ruling.missing


def _in_layer(layer: int, workings: Callable[[], Working]) -> Working:
    found = workings()
    assert isinstance(found, InLayer), f"workings of a layer that say not where: {found}"
    found.layer = layer
    return found


def _in_draw_order(
    step: Step, offered: dict[int, Pair], ruling: Ruling, p: list[float], q: list[float]
) -> list[Judgement]:
    """A judgement per draw of the layer; those whose beam is gone were not offered to the rule."""
    tests = dict(zip(offered, sorted(ruling.tests), strict=True))
    judgements = []
    for place, beam in enumerate(step.beams):
        test = tests.get(place)
        if test is None or test.outcome == "unjudged":
            why = test.reason if test else reasons.BEAM_DROPPED
            judgements.append(Judgement(beam.node, "unjudged", None, None, None, None, why))
        else:
            judgements.append(Judgement(beam.node, test.outcome, p[test.place], q[test.place], *test[2:]))
    return judgements
