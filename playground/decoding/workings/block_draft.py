"""Record of one call of a block drafter: q of the drafted path without and with the Markov bias, and confidences."""

from collections.abc import Callable
from functools import partial

from playground.decoding.drafting.draft import Draft
from playground.decoding.setting import Setting
from playground.decoding.workings.records import BlockDraft
from playground.models.drafters.block import Block, BlockPath


def block_draft(setting: Setting, draft: Draft, num_calls: int) -> Callable[[], BlockDraft] | None:
    """Record of a round's draft, computed when called; None where no block drafter alone made the draft.

    Args:
        setting: the round's, before the target reads the draft.
        num_calls: of the draft models before the draft: a draft without one was copied from the text.
    """
    if len(setting.draft_models) != 1 or not draft.depths or setting.draft_model.num_calls == num_calls:
        return None
    model = setting.draft_model.model
    if not isinstance(model, Block):
        return None
    path = first_path(draft)
    probs = model.block_path(setting.tree, path)
    return probs and partial(_record, path, probs)


def first_path(draft: Draft) -> list[int]:
    """Return the first draw, the first below it, and so on; all of a chain."""
    node, path = draft.depths[0].parents[0], []
    while node in draft.draws:
        node = draft.draws[node].nodes[0]
        path.append(node)
    return path


def _record(path: list[int], probs: Callable[[], BlockPath]) -> BlockDraft:
    return BlockDraft(nodes=path, **probs()._asdict())
