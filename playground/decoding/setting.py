"""The setting of a round: what a method may see and use, and how far it may draft."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from playground.decoding.constrained.constraint import TreeConstraint
from playground.decoding.constrained.grammar import TreeGrammar
from playground.decoding.drafting.draft import Draft
from playground.decoding.reader import Reader
from playground.decoding.verdict import Beams
from playground.errors import PlaygroundError
from playground.tree import TokenTree
from playground.words import word


@dataclass(slots=True)
class Setting:
    """Everything a method may see and use in a round. Caches, masks, positions and devices are not among it."""

    tree: TokenTree  # the prompt, the committed tokens, and this round's draft
    frontier: list[int]  # the node(s) the round starts from
    tokens_left: int  # tokens that the round may still emit, by the budget
    # Both are asked by `read`. Most methods have one draft model; some have several, and some none.
    target: Reader
    draft_models: list[Reader]
    # Two independent streams, so that a longer draft does not change the random numbers of the verification.
    draft_rng: np.random.Generator
    verify_rng: np.random.Generator
    eos_ids: frozenset[int]  # tokens that end the text
    start_depth: int  # depth of the prompt's last token, from which lengths count
    beams: Beams  # beams of the round before, for methods that carry several texts; the others need only the frontier
    # the sequences that the run may write; None where that is anything. The models' answers obey it
    constraint: TreeConstraint | TreeGrammar | None = None
    # whatever a method keeps for the next round; None at first. It belongs to the run, not to the method, which may
    # serve several runs
    memory: Any = None

    @property
    def draft_model(self) -> Reader:
        """The first draft model."""
        return self.draft_models[0]

    def parents_by_depth(self, draft: Draft, limit: int) -> Iterator[list[int]]:
        """Yield the nodes to draft below, depth by depth: the frontier, then the last drafted nodes that do not end.

        Args:
            draft: gets the draws below one depth's nodes before the next are yielded; without draws it is complete.

        Yields:
            Distinct nodes, in draw order.
        """
        parents = self.frontier
        for depth in range(self.depth(limit)):
            if depth:
                parents = self.living(draft.depths[-1].nodes) if len(draft.depths) == depth else []
            if not parents:
                return
            yield parents

    def depth(self, limit: int) -> int:
        """Return how deep the round may draft: `limit`, or less by the budget, or by what a draft model can read.

        One token of the budget is the target's own. A draft model says its limit before any token is drawn; a limit
        that depended on the draws would bias which of them are tested.
        """
        start = self.tree.depths[self.frontier[0]]
        contexts = (reader.model.max_positions for reader in self.draft_models)
        depth = max(0, min(limit, self.tokens_left - 1, *(context - start for context in contexts)))
        own = (reader.max_depth(self.frontier) for reader in self.draft_models) if depth else ()
        return min([depth, *(each for each in own if each is not None)])

    def living(self, nodes: Iterable[int]) -> list[int]:
        """Return the nodes that do not end their text, each once."""
        return [node for node in dict.fromkeys(nodes) if not self.ends(node)]

    def ends(self, node: int) -> bool:
        """Return whether the text is over with this node."""
        if self.tree.tokens[node] in self.eos_ids:
            return True
        return self.constraint is not None and self.constraint.ends(node)

    def ends_with(self, node: int, token: int) -> bool:
        """Return whether this token after this node ends the text; the token need not be in the tree."""
        return token in self.eos_ids or (self.constraint is not None and token in self.constraint.last_tokens(node))

    def refuse_dead_end(self) -> NoReturn:
        """Refuse to go on where the target can write nothing that is allowed."""
        raise PlaygroundError(word("refused_dead_end", model=self.target.model.name))

    def last_tokens(self, node: int) -> list[int]:
        """Return the tokens that end the text after this node."""
        return [*self.eos_ids, *(self.constraint.last_tokens(node) if self.constraint else [])]
