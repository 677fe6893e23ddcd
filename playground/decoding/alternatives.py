"""Alternatives: the likeliest tokens at every tested position, and the overlap of target and draft.

They are computed between rounds, when the models have just driven the distributions out of the processor's caches, so
that every operation costs more than it costs in a row. So there are few of them, each on all rows of several rounds.
"""

from collections.abc import Iterable, Sequence
from itertools import chain, islice
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from playground.decoding.decode import Round
from playground.decoding.ranking import largest
from playground.decoding.verification.speculative import acceptance_probability
from playground.models.reading import Array

NUM_ALTERNATIVES = 5  # The target and the draft have so many each, at every tested position.

Row = list[float | int | None]


class RoundProbabilities(NamedTuple):
    """Probabilities of a round that its trace shows."""

    log_probs: list[float]  # log-probability of each emitted token, under the unwarped target
    extra_prob: float | None  # probability of the extra token under the distribution it was drawn from
    # sum_x min(p, q) at each node of the reading, see events.Scored; None where nothing was drawn
    overlaps: list[float | None]
    # at each node of the reading the likeliest tokens, and the tokens tested or emitted there; empty where nothing was
    # decided. Rows are [token, p, q], with q of the first draw, None where nothing was drawn; where a correction was
    # drawn, also its distribution
    alternatives: list[list[Row]]
    # at the same nodes rows [token, probability] of the target's own softmax, before anything changes its logits; none
    # where only the temperature does
    raw_probs: list[list[list[float]]]


def round_probabilities(items: Sequence[Round], *, with_raw: bool = False) -> list[RoundProbabilities]:
    """Probabilities of each of these rounds of one run; `with_raw` also those before anything changed them."""
    if not items:
        return []
    rounds = [_Distributions(item) for item in items]
    extras = [each.extra_prob() for each in rounds]
    listed = _alternatives(rounds)
    raw_probs = [_raw_probs(*each) if with_raw else [] for each in zip(rounds, listed, strict=True)]
    columns = zip(_log_probs(items), extras, _overlaps(rounds), listed, raw_probs, strict=True)
    return [RoundProbabilities(*column) for column in columns]


class _Distributions:
    """The distributions of one round: p at each node of the reading, q where something was drawn, the correction's."""

    def __init__(self, item: Round) -> None:
        self.item, verdict, draws = item, item.verdict, item.draft.draws
        self.reading = verdict.reading
        self.one_text = verdict.beams is None
        # node -> (V,) distribution of the first draw below it; none of beams. Beams compete with each other: the
        # distribution of one of them is no distribution of its own
        self.first: dict[int, Array] = {}
        if self.one_text and draws:
            p = self.reading.probs[0]
            drawn = [node for node in self.reading.nodes if node in draws]
            self.first = {node: draws[node].distribution.first(draws[node].tokens, p) for node in drawn}

    def extra_prob(self) -> float | None:
        """Probability of the extra token under what it was drawn from; None of one behind a stop string."""
        weights, extra = self.item.verdict.extra_probs, self.item.verdict.extra
        if weights is None or extra is None or self.item.origins[-1] == "accepted":
            return None
        return float(weights[extra] / weights.sum())

    def rows_at(self, node: int) -> list[Array]:
        """p, q and the distribution of a correction at a node, those that there are. (V,) each"""
        item, p, q = self.item, self.reading.probs[self.reading.row_of[node]], self.first.get(node)
        rows, weights = [p], item.verdict.extra_probs
        if q is not None:
            rows.append(q.astype(p.dtype, copy=False))
        is_correction = self.one_text and item.origins[-1] == "correction" and node == item.tree.parents[item.nodes[-1]]
        if is_correction and weights is not None:
            rows.append((weights / weights.sum()).astype(p.dtype, copy=False))
        return rows


def _log_probs(items: Sequence[Round]) -> list[list[float]]:
    """Log-probabilities of the emitted tokens, round by round."""
    rows, tokens = [], []
    for item in items:
        tree, reading = item.tree, item.verdict.reading
        rows.append(_rows_of(reading.logits, [reading.row_of[tree.parents[node]] for node in item.nodes]))
        tokens += [tree.tokens[node] for node in item.nodes]
    logits = np.concatenate(rows)  # (emitted, V)
    highest = logits.max(-1, keepdims=True)  # (emitted, 1)
    summed = highest[:, 0] + np.log(np.exp(logits - highest).sum(-1))
    log_probs = (logits[range(len(tokens)), tokens] - summed).tolist()
    return _split(log_probs, [len(item.nodes) for item in items])


