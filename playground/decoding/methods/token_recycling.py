"""Token Recycling: no draft model; what the target once thought likely after a token is drafted when it comes again.

    table:  the -> cat, dog, mat      the likeliest tokens of the target's last row after this token, also after one
            cat -> sat, ran           that was drafted and rejected: nothing that was computed is thrown away
    frontier: the -> cat -> sat       the tree of the table's entries, those of the best ranks first
                 |      \\-> ran
                 \\-> dog
    walk: u < p(cat)? else u' < p(dog) / (1 - p(cat))? ...        a look-up is deterministic: q = 1

Paper: Luo et al. 2024, Turning Trash into Treasure: Accelerating Inference of Large Language Models with Token
    Recycling, arXiv 2408.08696.
Differs from the paper: its table lives on from request to request, and here a run begins with an empty one, so that the
    same request gives the same text. Its tree of 80 nodes has a fixed shape; here the nodes with the least sum of ranks
    on their path are taken, as many as are wished. Sampling too, by the rule for deterministic draws.
"""

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from playground.decoding import method
from playground.decoding.drafting.draft import Draft
from playground.decoding.drafting.growth import hang_paths
from playground.decoding.method import DecodingMethod, option
from playground.decoding.ranking import largest
from playground.decoding.setting import Setting
from playground.decoding.verdict import Verdict
from playground.decoding.verification import recursive
from playground.decoding.verifying import verify_tree
from playground.decoding.workings import records

NUM_TOKENS_SHOWN = 80  # in the workings
Table = Mapping[int, Sequence[int]]  # token -> the likeliest next ones, best first


@dataclass(frozen=True, slots=True)
class Options(method.Options):
    """Size of the tree, and width of the table."""

    num_nodes: int = option(
        8,
        label="Tree size",
        help="Tokens drafted per round at most. The paper has 80, where a call of many tokens costs little more.",
        low=1,
        high=64,
        unit="tokens",
        key="num_nodes",
    )
    width: int = option(
        4, label="Width of the table", help="Likeliest next tokens kept for each token; 8 in the paper.", low=1, high=16
    )

    @property
    def num_drafted(self) -> int:
        """Largest size of the tree."""
        return self.num_nodes


class TokenRecycling(DecodingMethod):
    """No draft model: a tree of what the target found likely after the same tokens before, accepted or not."""

    title = "Token Recycling"
    paper = "Luo et al. 2024, Token Recycling, arXiv 2408.08696"
    reproduces = "target sampling"
    needs_draft_model = False

    def draft(self, setting: Setting) -> Draft:
        """Draft the best paths of the table; none after a token that no call of this run has read."""
        last, limit = setting.tree.tokens[setting.frontier[0]], setting.depth(self.options.num_nodes)
        draft = Draft()
        hang_paths(setting, draft, best_paths(setting.memory or {}, last, self.options.num_nodes), limit)
        return draft

    def verify(self, setting: Setting, draft: Draft) -> Verdict:
        """Walk down the tree, then keep the likeliest tokens of every row that the call computed."""
        verdict = verify_tree(setting, draft, recursive.judge)
        reading = verdict.reading
        _, tokens = largest(reading.logits, min(self.options.width, reading.logits.shape[-1]))  # (n, width)
        rows, table = tokens.tolist(), setting.memory or {}
        verdict.workings.append(partial(workings, reading.nodes, rows, len(table)))
        setting.memory = table | dict(zip((setting.tree.tokens[node] for node in reading.nodes), rows, strict=True))
        return verdict


def workings(nodes: Sequence[int], rows: Sequence[Sequence[int]], size: int) -> records.TokenTable:
    """Record what is written into a table of this size; of many rows those that come first."""
    width = len(rows[0])
    shown = NUM_TOKENS_SHOWN // width
    tokens = [token for row in rows[:shown] for token in row]
    return records.TokenTable(size=size, width=width, nodes=list(nodes[:shown]), tokens=tokens)


def best_paths(table: Table, last: int, most: int) -> list[list[int]]:
    """Return the paths below a token with the least sum of ranks, counted from 1; of two alike the first discovered.

    Example: with {1: [2, 3], 2: [4]} below 1 they are [2], of rank 1, then [3] and [2, 4], of 2 each.
    """
    paths: list[list[int]] = []
    waiting: list[tuple[int, int, list[int]]] = []  # sum of ranks, number in the order of discovery, path
    number = 0

    def discover(ranks: int, path: list[int], after: int) -> None:
        nonlocal number
        for rank, token in enumerate(table.get(after, ()), 1):
            number += 1
            heapq.heappush(waiting, (ranks + rank, number, [*path, token]))

    discover(0, [], last)
    while waiting and len(paths) < most:
        ranks, _, path = heapq.heappop(waiting)
        paths.append(path)
        discover(ranks, path, path[-1])
    return paths
