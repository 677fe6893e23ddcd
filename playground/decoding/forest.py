"""A drafted forest: i.i.d. draws below several beams at every depth, verified depth by depth.

    beams   i1  i2         each depth is drawn from the draft model's joint distribution over the depth above,
    depth 1 a   b   c      one draw after the other, so a draw may hang below any beam and may coincide with another
    depth 2 d   e   f      verifying: p_beam over the accepted beams, against q_beam over the same beams

All trees of the forest are one token tree here: beams that share words share nodes. A node may hold several draws, so
draws are identified by their index at a depth, not by their nodes.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from playground.decoding.beams import (
    Pair,
    draw_pairs,
    extend,
    independent_pairs,
    joint_distribution,
    other_pairs,
    rank_beams,
    read_rows,
    read_unwarped,
    split_ended,
    survivors,
)
from playground.decoding.distribution import Distinct, Independent
from playground.decoding.drafting.draft import Draft
from playground.decoding.drafting.growth import distinct_draws
from playground.decoding.setting import Setting
from playground.decoding.verdict import Beam, Beams, Judgement, Verdict, not_tested
from playground.decoding.verification.ruling import DepthRule, Ruling
from playground.decoding.verifying import located, unreached
from playground.decoding.workings import reasons
from playground.models.reading import Array
from playground.trace.events import Origin


@dataclass(slots=True)
class ForestDepth:
    """The draws at one depth, and the distribution they came from."""

    sources: list[int]  # (R,) index of each row's beam among the draws of the depth above
    distribution: Array  # (R, V) q_beam
    pairs: list[Pair]  # the draws, as pairs of these rows
    beams: list[Beam]  # beam of each draw, also where two coincide


@dataclass(slots=True)
class ForestDraft(Draft):
    """A draft that records the parent of each draw."""

    forest_depths: list[ForestDepth] = field(default_factory=list)


def draft_forest(setting: Setting, draft_length: int, num_draws: int, *, distinct: bool = False) -> ForestDraft:
    """Beam sampling by the draft model, from the target's probabilities of the beams.

    Args:
        draft_length, num_draws: depths, and draws of each.
        distinct: True to draw a depth without replacement.
    """
    without_replacement, kind = distinct_draws(setting, num_draws), Distinct if distinct else Independent
    draft, beams = ForestDraft(), setting.beams.live
    sources = list(range(len(beams)))
    for _ in setting.parents_by_depth(draft, draft_length):
        reading = read_unwarped(setting.draft_model, [beam.node for beam in beams])
        log_probs = read_rows(reading, beams)  # (R, V)
        distribution = joint_distribution(log_probs, setting.draft_model.sampling)  # (R, V)
        if distinct:
            pairs = [divmod(index, distribution.shape[-1]) for index in without_replacement.take(distribution.ravel())]
        else:
            pairs = independent_pairs(distribution, num_draws, setting.draft_rng)
        drawn_beams = extend(setting, beams, log_probs, pairs)
        draft.forest_depths.append(ForestDepth(sources, distribution, pairs, drawn_beams))
        rows: dict[int, Array] = {}
        for beam, row in zip(beams, distribution, strict=True):  # q of a node: the sum over its beams
            rows[beam.node] = rows[beam.node] + row if beam.node in rows else row
        distributions = {node: kind(row) for node, row in rows.items()}
        draft.hang(setting.tree, [(beams[row].node, token) for row, token in pairs], distributions, reading.seconds)
        sources = [index for index, beam in enumerate(drawn_beams) if not setting.ends(beam.node)]
        beams = [drawn_beams[index] for index in sources]
    return draft


# (setting, live beams of the last depth that was reached, ended texts, origins) -> the beams of the next round
Rank = Callable[[Setting, list[Beam], list[Beam], dict[int, Origin]], Beams]


def verify_forest(
    setting: Setting,
    draft: ForestDraft,
    least: int,
    rule: DepthRule,
    rank: Rank = rank_beams,
    *,
    distinct: bool = False,
) -> Verdict:
    """Verify a forest depth by depth, after one target call. Missing beams are drawn from the target and end the round.

    After the last depth, where every depth had its beams accepted, one more is drawn. It has the number of beams that
    the last one left alive, and at least the least width: without drafts nothing determines a width.

    Args:
        least: number of beams at least, ended texts included.
        rule: rule for the draws at one depth, which may ask for more outputs.
        rank: choice of the beams that go on.
        distinct: True where a beam drawn from the target must differ from all others.
    """
    verdict = Verdict(read_unwarped(setting.target, [*setting.frontier, *setting.living(draft.nodes())]), [])
    live, ended = setting.beams.live, setting.beams.ended
    origins: dict[int, Origin] = {}  # a parent before its children
    parents = list(range(len(live)))  # index of each live beam among the draws of the depth above
    for drafted in [*draft.forest_depths, None]:
        log_probs = read_rows(verdict.reading, live)  # (A, V)
        distribution = joint_distribution(log_probs, setting.target.sampling)  # (A, V)
        wanted = least - len(ended)
        accepted, pairs, extra_probs = [], [], [distribution] * max(wanted, len(live))
        if drafted is not None:
            accepted, pairs, extra_probs = _verify_depth(setting, drafted, parents, distribution, wanted, rule, verdict)
        if distinct:
            pairs += other_pairs(extra_probs, distribution, pairs, setting.verify_rng)
        else:
            pairs += draw_pairs(extra_probs, distribution.shape[-1], setting.verify_rng)
        beams = extend(setting, live, log_probs, pairs)
        extra: Origin = "correction" if drafted else "bonus" if draft.forest_depths else "plain"
        for index, beam in enumerate(beams):
            origins.setdefault(beam.node, "accepted" if index < len(accepted) else extra)
        live, newly_ended = split_ended(setting, beams)
        ended = ended + newly_ended
        if extra_probs or not live or len(ended) >= least:
            break
        parents = [index for index, beam in zip(accepted, beams, strict=True) if not setting.ends(beam.node)]
    verdict.judgements += unreached(setting, draft, verdict.judgements, reasons.ROUND_OVER)
    if not live and not ended:
        setting.refuse_dead_end()
    verdict.beams = survivors(setting, rank(setting, live, ended, origins))
    return verdict


def _verify_depth(
    setting: Setting,
    drafted: ForestDepth,
    parents: list[int],
    distribution: Array,
    least: int,
    rule: DepthRule,
    verdict: Verdict,
) -> tuple[list[int], list[Pair], list[Array]]:
    """Apply the rule to one depth's draws below the live beams; adds the judgements and workings to the verdict.

    Args:
        drafted: the draws at this depth.
        parents: (A,) index of each live beam among the draws of the depth above.
        distribution: (A, V) p_beam, a row per live beam.
        least: number of live beams wanted.

    Returns:
        The indices of the accepted draws, their pairs of the live beams, and the distribution of each missing beam.
    """
    rows = [drafted.sources.index(parent) for parent in parents]
    live_row = {row: live for live, row in enumerate(rows)}
    offered = {index: (live_row[row], x) for index, (row, x) in enumerate(drafted.pairs) if row in live_row}
    target_probs = distribution.ravel()  # (A * V,)
    draft_probs = drafted.distribution[rows].astype(distribution.dtype).ravel()  # (A * V,)
    # q_beam of the draws below accepted beams, renormalised
    draft_probs /= max(draft_probs.sum(), np.finfo(distribution.dtype).tiny)
    draws = [live * distribution.shape[-1] + x for live, x in offered.values()]
    ruling = rule(target_probs, draft_probs, draws, least, setting.verify_rng)
    p, q = target_probs[draws].tolist(), draft_probs[draws].tolist()
    verdict.judgements += _in_draw_order(drafted, offered, ruling, p, q)
    if ruling.workings is not None:
        verdict.workings.append(located(ruling.workings, depth=len(verdict.workings) + 1))
    accepted = [list(offered)[index] for index in ruling.accepted]
    return accepted, [offered[index] for index in accepted], ruling.extra_probs


def _in_draw_order(
    drafted: ForestDepth, offered: dict[int, Pair], ruling: Ruling, p: list[float], q: list[float]
) -> list[Judgement]:
    """One judgement per draw at the depth; the rule was not given draws below dropped beams."""
    tests = dict(zip(offered, sorted(ruling.tests), strict=True))
    judgements = []
    for index, beam in enumerate(drafted.beams):
        test = tests.get(index)
        if test is None or test.outcome == "not_tested":
            why = test.reason if test else reasons.BEAM_DROPPED
            judgements.append(not_tested(beam.node, why))
        else:
            judgements.append(Judgement(beam.node, test.outcome, p[test.draw], q[test.draw], *test[2:]))
    return judgements
