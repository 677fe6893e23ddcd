"""Token counts on the path to a node, as penalties need them: never a sibling's, never those of a rejected draft."""

from playground.tree import TokenTree


class PathCounts:
    """Tokens on the path to each node of a run's tree, and how often the run has written them.

    Args:
        num_prompt_tokens: tokens of its trunk that the run has not written.
    """

    def __init__(self, tree: TokenTree, num_prompt_tokens: int) -> None:
        self.tree = tree
        self._prompt = dict.fromkeys((tree.tokens[node] for node in tree.trunk[:num_prompt_tokens]), 0)
        self._trunk = dict(self._prompt)  # counts of the trunk's first nodes
        self._num_prompt_tokens = self._num_counted = num_prompt_tokens

    def at(self, node: int) -> dict[int, int]:
        """Return token -> how often the run has emitted it on the path to this node; 0 where only the prompt has it."""
        tree, below = self.tree, list[int]()
        for committed in tree.trunk[self._num_counted :]:
            _add(self._trunk, tree.tokens[committed])
        self._num_counted = len(tree.trunk)
        end = tree.trunk[-1]
        while tree.depths[node] >= len(tree.trunk):
            below.append(tree.tokens[node])
            node = tree.parents[node]
        counts = dict(self._trunk)
        if node != end:  # within the trunk, where few ask
            counts = dict(self._prompt)
            below += (tree.tokens[above] for above in tree.trunk[self._num_prompt_tokens : tree.depths[node] + 1])
        for token in below:
            _add(counts, token)
        return counts


def _add(counts: dict[int, int], token: int) -> None:
    counts[token] = counts.get(token, 0) + 1
