"""From a rule to a verdict: ask the target about a draft, let the rule judge it, close the round.

A tree is judged from its root: one node's draws, then those of the accepted child, until nothing is accepted; draws
that this walk never reaches stay unjudged. A chain is judged as a whole. Whatever judged, `close` ends the round.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import torch

from playground.decoding.drafting.draft import Draft
from playground.decoding.reader import Reading
from playground.decoding.sampling import categorical
from playground.decoding.setting import Setting
from playground.decoding.verdict import Judgement, Verdict
from playground.decoding.verification.ruling import ChainRule, NodeRule, Ruling, Test
from playground.decoding.workings import reasons
from playground.decoding.workings.records import AtNode, Working
from playground.trace.reasons import Reason


def read(setting: Setting, draft: Draft) -> Reading:
    """The target at the frontier and at every drafted node: one call."""
    return setting.target.read([*setting.frontier, *draft.nodes()])


def verify_tree(setting: Setting, draft: Draft, rule: NodeRule) -> Verdict:
    """Walk down from the frontier.

    Args:
        setting: the round's setting; its frontier is one node.
        draft: a tree, or nothing.
        rule: judges the draws below one node.
    """
    reading, node = read(setting, draft), setting.frontier[0]
    path: list[int] = []
    judgements: list[Judgement] = []
    workings: list[Callable[[], Working]] = []
    rest = None
    while rest is None and (below := draft.draws.get(node)):
        probs = reading.probs[reading.row_of[node]]  # (V,)
        _refuse_dead_ends(setting, reading, [node])
        ruling = rule(probs, below.law, below.tokens, setting.verify_rng)
        p = probs[below.tokens].tolist()
        judgements += judged(below.nodes, p, below.probs(), ruling.tests)
        if ruling.workings is not None:
            workings.append(partial(_at, node, ruling.workings))
        if ruling.accepted:
            node = below.nodes[ruling.accepted[0]]
            path.append(node)
        else:
            rest = ruling.missing[0]
    return close(setting, draft, reading, path, judgements, rest, workings)


def verify_chain(setting: Setting, draft: Draft, rule: ChainRule) -> Verdict:
    """Judge a chain of certain or independent draws as a whole; the rule is not asked about nothing."""
    reading, draws = read(setting, draft), list(draft.draws.values())
    if not draws:
        return close(setting, draft, reading)
    tokens, target_probs = [below.tokens[0] for below in draws], reading.probs[:-1]  # (N, V)
    draft_probs = torch.stack([next(below.law.offers(below.tokens, target_probs[0])) for below in draws])  # (N, V)
    return close_chain(setting, draft, reading, rule(target_probs, draft_probs, tokens, setting.verify_rng))


def close_chain(setting: Setting, draft: Draft, reading: Reading, ruling: Ruling) -> Verdict:
    """Close a round whose draft is a chain, by what its rule said of the tokens."""
    chain = draft.nodes()
    tokens = [setting.tree.tokens[node] for node in chain]
    p = reading.probs[range(len(chain)), tokens].tolist()
    q = [below.probs()[0] for below in draft.draws.values()]
    path = chain[: len(ruling.accepted)]
    workings = [ruling.workings] if ruling.workings else []
    rest = ruling.missing[0] if ruling.missing else None
    return close(setting, draft, reading, path, judged(chain, p, q, ruling.tests), rest, workings)


def close(
    setting: Setting,
    draft: Draft,
    reading: Reading,
    path: Sequence[int] = (),
    judgements: Sequence[Judgement] = (),
    rest: torch.Tensor | None = None,
    workings: Sequence[Callable[[], Working]] = (),
) -> Verdict:
    """End a round of one text: what was accepted, and one token more.

    Nothing follows an end token, or is more than there is room for. Else one token is drawn: a correction where draws
    below the end of the path were refused, a bonus where there were none, a plain one where nothing was drafted.

    Args:
        setting: the round's setting.
        draft: what was judged.
        reading: the target's answer.
        path: the accepted nodes, from the frontier downwards.
        judgements: on the draws that the rule came to; the others are unjudged.
        rest: (V,) what a correction is drawn from; p at the end of the path when None.
        workings: what a lens may show.
    """
    kept = list(path[: setting.tokens_left])
    kept = kept[: next((place for place, node in enumerate(kept, 1) if setting.ends(node)), len(kept))]
    _refuse_dead_ends(setting, reading, [setting.frontier[0], *kept])
    verdict = Verdict(
        reading, [*judgements, *unreached(setting, draft, judgements)], kept, origin="bonus", workings=list(workings)
    )
    end = kept[-1] if kept else setting.frontier[0]
    if len(kept) < len(path) or len(kept) == setting.tokens_left or (kept and setting.ends(end)):
        return verdict
    if end in draft.draws:
        verdict.origin = "correction"
    elif not draft.layers:
        verdict.origin = "plain"
    verdict.extra_probs = reading.probs[reading.row_of[end]] if rest is None else rest
    verdict.extra = categorical(verdict.extra_probs, setting.verify_rng.random())
    return verdict


def judged(nodes: Sequence[int], p: Sequence[float], q: Sequence[float], tests: Sequence[Test]) -> list[Judgement]:
    """The rule's tests as judgements.

    Args:
        nodes: the draws that the rule was given.
        p, q: of each of them.
        tests: what it said.
    """
    return [Judgement(nodes[test.place], test.outcome, p[test.place], q[test.place], *test[2:]) for test in tests]


def unreached(
    setting: Setting, draft: Draft, judgements: Sequence[Judgement], reason: Reason = reasons.NOT_REACHED
) -> list[Judgement]:
    """Judgements on the draws below nodes that no rule came to."""
    parents = setting.tree.parents
    reached = {parents[each.node] for each in judgements}
    return [
        Judgement(node, "unjudged", None, None, None, None, reason)
        for layer in draft.layers
        for parent, node in zip(layer.parents, layer.nodes, strict=True)
        if parent not in reached
    ]


def _refuse_dead_ends(setting: Setting, reading: Reading, nodes: Sequence[int]) -> None:
    """Of nodes that the text has come to, none may be where the target can write nothing that is allowed."""
    if reading.dead_ends is not None and bool(reading.dead_ends[[reading.row_of[node] for node in nodes]].any()):
        setting.refuse_dead_end()


def _at(node: int, workings: Callable[[], Working]) -> Working:
    found = workings()
    assert isinstance(found, AtNode), f"workings of a node that say not where: {found}"
    found.node = node
    return found
