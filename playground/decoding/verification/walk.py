"""Verify a tree from its root: judge a node's draws, step to the accepted child, until nothing is accepted.

Every tree method verifies like this and differs only in how one node's draws are judged. A draw is judged at most once,
at the node the walk has reached; draws below nodes that the walk never reaches stay unjudged.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch

from playground.decoding.round import Draft, Judgement, Setting, Verdict, Workings
from playground.decoding.sampling import categorical


@dataclass(frozen=True, slots=True)
class NodeResult:
    """What became of one node's draws.

    Attributes:
        accepted: place of the accepted draw in draw order, or None.
        accept_probs: of the draws that were tested, in the order of the tests, up to and including the accepted one.
        coins: theirs.
        residual: (V,) what the correction is drawn from when no draw was accepted, unnormalised.
        tests: what each coin was held against, in words and numbers; "p/q" is not the whole story of most rules.
        tested: places of the draws that were tested, in the order of the tests; None when that is draw order.
        untested: why the other draws were not.
        workings: what a lens may show of this node, with its "kind"; the walk adds the "node".
    """

    accepted: int | None
    accept_probs: list[float]
    coins: list[float]
    residual: torch.Tensor
    tests: list[str]
    tested: list[int] | None = None
    untested: str = "A sibling drawn before it was accepted."
    workings: Workings | None = None


# (target (V,), draft (V,), tokens in draw order, stream of coins) -> what became of them. Rules for draws with laws of
# their own take the draft as (K, V) too, a row for each draw.
Rule = Callable[[torch.Tensor, torch.Tensor, list[int], np.random.Generator], NodeResult]


def verify_tree(setting: Setting, draft: Draft, rule: Rule) -> Verdict:
    """Ask the target about the frontier and every drafted node in one call, then walk down.

    Args:
        setting: the round's setting; its frontier is one node.
        draft: at least one layer of draws, or none.
        rule: judges the draws below one node.
    """
    draws = draws_below(draft)
    reading = setting.target.read([*setting.frontier, *draft.nodes()])
    row = {node: place for place, node in enumerate(reading.nodes)}
    tokens, node, path = setting.tree.tokens, setting.frontier[0], []
    tested: dict[int, list[Judgement]] = {}  # by parent, in draw order
    workings: list[Workings] = []
    probs, origin = reading.probs[row[node]], "plain" if not draws else "bonus"
    while node in draws:
        children = draws[node]
        result = rule(probs, draft.probs[node], [tokens[child] for child in children], setting.verify_rng)
        tested[node] = _explain(result, children, [tokens[c] for c in children], probs, draft.probs[node])
        if result.workings is not None:
            workings.append(partial(_at, node, result.workings))
        if result.accepted is None:
            probs, origin = result.residual, "correction"
            break
        node = children[result.accepted]
        path.append(node)
        if tokens[node] in setting.eos_ids:
            return Verdict(reading, _in_order(draft, tested), path, workings=workings)
        probs = reading.probs[row[node]]
    token = categorical(probs, setting.verify_rng.random())
    return Verdict(reading, _in_order(draft, tested), path, token, origin, probs, workings=workings)


def _at(node: int, workings: Workings) -> dict[str, Any]:
    found = workings()
    return {"kind": found.pop("kind"), "node": node, **found}


def draws_below(draft: Draft) -> dict[int, list[int]]:
    """Children below each node in draw order; a child drawn twice stands there twice."""
    draws: dict[int, list[int]] = {}
    for layer in draft.layers:
        for parent, node in zip(layer.parents, layer.nodes, strict=True):
            draws.setdefault(parent, []).append(node)
    return draws


def _explain(
    result: NodeResult, children: list[int], tokens: list[int], target_probs: torch.Tensor, draft_probs: torch.Tensor
) -> list[Judgement]:
    """A judgement per draw of one node: the tested ones in the order of the tests, then the others."""
    index = torch.tensor(tokens, device=target_probs.device)
    p = target_probs.index_select(0, index).tolist()
    q = draft_probs.expand(len(tokens), -1).gather(1, index[:, None])[:, 0].tolist()
    tested = range(len(result.coins)) if result.tested is None else result.tested
    judgements = []
    for place, accept_prob, coin, test in zip(tested, result.accept_probs, result.coins, result.tests, strict=True):
        accepted = place == result.accepted
        why = f"The coin {'fell' if accepted else 'did not fall'} below {test}."
        if accept_prob == 0:
            why = "Nothing is left of the target's mass here."
        outcome = "accepted" if accepted else "rejected"
        judgements.append(Judgement(children[place], outcome, p[place], q[place], accept_prob, coin, why))
    for place in sorted(set(range(len(children))).difference(tested)):
        judgements.append(Judgement(children[place], "unjudged", p[place], q[place], None, None, result.untested))
    return judgements


def _in_order(draft: Draft, tested: dict[int, list[Judgement]]) -> list[Judgement]:
    """Judgements of all draws: those on the walk first, in the order of the tests, then the ones it never reached."""
    walked = [judgement for judgements in tested.values() for judgement in judgements]
    unreached = [
        Judgement(node, "unjudged", None, None, None, None, "The walk did not come here.")
        for layer in draft.layers
        for parent, node in zip(layer.parents, layer.nodes, strict=True)
        if parent not in tested
    ]
    return walked + unreached
