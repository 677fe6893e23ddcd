"""Constrained decoding: a run that can write one of the given token sequences, and nothing else.

The sequences make a trie. At every node of the token tree it says which tokens may follow, and a model's logits of all
others are struck out before anything is made of them: a row that a method sees is already renormalised over what is
allowed, then come temperature, top-k and top-p. Target and draft are struck alike. To a method the two are simply other
models, so the law that it claims is the law of the confined target, exactly, and no draft can bring in a token that the
target's row does not hold. Beams add up the same renormalised log-probabilities, which are those of whole sequences.

A draft model may hold everything that is allowed somewhere for impossible, as one that copies the text does: from there
nothing is drafted. The target has no distribution at such a node, so a run that comes to one cannot go on.

At the end of a sequence the text is over. AtSpeed's repository strikes tokens out after its log-softmax instead, so a
beam's score there is short of the mass that was struck; its timings use the tokens allowed at each position, whatever
stands before, and may end in items that do not exist.

Paper: the trie of De Cao et al. 2021, Autoregressive Entity Retrieval, arXiv 2010.00904.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import torch

from playground.errors import PlaygroundError
from playground.tree import TokenTree


class Branch:
    """A place in a trie: what may follow. At the end of a sequence nothing does."""

    def __init__(self) -> None:
        self.below: dict[int, Branch] = {}

    @cached_property
    def tokens(self) -> torch.Tensor:
        """(n,) what may follow, in the order of the sequences."""
        return torch.tensor(list(self.below), dtype=torch.long)

    @cached_property
    def last_tokens(self) -> list[int]:
        """Those of them that end a sequence."""
        return [token for token, branch in self.below.items() if not branch.below]


class Trie:
    """The token sequences that a run may write after its prompt. Equal ones count once.

    Attributes:
        root: where every sequence begins.
        tokens: all that occur.
        inner: those that others follow.
        longest: tokens of the longest sequence.

    Raises:
        PlaygroundError: if there is none, or if one is empty or the beginning of another: a run that came to its end
            could not tell whether to go on.
    """

    def __init__(self, sequences: Iterable[Sequence[int]]) -> None:
        self.root = Branch()
        self.tokens: set[int] = set()
        self.inner: set[int] = set()
        self.longest = 0
        ends: dict[Branch, int] = {}  # where a sequence ends -> its number
        for number, sequence in enumerate(sequences, 1):
            if not sequence:
                raise PlaygroundError(f"Allowed sequence {number} is empty. Leave it out, or give it a token.")
            branch = self.root
            for token in sequence:
                if shorter := ends.get(branch):
                    _refuse_beginning(shorter, number)
                branch = branch.below.setdefault(token, Branch())
            if branch.below:
                _refuse_beginning(number, _any_below(branch, ends))
            ends.setdefault(branch, number)
            self.tokens.update(sequence)
            self.inner.update(sequence[:-1])
            self.longest = max(self.longest, len(sequence))
        if not ends:
            raise PlaygroundError("No sequence is allowed, so nothing can be written. Allow one at least.")
        self._num_sequences = len(ends)

    def __len__(self) -> int:
        return self._num_sequences

    def allowed(self, prefix: Sequence[int]) -> list[int]:
        """What may follow these tokens; nothing after a whole sequence, or after tokens that begin none.

        Args:
            prefix: the tokens written after the prompt.
        """
        branch: Branch | None = self.root
        for token in prefix:
            branch = branch.below.get(token) if branch else None
        return list(branch.below) if branch else []


def _refuse_beginning(shorter: int, longer: int) -> None:
    raise PlaygroundError(
        f"Allowed sequence {shorter} is the beginning of sequence {longer}, so a run could not tell where to stop. "
        "Leave one out, or let both end in an end mark."
    )


def _any_below(branch: Branch, ends: dict[Branch, int]) -> int:
    """The number of a sequence that goes on below."""
    while branch not in ends:
        branch = next(iter(branch.below.values()))
    return ends[branch]


class Confinement:
    """A trie laid over a run's token tree: where each node stands in it.

    Args:
        trie: what may be written.
        tree: the run's; its last prompt token is where the trie begins.
    """

    def __init__(self, trie: Trie, tree: TokenTree) -> None:
        self.tree = tree
        self._places: dict[int, Branch | None] = {tree.trunk[-1]: trie.root}  # None: the node is off the trie

    def place(self, node: int) -> Branch | None:
        """Where the node stands; None where it begins no sequence."""
        missing = []
        while node not in self._places:
            missing.append(node)
            node = self.tree.parents[node]
        branch = self._places[node]
        for below in reversed(missing):
            branch = self._places[below] = branch.below.get(self.tree.tokens[below]) if branch else None
        return branch

    def ends(self, node: int) -> bool:
        """Whether a sequence is complete with this node."""
        branch = self.place(node)
        return branch is not None and not branch.below

    def last_tokens(self, node: int) -> list[int]:
        """The tokens that complete a sequence behind this node."""
        branch = self.place(node)
        return branch.last_tokens if branch else []

    def confined(self, logits: torch.Tensor, nodes: Sequence[int]) -> torch.Tensor:
        """The rows with everything struck out that may not follow, in one write for all of them.

        Rows of complete sequences, and of nodes that a drafter put off the trie, are left alone: the first have no next
        token, and nothing comes to the others, which have probability 0. A row may have nothing left.

        Args:
            logits: (n, V).
            nodes: of the rows.
        """
        bound = {row: branch for row, node in enumerate(nodes) if (branch := self.place(node)) and branch.below}
        if not bound:
            return logits
        counts = torch.tensor([len(branch.below) for branch in bound.values()])
        rows = torch.repeat_interleave(torch.tensor(list(bound)), counts).to(logits.device)
        tokens = torch.cat([branch.tokens for branch in bound.values()]).to(logits.device)
        kept = logits.clone()
        kept[list(bound)] = -torch.inf
        kept[rows, tokens] = logits[rows, tokens]
        return kept
