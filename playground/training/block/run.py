"""Training run of a block drafter for a target: the target's features first, then the drafter beside it."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from playground.models.bundled import BLOCK
from playground.models.drafters.block import CONFIG, WEIGHTS
from playground.training.beside import Beside
from playground.training.block.card import block_card
from playground.training.block.evaluation import accepted_by_position, measure_block
from playground.training.block.network import BlockNetwork, BlockShape
from playground.training.block.objectives import BlockDivergence
from playground.training.checkpoints import load_checkpoint
from playground.training.head.run import features_of
from playground.training.network import NORM_EPS, ROPE_THETA
from playground.training.run import CONTEXTS, Changes, Say, Trainable, newest_target, read_target, run
from playground.training.text.corpus import even_windows, open_corpus

SHAPE = {"layers": 2, "feed_forward": 256}  # width and heads are the target's


def train_block(
    work: Path,
    name: str,
    changes: Changes,
    *,
    say: Say,
    teacher: str | None = None,
    num_tokens: int | None = None,
) -> dict[str, Any]:
    """Train a block drafter, or continue it.

    Args:
        work: the work folder.
        name: of the run.
        changes: to its settings.
        say: called with each line of progress.
        teacher: the target, a run in the work folder or an exported folder.
        num_tokens: of the corpus, whose features are read again and again.
            None, for both, is what the run was begun with.

    Returns:
        The state of the run.
    """
    corpus, folder = open_corpus(work / "corpus"), work / name
    saved = load_checkpoint(folder) or {}
    before = saved.get("about", {})
    about: dict[str, str] = {
        "teacher": teacher or before.get("teacher") or newest_target(work),
        "source": "corpus",
        "num_tokens": str(num_tokens or before.get("num_tokens") or 262_144),
    }
    target = read_target(work, about["teacher"]).requires_grad_(requires_grad=False)
    features = features_of(work, target, corpus.train, about, say)
    shape = BlockShape(**saved["shape"]) if saved else replace(BlockShape(**asdict(target.shape)), **SHAPE)
    if not saved:
        shape = replace(shape, **changes.shape)
    contexts = even_windows(corpus.held_out, *CONTEXTS)

    def measure(block: BlockNetwork) -> dict[str, float]:
        accepted = accepted_by_position(target, block, contexts)
        return {
            f"{kind}_{position}": rate for kind, rates in accepted.items() for position, rate in enumerate(rates, 1)
        }

    kind = Trainable(
        about,
        network=lambda seed: BlockNetwork(shape, seed=seed, norm=target.model.norm.weight),
        read=lambda plan: lambda first, count: features.order(first, count, seed=plan.seed),
        objective=BlockDivergence(target, features),
        measure=measure,
        plan={"window": features.tokens.shape[1] - 1},
    )
    return run(folder, kind, changes, say)


def trained_block(state: dict[str, Any]) -> BlockNetwork:
    """Return the block drafter of a checkpoint."""
    block = BlockNetwork(BlockShape(**state["shape"]))
    block.load_state_dict(state["weights"])
    return block.eval()


def _config(block: BlockNetwork) -> dict[str, Any]:
    shape = block.shape
    own = {name: getattr(shape, name) for name in ("layers", "heads", "feed_forward", "positions", "rank")}
    return own | {"norm_eps": NORM_EPS, "rope_theta": ROPE_THETA}


BESIDE = Beside(BLOCK, CONFIG, WEIGHTS, load=trained_block, config=_config, measure=measure_block, card=block_card)
