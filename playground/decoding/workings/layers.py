"""Each layer's prediction of the tested draft tokens, read between rounds."""

from collections.abc import Mapping, Sequence

from playground.decoding.verdict import Judgement
from playground.decoding.workings.records import Layers
from playground.models.layer_lens import LayerLens
from playground.models.reading import Array
from playground.models.sampling import Sampling
from playground.tree import TokenTree


def layers_of(tree: TokenTree, judgements: Sequence[Judgement], lens: LayerLens, sampling: Sampling) -> list[Layers]:
    """One record for every drafted node that was tested.

    Args:
        tree: with the nodes of the round, be they cut off by now.
        sampling: the run's: every layer is warped as the target is, so the last one's probability is p. Of beams p is
            another: of DSBD and relaxed AtSpeed the whole beam's, of strict AtSpeed the unwarped one.
    """
    tested = list(dict.fromkeys(each.node for each in judgements if each.outcome != "not_tested"))
    rows = _rows({tree.parents[node] for node in tested}, tree, lens)
    records: list[Layers] = []
    for node in tested:
        probs = sampling.probs_on_host(rows[tree.parents[node]])  # (L, V)
        best = probs.argmax(-1)
        drafted = probs[:, tree.tokens[node]].tolist()
        records.append(Layers(node=node, tokens=best.tolist(), best=probs.max(-1).tolist(), drafted=drafted))
    return records


def _rows(nodes: set[int], tree: TokenTree, lens: LayerLens) -> Mapping[int, Array]:
    """(L, V) logits after each node: the deepest are read first, and those above them with them."""
    rows: dict[int, Array] = {}
    for leaf in sorted(nodes, key=lambda node: -tree.depths[node]):
        if leaf not in rows:
            path = [node for node in tree.path(leaf) if node in nodes and node not in rows]
            read = lens.read(tree.context(leaf), [tree.depths[node] for node in path])  # (n, L, V)
            rows |= dict(zip(path, read, strict=True))
    return rows
