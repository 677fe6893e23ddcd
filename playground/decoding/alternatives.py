"""What could have been: the likeliest tokens where something was decided, and how far target and draft agree.

All of it is asked between rounds, when the models have just driven it out of the processor's caches: every operation
costs several times what it costs in a row. So there are few of them, each on all the rows of a round at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from operator import itemgetter

import torch

from playground.decoding.decode import Round
from playground.decoding.verification.speculative import acceptance_probability

NUM_ALTERNATIVES = 5  # of the target and of the draft, each, at every judged position

Row = list[float | int | None]


class Laws:
    """The distributions of one round: p at each asked node, q where something was drawn, and the correction's."""

    def __init__(self, item: Round) -> None:
        self._item = item
        self._nodes = item.verdict.reading.nodes
        self._one_text = item.verdict.beams is None

    def log_probs(self) -> list[float]:
        """Of the emitted tokens, under the unwarped target."""
        tree, reading = self._item.tree, self._item.verdict.reading
        logits = _rows_of(reading.logits, [reading.row_of[tree.parents[node]] for node in self._item.nodes])
        logits = logits if logits.dtype in (torch.float32, torch.float64) else logits.float()
        tokens = torch.tensor([[tree.tokens[node]] for node in self._item.nodes], device=logits.device)
        highest = logits.amax(-1, keepdim=True)  # (emitted, 1)
        # torch's logsumexp, without what that does for rows of infinities: half as many operations
        summed = (logits - highest).exp_().sum(-1, keepdim=True).log_().add_(highest)
        return (logits.gather(1, tokens) - summed)[:, 0].tolist()

    def extra_prob(self) -> float | None:
        """Probability of the extra token under what it was drawn from."""
        extra = self._item.verdict.extra
        return None if self._extra is None or extra is None else float(self._extra[extra])

    def overlaps(self) -> list[float | None]:
        """sum_x min(p, q) at each asked node, what events.Scored says of it; None where nothing was drawn."""
        overlaps: list[float | None] = [None] * len(self._nodes)
        if first := self._first:
            drawn = [row for row, node in enumerate(self._nodes) if node in first]
            q = torch.stack([first[self._nodes[row]] for row in drawn])  # (drawn, V)
            p = _rows_of(self._item.verdict.reading.probs, drawn)  # (drawn, V)
            for row, overlap in zip(drawn, acceptance_probability(p, q).tolist(), strict=True):
                overlaps[row] = min(1.0, overlap)
        return overlaps

    def alternatives(self) -> list[list[Row]]:
        """What could have followed each node where something was decided: the likeliest tokens, and those there.

        Rows are [token, p, q], with q of the first draw, None where nothing was drawn; where a correction was drawn,
        also its distribution.
        """
        there = _tokens_there(self._item)
        laws = {node: self._laws_at(node, row) for node, row in self._p.items() if node in there}
        found: dict[int, list[Row]] = {}
        if laws:
            table = torch.stack([law for at_node in laws.values() for law in at_node])  # (laws, V)
            top = table.topk(min(NUM_ALTERNATIVES, table.shape[1]), -1)
            likely, probs, rows, begin = top.indices.tolist(), top.values.tolist(), table.cpu().numpy(), 0
            for node, at_node in laws.items():
                end = begin + len(at_node)
                # a law of few tokens has no others to name
                best = [t for row in range(begin, end) for t, x in zip(likely[row], probs[row], strict=True) if x > 0]
                tokens = list(dict.fromkeys([*best, *there[node]]))
                found[node] = self._listed(tokens, rows[begin:end, tokens].T.tolist())
                begin = end
        return [found.get(node, []) for node in self._nodes]

    def _listed(self, tokens: list[int], values: list[list[float]]) -> list[Row]:
        """Rows of a token and its values, by falling p; of one text, none of impossible tokens."""
        no_draft = [None] if len(values[0]) == 1 else []
        rows: list[Row] = [
            [token, *probs, *no_draft]
            for token, probs in zip(tokens, values, strict=True)
            if any(probs) or not self._one_text
        ]
        return sorted(rows, key=itemgetter(1), reverse=True)

    @cached_property
    def _p(self) -> dict[int, torch.Tensor]:
        """(V,) at each asked node."""
        return dict(zip(self._nodes, self._item.verdict.reading.probs.unbind(), strict=True))

    @cached_property
    def _first(self) -> dict[int, torch.Tensor]:
        """What the first draw below a node came from, (V,); none of beams.

        Beams compete with each other: what one of them was drawn from is no law of its own.
        """
        draws = self._item.draft.draws
        if not self._one_text or not draws:
            return {}
        return {node: draws[node].law.first(draws[node].tokens, p) for node, p in self._p.items() if node in draws}

    @cached_property
    def _extra(self) -> torch.Tensor | None:
        """(V,) what the extra token was drawn from; None where there is none."""
        weights = self._item.verdict.extra_probs
        return None if self._item.verdict.extra is None or weights is None else weights / weights.sum()

    def _laws_at(self, node: int, p: torch.Tensor) -> list[torch.Tensor]:
        """p, q and the law of a correction, as far as they are there. (V,) each"""
        item, laws = self._item, [p]
        if node in self._first:
            laws.append(self._first[node].to(p.dtype))
        corrected = self._one_text and item.origins[-1] == "correction" and node == item.tree.parents[item.nodes[-1]]
        if corrected and self._extra is not None:
            laws.append(self._extra.to(p.dtype))
        return laws


def _rows_of(table: torch.Tensor, rows: Sequence[int]) -> torch.Tensor:
    """These rows of a table (n, V), not copied where they are the first ones, as a chain's are."""
    return table[: len(rows)] if list(rows) == list(range(len(rows))) else table[list(rows)]


def _tokens_there(item: Round) -> dict[int, list[int]]:
    """The tokens tested or emitted below each node where something was decided."""
    tree = item.tree
    decided = [judgement.node for judgement in item.verdict.judgements if judgement.outcome != "unjudged"]
    there: dict[int, list[int]] = {}
    for node in [*decided, *item.nodes]:
        there.setdefault(tree.parents[node], []).append(tree.tokens[node])
    return there
