"""What a method may see and use in a round, and how far it may draft."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from playground.decoding.constrained.constraint import Confinement
from playground.decoding.drafting.draft import Draft
from playground.decoding.reader import Reader
from playground.decoding.verdict import Beams
from playground.errors import PlaygroundError
from playground.tree import TokenTree


@dataclass(slots=True)
class Setting:
    """Everything a method may see and use in a round. It never sees a cache, a mask, a position or a device.

    Attributes:
        tree: the prompt, what was committed, and what this round drafts.
        frontier: the node(s) the round starts from.
        room: how many tokens the round may still emit, by the budget.
        target, draft_models: ask them with `read`; none for methods that need no draft model, mostly one.
        draft_rng, verify_rng: two independent streams, so that a longer draft does not change the coins.
        eos_ids: tokens that end the text.
        start_depth: the depth of the prompt's last token, from which lengths count.
        beams: what the round before decided, for methods that carry several texts; the others need only the frontier.
        confinement: to what the run may write; None where that is anything. The models' answers know of it.
        memory: what a method wants to know again in the next round; None at first. It belongs to the run, not to the
            method, which may serve several runs.
    """

    tree: TokenTree
    frontier: list[int]
    room: int
    target: Reader
    draft_models: list[Reader]
    draft_rng: np.random.Generator
    verify_rng: np.random.Generator
    eos_ids: frozenset[int]
    start_depth: int
    beams: Beams
    confinement: Confinement | None = None
    memory: Any = None

    @property
    def draft_model(self) -> Reader:
        """The draft model: the first one."""
        return self.draft_models[0]

    def levels(self, draft: Draft, wanted: int) -> Iterator[list[int]]:
        """The nodes to draft below, level by level: the frontier, then whatever was drawn last and does not end.

        Args:
            draft: gets a layer between one level and the next; where it gets none, that was all.
            wanted: levels at most.

        Yields:
            Distinct nodes, in draw order.
        """
        level = self.frontier
        for depth in range(self.depth(wanted)):
            if depth:
                level = self.living(draft.layers[-1].nodes) if len(draft.layers) == depth else []
            if not level:
                return
            yield level

    def depth(self, wanted: int) -> int:
        """So many levels, or as many as there is room for: the last token of a round is the target's own."""
        return min(wanted, self.room - 1)

    def living(self, nodes: Iterable[int]) -> list[int]:
        """Those that do not end their text, each once."""
        return [node for node in dict.fromkeys(nodes) if not self.ends(node)]

    def ends(self, node: int) -> bool:
        """Whether the text is over with this node."""
        if self.tree.tokens[node] in self.eos_ids:
            return True
        return self.confinement is not None and self.confinement.ends(node)

    def ends_with(self, node: int, token: int) -> bool:
        """Whether the text is over with this token behind this node, which need not be in the tree."""
        return token in self.eos_ids or (self.confinement is not None and token in self.confinement.last_tokens(node))

    def refuse_dead_end(self) -> NoReturn:
        """The text has come to where the target can write nothing that is allowed."""
        raise PlaygroundError(
            f"The target {self.target.model.name} gives probability 0 to everything that is allowed next. Allow "
            "more, or choose another target."
        )

    def last_tokens(self, node: int) -> list[int]:
        """The tokens that end the text behind this node."""
        return [*self.eos_ids, *(self.confinement.last_tokens(node) if self.confinement else [])]
