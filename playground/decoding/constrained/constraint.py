"""Constrained decoding: a run that can write one of the given token sequences, and nothing else.

The sequences make a trie. At every node of the token tree it says which tokens may follow, and a model's logits of all
others are masked before anything is made of them: a row that a method sees is already renormalised over the allowed
tokens; temperature, top-k and top-p come after. Target and draft are masked alike. To a method the two are simply other
models, so the distribution that it claims is that of the constrained target, exactly, and no draft can bring in a token
that the target's row does not hold. Beams add up the renormalised log-probabilities, which are those of whole
sequences.

A draft model may give probability 0 to everything that is allowed somewhere, as one that copies the text does: from
there nothing is drafted. The target has no distribution at such a node, so a run that comes to one cannot go on.

At the end of a sequence the text is over. AtSpeed's repository masks tokens after its log-softmax instead, so a beam's
score there is short of the mass that was masked; its timings use the tokens allowed at each position, whatever is
before, and may end in items that do not exist.

Paper: the trie of De Cao et al. 2021, Autoregressive Entity Retrieval, arXiv 2010.00904.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TypeVar

from playground.errors import PlaygroundError
from playground.tree import TokenTree
from playground.words import word


class Branch:
    """Node of a trie: the tokens that may follow. At the end of a sequence there are none."""

    def __init__(self) -> None:
        self.below: dict[int, Branch] = {}

    @cached_property
    def last_tokens(self) -> list[int]:
        """Tokens that end a sequence here."""
        return [token for token, branch in self.below.items() if not branch.below]


class Trie:
    """The token sequences that a run may write after its prompt. Equal ones count once.

    Raises:
        PlaygroundError: if there is no sequence, or if one is empty or the beginning of another: a run that came to
            its end could not tell whether to go on.
    """

    def __init__(self, sequences: Iterable[Sequence[int]]) -> None:
        self.root = Branch()  # branch at which every sequence begins
        self.tokens: set[int] = set()  # all tokens that occur
        self.inner: set[int] = set()  # tokens that others follow
        self.longest = 0  # number of tokens of the longest sequence
        ends: dict[Branch, int] = {}  # last branch of a sequence -> its number
        for number, sequence in enumerate(sequences, 1):
            if not sequence:
                raise PlaygroundError(word("refused_empty_sequence", number=number))
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
            raise PlaygroundError(word("refused_no_text"))
        self._num_sequences = len(ends)

    def __len__(self) -> int:
        return self._num_sequences

    def on(self, tree: TokenTree) -> TreeConstraint:
        """Return the trie, laid over a run's token tree."""
        return TreeConstraint(self, tree)


def _refuse_beginning(shorter: int, longer: int) -> None:
    raise PlaygroundError(word("refused_beginning", shorter=shorter, longer=longer))


def _any_below(branch: Branch, ends: dict[Branch, int]) -> int:
    """Return the number of a sequence that goes on below."""
    while branch not in ends:
        branch = next(iter(branch.below.values()))
    return ends[branch]


State = TypeVar("State")


def state_of(states: dict[int, State], tree: TokenTree, node: int, advance: Callable[[State, int], State]) -> State:
    """Return the state of a node of a tree, and note those of the nodes on the way to it.

    Args:
        states: of some nodes, the first one among them.
        node: which has a state, or an ancestor with one.
        advance: a state and a token -> the state after it.
    """
    above = []  # no recursion: a run is longer than Python's may be deep
    while node not in states:
        above.append(node)
        node = tree.parents[node]
    state = states[node]
    for below in reversed(above):
        state = states[below] = advance(state, tree.tokens[below])
    return state


class TreeConstraint:
    """A trie laid over a run's token tree: the branch of each node, and the mask of its logits.

    Args:
        trie: the sequences that may be written.
        tree: the run's token tree; the trie begins at its last prompt token.
    """

    def __init__(self, trie: Trie, tree: TokenTree) -> None:
        self.tree = tree
        self._branches: dict[int, Branch | None] = {tree.trunk[-1]: trie.root}  # None: the node is off the trie

    def branch_of(self, node: int) -> Branch | None:
        """Return the trie's branch at a node; None where no sequence passes through it."""
        return state_of(self._branches, self.tree, node, lambda branch, token: branch and branch.below.get(token))

    def ends(self, node: int) -> bool:
        """Return whether a sequence is complete with this node."""
        branch = self.branch_of(node)
        return branch is not None and not branch.below

    def last_tokens(self, node: int) -> list[int]:
        """Tokens that complete a sequence behind this node."""
        branch = self.branch_of(node)
        return branch.last_tokens if branch else []

    def allowed_after(self, nodes: Sequence[int]) -> dict[int, list[int]]:
        """Index in `nodes` -> the tokens that may follow that node.

        Left out are complete sequences, which have no next token, and nodes that a drafter put off the trie, which have
        probability 0, so that no text reaches them.
        """
        branches = {row: self.branch_of(node) for row, node in enumerate(nodes)}
        return {row: list(branch.below) for row, branch in branches.items() if branch and branch.below}
