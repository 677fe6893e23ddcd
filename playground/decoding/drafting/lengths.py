"""How long a chain is drafted: always so far, until the draft model doubts, or as far as the last rounds went.

Whoever stops may look at all that was drafted so far, and at all earlier rounds: what stands behind the last draft is
written by the target, and has its law whether a draft was offered there or not. Only the token that was looked at must
stay. To throw it away would be to draw until one likes what one has drawn: the broken rule *unlikely_dropped*.

Sources: the threshold is `--spec-draft-p-min` of llama.cpp, github.com/ggml-org/llama.cpp/pull/22673, and
`assistant_confidence_threshold` of transformers; two more after a whole success, one less after anything else, is
transformers' "heuristic" schedule, also in github.com/ggml-org/llama.cpp/pull/3006.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from playground.decoding import method
from playground.decoding.drafting.draft import Draft
from playground.decoding.drafting.growth import length_option
from playground.decoding.law import Certain
from playground.decoding.method import option
from playground.decoding.setting import Setting

LONGEST = 32  # tokens of a chain
LONGER, SHORTER = 2, 1  # by how much the next draft is, after one that was kept whole and after another


def _stop_option() -> Any:
    return option(
        0.0,
        label="Stop below",
        help="Drafting stops behind a token that the draft model gave less than this; the token stays. 0: never.",
        low=0.0,
        high=1.0,
        step=0.05,
        key="stop_below",
    )


def _adapt_option() -> Any:
    return option(
        0,
        label="Adapt length",
        help=f"1: the draft length is the first one; then {LONGER} more after a draft kept whole, else {SHORTER} less.",
        low=0,
        high=1,
        key="adapt",
    )


@dataclass(frozen=True, slots=True)
class Options(method.Options):
    """Draft length, and what may shorten or change it."""

    draft_length: int = length_option()
    stop_below: float = _stop_option()
    adapt: int = _adapt_option()


@dataclass(frozen=True, slots=True)
class Last:
    """What a round remembers of its draft.

    Attributes:
        length: that it was to have.
        drafted: that it had.
        depth: of the text's end before it.
    """

    length: int
    drafted: int
    depth: int


def draft_chain(setting: Setting, options: Options, extend: Callable[[Draft, list[int]], object]) -> Draft:
    """A chain, as long as the options say.

    Args:
        setting: the round's setting; its memory is used where the length adapts.
        options: the method's.
        extend: hangs one token below the level it is given.
    """
    draft, depth = Draft(), setting.tree.depths[setting.frontier[0]]
    length = _next_length(setting.memory, depth) if options.adapt and setting.memory else options.draft_length
    for level in setting.levels(draft, length):
        extend(draft, level)
        if options.stop_below and draft.layers and confidence(draft) < options.stop_below:
            break
    if options.adapt:
        setting.memory = Last(length, len(draft.layers), depth)
    return draft


def confidence(draft: Draft) -> float:
    """What the draft model gave the last token of a chain, after temperature, top-k and top-p.

    Also where no chance was in it: a likeliest token may be a likely one or not.
    """
    *_, below = draft.draws.values()
    if isinstance(below.law, Certain):
        return float(below.law.row[below.tokens[0]]) if below.law.row is not None else 1.0
    return below.probs()[0]


def most_drafted(options: Options) -> int:
    """The most tokens that a round may draft."""
    return LONGEST if options.adapt else options.draft_length


def _next_length(last: Last, depth: int) -> int:
    """Every round writes one token more than it keeps."""
    whole = depth - last.depth - 1 == last.drafted
    return min(LONGEST, last.length + LONGER) if whole else max(1, last.length - SHORTER)
