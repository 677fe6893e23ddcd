"""Acceptance of one of K i.i.d. drafts by every rule, exactly, at the positions of texts that a pair's target writes.

The experiment of Khisti et al. 2025, arXiv 2410.18234, Table 3, on another pair: nothing is drawn but the texts.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from playground.bench.entry import Entry
from playground.bench.race import BASELINE
from playground.decoding.reader import Reader
from playground.decoding.record import run
from playground.lab.one_position import LARGE_VOCABULARY_SCHEMES, SCHEMES
from playground.metrics.interval import paired_difference
from playground.models.loading import LoadedPair
from playground.models.reading import Array
from playground.models.sampling import Sampling
from playground.trace.texts import best_text
from playground.tree import TokenTree

PAPERS_RULE, RIVALS = "importance_truncated", ("k_seq", "spec_infer")  # the rows of the paper's table


def several_drafts(
    pair: LoadedPair,
    prompts: Sequence[str],
    *,
    num_drafts: Sequence[int],
    sampling: Sampling,
    seed: int,
    max_new_tokens: int,
) -> dict[str, object]:
    """Compute the mean acceptance over all positions of one text of the target after every prompt.

    Args:
        num_drafts: numbers of drafts, each a K.
        sampling: of the texts, and of every row of both models.

    Returns:
        `positions` (their number) and `rows`, one for each K: `schemes` from the highest acceptance to the lowest, and
            `above`, what the paper's rule has more than each rival, with a 95 % interval over the prompts.
    """
    sums, counts = [], []
    for prompt in prompts:
        settings = {"sampling": sampling, "seed": seed, "max_new_tokens": max_new_tokens}
        readers, nodes = read_target_text(pair, prompt, **settings)
        rows = [normalised(*both) for both in zip(*(reader.read(nodes).probs for reader in readers), strict=True)]
        schemes = [
            [[SCHEMES[name](p, q, count) or 0.0 for name in LARGE_VOCABULARY_SCHEMES] for count in num_drafts]
            for p, q in rows
        ]
        sums.append(np.sum(schemes, axis=0))  # (K, S)
        counts.append(len(rows))
    return {
        "positions": sum(counts),
        "rows": [_row(np.stack(sums)[:, at], np.array(counts), count) for at, count in enumerate(num_drafts)],
    }


def read_target_text(pair: LoadedPair, prompt: str, **settings: Any) -> tuple[list[Reader], list[int]]:
    """Let the target write a text; return readers of target and draft model, and the node before each of its tokens."""
    request = Entry(BASELINE, BASELINE).request(pair, prompt, **settings)
    tokens = [each.token for each in best_text(run(request))]
    tree = TokenTree((*request.prompt_ids, *tokens))
    models = [model for model in (pair.target, pair.draft) if model is not None]
    count = len(request.prompt_ids)
    readers = [Reader(model, settings["sampling"], tree, num_prompt_tokens=count) for model in models]
    return readers, tree.trunk[count - 1 : -1]


def normalised(*rows: Array) -> list[Array]:
    """Return the rows in double precision, each with the sum 1."""
    return [row.astype(np.float64) / row.sum(dtype=np.float64) for row in rows]


def _row(sums: Array, counts: Array, num_drafts: int) -> dict[str, object]:
    """Return the means of one K, from each prompt's sums, (prompts, S), and positions, (prompts,)."""
    means = dict(zip(LARGE_VOCABULARY_SCHEMES, (sums.sum(0) / counts.sum()).tolist(), strict=True))
    sides = {name: np.stack([sums[:, at], counts], -1) for at, name in enumerate(LARGE_VOCABULARY_SCHEMES)}
    above = {
        rival: paired_difference(mean_of_positions, sides[PAPERS_RULE], sides[rival])._asdict() for rival in RIVALS
    }
    return {
        "num_drafts": num_drafts,
        "schemes": dict(sorted(means.items(), key=lambda each: -each[1])),
        "above": above,
    }


def mean_of_positions(prompts: Array) -> Array:
    """Mean over the positions of (..., prompts, 2) sums and counts."""
    return prompts[..., 0].sum(-1) / prompts[..., 1].sum(-1)