def _overlaps(rounds: Sequence[_Distributions]) -> list[list[float | None]]:
    """Overlap of p and q at each node of each round's reading."""
    p, q = [], []
    for each in rounds:
        if each.first:
            p.append(_rows_of(each.reading.probs, [each.reading.row_of[node] for node in each.first]))
            q += each.first.values()
    # p and q are (drawn, V) each.
    overlaps = iter(acceptance_probability(np.concatenate(p), np.stack(q)).tolist() if q else [])
    return [
        [min(1.0, next(overlaps)) if node in each.first else None for node in each.reading.nodes] for each in rounds
    ]


def _alternatives(rounds: Sequence[_Distributions]) -> list[list[list[Row]]]:
    """Alternatives at each node of each round's reading."""
    positions = [
        (each, node, tokens, each.rows_at(node))
        for each in rounds
        for node, tokens in _tokens_there(each.item).items()
        if node in each.reading.row_of
    ]
    listed: dict[tuple[int, int], list[Row]] = {}
    if positions:
        table = np.stack([row for *_, rows in positions for row in rows])  # (rows, V)
        values, indices = largest(table, min(NUM_ALTERNATIVES, table.shape[1]))
        # a distribution of few tokens has no others to name
        likely = [
            tokens if probs[-1] > 0 else [token for token, x in zip(tokens, probs, strict=True) if x > 0]
            for tokens, probs in zip(indices.tolist(), values.tolist(), strict=True)
        ]
        named, rows, columns, begin = [], [], [], 0
        for *_, tokens, rows_at_node in positions:
            end = begin + len(rows_at_node)
            named.append(list(dict.fromkeys([*chain(*likely[begin:end]), *tokens])))
            for row in range(begin, end):
                rows += [row] * len(named[-1])
                columns += named[-1]
            begin = end
        remaining = iter(table[rows, columns].tolist())
        for (each, node, _, rows_at_node), tokens in zip(positions, named, strict=True):
            probs = [list(islice(remaining, len(tokens))) for _ in rows_at_node]
            listed[each.item.number, node] = _listed(tokens, probs, one_text=each.one_text)
    return [[listed.get((each.item.number, node), []) for node in each.reading.nodes] for each in rounds]


def _raw_probs(of_round: _Distributions, listed: list[list[Row]]) -> list[list[list[float]]]:
    """Return the likeliest tokens of the target's own softmax, and those of the alternatives, at each node."""
    logits = of_round.reading.raw_logits.astype(np.float64)  # (nodes, V)
    weights = np.exp(logits - logits.max(-1, keepdims=True))
    probs = weights / weights.sum(-1, keepdims=True)
    _, likeliest = largest(probs, min(NUM_ALTERNATIVES, probs.shape[1]))
    rows = []
    for row, tokens, alternatives in zip(probs, likeliest.tolist(), listed, strict=True):
        named = dict.fromkeys([*tokens, *(each[0] for each in alternatives)]) if alternatives else ()
        rows.append(sorted(([token, float(row[token])] for token in named), key=itemgetter(1), reverse=True))
    return rows


def _listed(tokens: list[int], probs: list[list[float]], *, one_text: bool) -> list[Row]:
    """Rows of a token and its probabilities, by falling p; of one text without impossible tokens."""
    columns = probs if len(probs) > 1 else [*probs, [None] * len(tokens)]
    rows: list[Row] = [
        list(row) for row in zip(tokens, *columns, strict=True) if row[1] or any(row[2:]) or not one_text
    ]
    return sorted(rows, key=itemgetter(1), reverse=True)


def _tokens_there(item: Round) -> dict[int, list[int]]:
    """Node -> the tokens tested or emitted below it."""
    tree = item.tree
    decided = [judgement.node for judgement in item.verdict.judgements if judgement.outcome != "not_tested"]
    tokens: dict[int, list[int]] = {}
    for node in [*decided, *item.nodes]:
        tokens.setdefault(tree.parents[node], []).append(tree.tokens[node])
    return tokens


def _rows_of(table: Array, rows: Sequence[int]) -> Array:
    """Rows of a table (n, V), not copied where they are the first ones, as a chain's are."""
    return table[: len(rows)] if list(rows) == list(range(len(rows))) else table[list(rows)]


def _split(values: list[float], counts: Iterable[int]) -> list[list[float]]:
    """Split the values of several rounds by round."""
    remaining = iter(values)
    return [list(islice(remaining, count)) for count in counts]
