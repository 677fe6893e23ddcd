"""Saving by tree attention: a drafted forest verified in one pass over its nodes, or a row for every beam.

Both ask the target for the same answers after the same history, which it has read before, both by transformers' own
pass. Without tree attention the keys and values of the history are copied for every beam, and what beams share is
computed for each of them.

Source: Lin et al. 2024, arXiv 2410.05165, figure 5 (a).
"""

from __future__ import annotations

import time
from typing import Any

import torch

from playground.decoding.decode import Request, Round, decode
from playground.makers.recommender.listing import spread
from playground.models.language_model import LanguageModel
from playground.models.loading import LoadedPair
from playground.recommender.recommend import method_for, request_for
from playground.recommender.shop import Shop, User
from playground.tree import TokenTree

WARM_UP = 3  # users, not counted


def compare_passes(shop: Shop, pair: LoadedPair, users: list[User], length: int, drafts: int) -> dict[str, Any]:
    """Seconds of both ways of verifying the first round's drafts, one after the other for each user.

    Args:
        shop, pair: whose.
        users: whose histories.
        length, drafts: K and N.

    Returns:
        The ratio separate / tree and both times, each as a median with the middle half; nodes and rows on average; and
        how far their logits differ at most.
    """
    model = pair.target.model
    plain = LanguageModel(model, pair.target.vocabulary, name=pair.target.name)
    trees, rows, nodes, beams, apart = [], [], [], [], 0.0
    for number, user in enumerate([*users[:WARM_UP], *users]):
        request = request_for(shop, pair, user.history, method_for("strict", length, drafts))
        tree, drafted = _forest(request)
        leaves = sorted(set(drafted) - {tree.parents[node] for node in drafted})
        in_tree, seconds = _judge_tree(plain, tree, drafted)
        alone, separate_s = _judge_rows(model, tree, leaves)
        for row, leaf in zip(alone, leaves, strict=True):
            apart = max(apart, float((row - in_tree[drafted.index(leaf)]).abs().max()))
        if number >= min(WARM_UP, len(users)):
            trees.append(seconds)
            rows.append(separate_s)
            nodes.append(len(drafted))
            beams.append(len(leaves))
    return {
        "k": length,
        "drafts": drafts,
        "ratio": spread([slow / fast for slow, fast in zip(rows, trees, strict=True)]),
        "tree_ms": spread([1000 * each for each in trees]),
        "separate_ms": spread([1000 * each for each in rows]),
        "nodes": sum(nodes) / len(nodes),
        "rows": sum(beams) / len(beams),
        "logits_apart": apart,
    }


def _forest(request: Request) -> tuple[TokenTree, list[int]]:
    """Return the first round's drafts below the prompt: a tree of their own, and its nodes."""
    first = next(step for step in decode(request) if isinstance(step, Round))
    tree, nodes = TokenTree(request.prompt_ids), {len(request.prompt_ids) - 1: len(request.prompt_ids) - 1}
    for node in dict.fromkeys(first.draft.nodes()):
        nodes[node] = tree.add(nodes[first.tree.parents[node]], first.tree.tokens[node])
    return tree, list(nodes.values())[1:]


def _judge_tree(model: LanguageModel, tree: TokenTree, drafted: list[int]) -> tuple[torch.Tensor, float]:
    """Logits after every draft (n, V), and the seconds of the pass."""
    model.forward(tree, [tree.trunk[-2]])
    started = time.perf_counter()
    logits = model.forward(tree, [tree.trunk[-1], *drafted]).logits
    return logits[1:], time.perf_counter() - started


@torch.inference_mode()
def _judge_rows(model: Any, tree: TokenTree, leaves: list[int]) -> tuple[torch.Tensor, float]:
    """Logits after every leaf (n, V), and the seconds of the pass and of the copies it needs."""
    prompt, end = [tree.tokens[node] for node in tree.trunk], tree.trunk[-1]
    cache = model(input_ids=torch.tensor([prompt[:-1]]), use_cache=True, logits_to_keep=1).cache
    paths = [[tree.tokens[node] for node in tree.path(leaf, below=end)] for leaf in leaves]
    longest = max(map(len, paths))
    rows = torch.tensor([[prompt[-1], *path, *[0] * (longest - len(path))] for path in paths])
    started = time.perf_counter()
    cache.batch_repeat_interleave(len(rows))
    logits = model(input_ids=rows, cache=cache, use_cache=True).logits
    seconds = time.perf_counter() - started
    return logits[range(len(paths)), [len(path) for path in paths]], seconds
