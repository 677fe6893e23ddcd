"""The run of a block drafter for an existing target: the target's features first, then the drafter next to it."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from playground.makers.training.block.beside import accepted_by_position
from playground.makers.training.block.network import BlockNetwork, BlockShape
from playground.makers.training.block.objectives import BlockDivergence
from playground.makers.training.head.run import features_of
from playground.makers.training.run import CONTEXTS, Kind, Run, Trainable
from playground.makers.training.text.corpus import even_windows

SHAPE: dict[str, Any] = {"layers": 2, "feed_forward": 256}  # width and heads are the target's


def _make(run: Run) -> Trainable[BlockNetwork]:
    """Return a block drafter; the features of `num_tokens` of the corpus are read again and again."""
    corpus, target = run.corpus(), run.teacher()
    features = features_of(run, target, corpus.train)
    base = BlockShape(**run.saved["shape"] if run.saved else asdict(target.shape) | SHAPE)
    shape = replace(base, **run.changes.shape)
    contexts = even_windows(corpus.held_out, *CONTEXTS)

    def measure(block: BlockNetwork) -> dict[str, float]:
        accepted = accepted_by_position(target, block, contexts)
        return {f"{kind}_{index}": rate for kind, rates in accepted.items() for index, rate in enumerate(rates, 1)}

    return Trainable(
        run.about,
        network=lambda seed: BlockNetwork(shape, seed=seed, norm=target.model.norm.weight),
        read=lambda plan: lambda first, count: features.order(first, count, seed=plan.seed),
        objective=BlockDivergence(target, features),
        measure=measure,
        plan={"window": features.tokens.shape[1] - 1},
    )


BLOCK = Kind("block", {"teacher": "target", "source": "corpus", "num_tokens": "262144"}, _make)
