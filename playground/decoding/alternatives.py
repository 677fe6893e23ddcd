"""What could have been: the likeliest tokens where something was decided, and how far target and draft agree.

All of it is asked between rounds, when the models have just driven it out of the processor's caches: every operation
costs more than it costs in a row. So there are few of them, each on all the rows of all the rounds at hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, islice
from operator import itemgetter
from typing import NamedTuple

import torch

from playground.decoding.decode import Round
from playground.decoding.verification.speculative import acceptance_probability

NUM_ALTERNATIVES = 5  # of the target and of the draft, each, at every judged position

Row = list[float | int | None]


class Told(NamedTuple):
    """What a round's distributions tell.

    Attributes:
        log_probs: of the emitted tokens, under the unwarped target.
        extra_prob: probability of the extra token under what it was drawn from.
        overlaps: sum_x min(p, q) at each asked node, what events.Scored says of it; None where nothing was drawn.
        alternatives: what could have followed each node where something was decided: the likeliest tokens, and those
            there. Rows are [token, p, q], with q of the first draw, None where nothing was drawn; where a correction
            was drawn, also its distribution.
    """

    log_probs: list[float]
    extra_prob: float | None
    overlaps: list[float | None]
    alternatives: list[list[Row]]


def told(items: Sequence[Round]) -> list[Told]:
    """Of each of these rounds, which are of one run."""
    if not items:
        return []
    laws = [_Laws(item) for item in items]
    extras = [each.extra_prob() for each in laws]
    columns = zip(_log_probs(items), extras, _overlaps(laws), _alternatives(laws), strict=True)
    return [Told(*column) for column in columns]


class _Laws:
    """The distributions of one round: p at each asked node, q where something was drawn, and the correction's.

    Attributes:
        first: (V,) what the first draw below each node came from; none of beams. Beams compete with each other: what
            one of them was drawn from is no law of its own.
    """

    def __init__(self, item: Round) -> None:
        self.item, verdict, draws = item, item.verdict, item.draft.draws
        self.reading = verdict.reading
        self.one_text = verdict.beams is None
        self.first: dict[int, torch.Tensor] = {}
        if self.one_text and draws:
            p = self.reading.probs[0]
            self.first = {
                node: draws[node].law.first(draws[node].tokens, p) for node in self.reading.nodes if node in draws
            }

    def extra_prob(self) -> float | None:
        """Probability of the extra token under what it was drawn from."""
        weights, extra = self.item.verdict.extra_probs, self.item.verdict.extra
        return None if weights is None or extra is None else float(weights[extra] / weights.sum())

    def at(self, node: int) -> list[torch.Tensor]:
        """p, q and the law of a correction, as far as they are there. (V,) each"""
        item, p, q = self.item, self.reading.probs[self.reading.row_of[node]], self.first.get(node)
        laws, weights = [p], item.verdict.extra_probs
        if q is not None:
            laws.append(q if q.dtype == p.dtype else q.to(p.dtype))
        corrected = self.one_text and item.origins[-1] == "correction" and node == item.tree.parents[item.nodes[-1]]
        if corrected and weights is not None:
            laws.append((weights / weights.sum()).to(p.dtype))
        return laws


def _log_probs(items: Sequence[Round]) -> list[list[float]]:
    """Of the emitted tokens of each round."""
    rows, tokens = [], []
    for item in items:
        tree, reading = item.tree, item.verdict.reading
        rows.append(_rows_of(reading.logits, [reading.row_of[tree.parents[node]] for node in item.nodes]))
        tokens += [[tree.tokens[node]] for node in item.nodes]
    logits = torch.cat(rows)  # (emitted, V)
    logits = logits if logits.dtype in (torch.float32, torch.float64) else logits.float()
    highest = logits.amax(-1, keepdim=True)  # (emitted, 1)
    # torch's logsumexp, without what that does for rows of infinities: half as many operations
    summed = (logits - highest).exp_().sum(-1, keepdim=True).log_().add_(highest)
    found = (logits.gather(1, torch.tensor(tokens, device=logits.device)) - summed)[:, 0].tolist()
    return _parted(found, [len(item.nodes) for item in items])


def _overlaps(laws: Sequence[_Laws]) -> list[list[float | None]]:
    """At each asked node of each round."""
    p, q = [], []
    for each in laws:
        if each.first:
            p.append(_rows_of(each.reading.probs, [each.reading.row_of[node] for node in each.first]))
            q += each.first.values()
    found = iter(acceptance_probability(torch.cat(p), torch.stack(q)).tolist() if q else [])  # of (drawn, V) each
    return [[min(1.0, next(found)) if node in each.first else None for node in each.reading.nodes] for each in laws]


def _alternatives(laws: Sequence[_Laws]) -> list[list[list[Row]]]:
    """At each asked node of each round."""
    places = [
        (each, node, tokens, each.at(node))
        for each in laws
        for node, tokens in _tokens_there(each.item).items()
        if node in each.reading.row_of
    ]
    listed: dict[tuple[int, int], list[Row]] = {}
    if places:
        table = torch.stack([law for *_, at_node in places for law in at_node])  # (laws, V)
        top = table.topk(min(NUM_ALTERNATIVES, table.shape[1]), -1)
        # a law of few tokens has no others to name
        likely = [
            tokens if probs[-1] > 0 else [token for token, x in zip(tokens, probs, strict=True) if x > 0]
            for tokens, probs in zip(top.indices.tolist(), top.values.tolist(), strict=True)
        ]
        named, rows, columns, begin = [], [], [], 0
        for *_, tokens, at_node in places:
            end = begin + len(at_node)
            named.append(list(dict.fromkeys([*chain(*likely[begin:end]), *tokens])))
            for row in range(begin, end):
                rows += [row] * len(named[-1])
                columns += named[-1]
            begin = end
        values = iter(table.cpu().numpy()[rows, columns].tolist())
        for (each, node, _, at_node), tokens in zip(places, named, strict=True):
            probs = [list(islice(values, len(tokens))) for _ in at_node]
            listed[each.item.number, node] = _listed(tokens, probs, one_text=each.one_text)
    return [[listed.get((each.item.number, node), []) for node in each.reading.nodes] for each in laws]


def _listed(tokens: list[int], probs: list[list[float]], *, one_text: bool) -> list[Row]:
    """Rows of a token and its probabilities, by falling p; of one text, none of impossible tokens."""
    columns = probs if len(probs) > 1 else [*probs, [None] * len(tokens)]
    rows: list[Row] = [
        list(row) for row in zip(tokens, *columns, strict=True) if row[1] or any(row[2:]) or not one_text
    ]
    return sorted(rows, key=itemgetter(1), reverse=True)


def _tokens_there(item: Round) -> dict[int, list[int]]:
    """The tokens tested or emitted below each node where something was decided."""
    tree = item.tree
    decided = [judgement.node for judgement in item.verdict.judgements if judgement.outcome != "unjudged"]
    there: dict[int, list[int]] = {}
    for node in [*decided, *item.nodes]:
        there.setdefault(tree.parents[node], []).append(tree.tokens[node])
    return there


def _rows_of(table: torch.Tensor, rows: Sequence[int]) -> torch.Tensor:
    """These rows of a table (n, V), not copied where they are the first ones, as a chain's are."""
    return table[: len(rows)] if list(rows) == list(range(len(rows))) else table[list(rows)]


def _parted(values: list[float], counts: Iterable[int]) -> list[list[float]]:
    """The values of all rounds, round by round."""
    left = iter(values)
    return [list(islice(left, count)) for count in counts]
