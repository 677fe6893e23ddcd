"""The token tree: what a method grows, what both models cache, and what the page draws.

The prompt is the trunk; every drafted token is a node below it. A committed text is a path. Node ids count upwards from
0 and are never used twice, so an id larger than another can only lie beside or below it, never above.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence


class TokenTree:
    """Tokens with parents. Siblings have distinct tokens: drafting a token twice gives one node.

    Attributes:
        tokens: the token of every node ever added, by node id.
        parents: its parent's id; -1 for the first prompt token.
        depths: its distance from the first prompt token, which is also its position in a model's context.
        trunk: the nodes that every kept leaf has in common, from the first prompt token downwards.
        tail: the other living nodes, by rising id.
        num_prunes: how often `retain` has cut something off; caches compare it to see whether they are stale.
    """

    def __init__(self, prompt: Sequence[int]) -> None:
        if not prompt:
            raise ValueError("A token tree needs at least one prompt token.")
        self.tokens: list[int] = list(prompt)
        self.parents: list[int] = list(range(-1, len(prompt) - 1))
        self.depths: list[int] = list(range(len(prompt)))
        self.trunk: list[int] = list(range(len(prompt)))
        self.tail: list[int] = []
        self.num_prunes = 0
        self._alive: list[bool] = [True] * len(prompt)
        self._children: dict[int, dict[int, int]] = {}

    def add(self, parent: int, token: int) -> int:
        """The child of `parent` that carries `token`, made if it is not there yet."""
        siblings = self._children.setdefault(parent, {})
        node = siblings.get(token)
        if node is None:
            node = siblings[token] = len(self.tokens)
            self.tokens.append(token)
            self.parents.append(parent)
            self.depths.append(self.depths[parent] + 1)
            self._alive.append(True)
            self.tail.append(node)
        return node

    def children(self, node: int) -> list[int]:
        """Living children, in the order they were added."""
        return list(self._children.get(node, {}).values())

    def path(self, node: int, below: int = -1) -> list[int]:
        """Nodes from just below the ancestor `below` (default: from the first prompt token) down to `node`."""
        nodes = []
        while node != below:
            nodes.append(node)
            node = self.parents[node]
        nodes.reverse()
        return nodes

    def context(self, node: int) -> list[int]:
        """The tokens a model has read when it stands at `node`, that node's own included."""
        return [self.tokens[ancestor] for ancestor in self.path(node)]

    def is_alive(self, node: int) -> bool:
        """False once `retain` has cut the node off."""
        return self._alive[node]

    def retain(self, leaves: Iterable[int]) -> None:
        """Keep the paths to these nodes and cut off everything else below the trunk."""
        leaves = list(leaves)
        kept: set[int] = set()
        in_trunk = set(self.trunk[-1:])
        for leaf in leaves:
            node = leaf
            while node not in kept and node not in in_trunk:
                kept.add(node)
                node = self.parents[node]
                assert node >= 0, f"leaf {leaf} is not below the trunk"
        for node in self.tail:
            if node not in kept:
                self._alive[node] = False
                self._children.pop(node, None)
                self._children.get(self.parents[node], {}).pop(self.tokens[node], None)
        self.tail = [node for node in self.tail if node in kept]
        self._extend_trunk(set(leaves))
        self.num_prunes += 1

    def _extend_trunk(self, leaves: set[int]) -> None:
        """Move the nodes that all leaves now share from the tail to the trunk."""
        while self.trunk[-1] not in leaves:
            children = self._children.get(self.trunk[-1], {})
            if len(children) != 1:
                break
            self.trunk.extend(children.values())
        settled = set(self.trunk[-len(self.tail) :]) if self.tail else set()
        self.tail = [node for node in self.tail if node not in settled]
