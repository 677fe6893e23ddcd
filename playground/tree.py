"""The token tree: a method grows it, both models cache it, and the page draws it.

The prompt is the trunk; every drafted token is a node below it. A committed text is a path. Node ids count upwards from
0 and are never used twice, so an id larger than another can only be a sibling or below it, never above.
"""

from collections.abc import Iterable, Sequence


class TokenTree:
    """Tokens with parents. Siblings have distinct tokens: drafting a token twice gives one node."""

    def __init__(self, prompt: Sequence[int]) -> None:
        if not prompt:
            raise ValueError("A token tree needs at least one prompt token.")
        self.tokens: list[int] = list(prompt)  # token of every node ever added, by node id
        # parent's id of every node; -1 for the first prompt token
        self.parents: list[int] = list(range(-1, len(prompt) - 1))
        # distance of every node from the first prompt token, which is also its position in a model's context
        self.depths: list[int] = list(range(len(prompt)))
        # nodes that all retained leaves have in common, from the first prompt token downwards
        self.trunk: list[int] = list(range(len(prompt)))
        self.tail: list[int] = []  # the other living nodes, by rising id
        self.num_prunes = 0  # calls of `retain` so far; caches compare it to see whether they are stale
        self._alive: list[bool] = [True] * len(prompt)
        self._children: dict[int, dict[int, int]] = {}

    def add(self, parent: int, token: int) -> int:
        """Return the child of `parent` with this token, adding it if there is none."""
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
        """Tokens of the path to `node`, that node's own included: what a model has read there."""
        return [self.tokens[ancestor] for ancestor in self.path(node)]

    def is_alive(self, node: int) -> bool:
        """Return False once `retain` has cut the node off."""
        return self._alive[node]

    def retain(self, leaves: Iterable[int]) -> None:
        """Keep the paths to these nodes and cut off everything else below the trunk."""
        leaves = list(leaves)
        path_nodes: set[int] = set()
        trunk_end = self.trunk[-1]
        for leaf in leaves:
            node = leaf
            while node not in path_nodes and node != trunk_end:
                path_nodes.add(node)
                node = self.parents[node]
                assert node >= 0, f"leaf {leaf} is not below the trunk"
        for node in self.tail:
            if node not in path_nodes:
                self._alive[node] = False
                self._children.pop(node, None)
                self._children.get(self.parents[node], {}).pop(self.tokens[node], None)
        self.tail = [node for node in self.tail if node in path_nodes]
        self._extend_trunk(set(leaves))
        self.num_prunes += 1

    def _extend_trunk(self, leaves: set[int]) -> None:
        """Move the nodes that all leaves share from the tail to the trunk."""
        while self.trunk[-1] not in leaves:
            children = self._children.get(self.trunk[-1], {})
            if len(children) != 1:
                break
            self.trunk.extend(children.values())
        # As many nodes as the tail had are at most new in the trunk.
        newest_trunk = set(self.trunk[-len(self.tail) :]) if self.tail else set()
        self.tail = [node for node in self.tail if node not in newest_trunk]
