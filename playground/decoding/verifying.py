"""From a rule to a verdict: run the target over a draft, apply the rule, close the round.

A tree is tested from its root: one node's draws, then those of the accepted child, until none is accepted; draws that
this walk does not reach are not tested. A chain is tested as a whole. `close` ends the round of either.
"""

from collections.abc import Callable, Sequence

import numpy as np
from msgspec import structs

from playground.decoding.categorical import categorical
from playground.decoding.drafting.draft import Draft
from playground.decoding.setting import Setting
from playground.decoding.verdict import Judgement, Verdict, not_tested
from playground.decoding.verification.ruling import ChainRule, NodeRule, Ruling, Test
from playground.decoding.workings import reasons
from playground.decoding.workings.records import Working
from playground.models.reading import Array, Reading
from playground.trace.reasons import Reason


def read(setting: Setting, draft: Draft) -> Reading:
    """Read the target's distributions at the frontier and at every drafted node, in one call."""
    return setting.target.read([*setting.frontier, *draft.nodes()], by_row=True)


def verify_tree(setting: Setting, draft: Draft, rule: NodeRule) -> Verdict:
    """Verdict on a tree, node by node from the frontier down.

    Args:
        setting: the round's setting; its frontier is one node.
        draft: a tree, or an empty draft.
        rule: rule for the draws below one node.
    """
    reading, node = read(setting, draft), setting.frontier[0]
    path: list[int] = []
    judgements: list[Judgement] = []
    workings: list[Callable[[], Working]] = []
    extra_probs = None
    while extra_probs is None and (below := draft.draws.get(node)):
        probs = reading.row(node)  # (V,)
        _refuse_dead_ends(setting, reading, [node])
        ruling = rule(probs, below.distribution, below.tokens, setting.verify_rng)
        p = probs[below.tokens].tolist()
        judgements += judged(below.nodes, p, below.probs(), ruling.tests)
        if ruling.workings is not None:
            workings.append(located(ruling.workings, node=node))
        if ruling.accepted:
            node = below.nodes[ruling.accepted[0]]
            path.append(node)
        else:
            extra_probs = ruling.extra_probs[0]
    return close(setting, draft, reading, path, judgements, extra_probs, workings)


def verify_chain(setting: Setting, draft: Draft, rule: ChainRule) -> Verdict:
    """Verdict on a chain of deterministic or independent draws; the rule is not applied to an empty draft."""
    reading, draws = read(setting, draft), list(draft.draws.values())
    if not draws:
        return close(setting, draft, reading)
    tokens, target_probs = [below.tokens[0] for below in draws], reading.probs[:-1]  # (N, V)
    rows = [next(below.distribution.conditionals(below.tokens, target_probs[0])) for below in draws]
    draft_probs = np.stack(rows) if len(rows) > 1 else rows[0][None]  # (N, V), and one row is not copied
    return close_chain(setting, draft, reading, rule(target_probs, draft_probs, tokens, setting.verify_rng))


def close_chain(setting: Setting, draft: Draft, reading: Reading, ruling: Ruling) -> Verdict:
    """Verdict on a chain, from the ruling on its tokens."""
    chain = draft.nodes()
    tokens = [setting.tree.tokens[node] for node in chain]
    p = reading.probs[range(len(chain)), tokens].tolist()
    q = [below.probs()[0] for below in draft.draws.values()]
    path = chain[: len(ruling.accepted)]
    workings = [ruling.workings] if ruling.workings else []
    extra_probs = ruling.extra_probs[0] if ruling.extra_probs else None
    return close(setting, draft, reading, path, judged(chain, p, q, ruling.tests), extra_probs, workings)


def close(
    setting: Setting,
    draft: Draft,
    reading: Reading,
    path: Sequence[int] = (),
    judgements: Sequence[Judgement] = (),
    extra_probs: Array | None = None,
    workings: Sequence[Callable[[], Working]] = (),
) -> Verdict:
    """Verdict of a round of one text: the accepted path, and one more token.

    The path is cut at an end token and at the budget. Else one token is drawn after it: a correction where draws below
    its end were rejected, a bonus where there were none, a plain one where nothing was drafted.

    Args:
        path: the accepted nodes, from the frontier downwards.
        judgements: judgements on the draws that the rule tested; the others are not tested.
        extra_probs: (V,) distribution of a correction; p at the end of the path when None.
        workings: numbers that a lens shows.
    """
    accepted = list(path[: setting.tokens_left])
    accepted = accepted[: next((count for count, node in enumerate(accepted, 1) if setting.ends(node)), len(accepted))]
    _refuse_dead_ends(setting, reading, [setting.frontier[0], *accepted])
    judgements = [*judgements, *unreached(setting, draft, judgements)]
    verdict = Verdict(reading, judgements, accepted, origin="bonus", workings=list(workings))
    end = accepted[-1] if accepted else setting.frontier[0]
    if len(accepted) < len(path) or len(accepted) == setting.tokens_left or (accepted and setting.ends(end)):
        return verdict
    if end in draft.draws:
        verdict.origin = "correction"
    elif not draft.depths:
        verdict.origin = "plain"
    verdict.extra_probs = reading.row(end) if extra_probs is None else extra_probs
    verdict.extra = categorical(verdict.extra_probs, setting.verify_rng.random())
    return verdict


def judged(nodes: Sequence[int], p: Sequence[float], q: Sequence[float], tests: Sequence[Test]) -> list[Judgement]:
    """Judgements on a rule's draws.

    Args:
        nodes: (K,) node of each draw.
        p, q: (K,) target and draft probability of each draw.
    """
    return [Judgement(nodes[test.draw], test.outcome, p[test.draw], q[test.draw], *test[2:]) for test in tests]


def unreached(
    setting: Setting, draft: Draft, judgements: Sequence[Judgement], reason: Reason = reasons.NOT_REACHED
) -> list[Judgement]:
    """Judgements on the draws below nodes that no rule reached."""
    parents = setting.tree.parents
    reached = {parents[each.node] for each in judgements}
    return [
        not_tested(node, reason)
        for depth in draft.depths
        for parent, node in zip(depth.parents, depth.nodes, strict=True)
        if parent not in reached
    ]


def _refuse_dead_ends(setting: Setting, reading: Reading, nodes: Sequence[int]) -> None:
    """Refuse a text that has come to a node where the target can write nothing that is allowed."""
    if reading.dead_ends is not None and bool(reading.dead_ends[[reading.row_of[node] for node in nodes]].any()):
        setting.refuse_dead_end()


def located(workings: Callable[[], Working], **where: int) -> Callable[[], Working]:
    """Return workings with the node, or the depth, that they belong to."""
    return lambda: structs.replace(workings(), **where)
