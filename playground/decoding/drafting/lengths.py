"""Draft length of a chain: fixed, stopped at low confidence, or adapted to the last rounds.

A stop may depend on all that was drafted so far, and on all earlier rounds: the token behind the last draft is the
target's, and has its distribution whether a draft was offered there or not. Only the token that the stop depends on
must stay. To drop it would be to draw until the draw is liked: the broken rule *unlikely_dropped*.

Sources: the threshold is `--spec-draft-p-min` of llama.cpp, github.com/ggml-org/llama.cpp/pull/22673, and
`assistant_confidence_threshold` of transformers; two more after a whole success, one less after anything else, is
transformers' "heuristic" schedule, also in github.com/ggml-org/llama.cpp/pull/3006.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from playground.decoding import method
from playground.decoding.distribution import Deterministic
from playground.decoding.drafting.draft import Draft
from playground.decoding.drafting.growth import length_option
from playground.decoding.method import option
from playground.decoding.setting import Setting

LONGEST = 32  # tokens of a chain
LONGER, SHORTER = 2, 1  # change of the draft length after a draft that was accepted whole, and after another


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
    """Draft length, confidence threshold and adaptation."""

    draft_length: int = length_option()
    stop_below: float = _stop_option()
    adapt: int = _adapt_option()


@dataclass(frozen=True, slots=True)
class Last:
    """The last round's draft, as the next round remembers it.

    Attributes:
        length: draft length that was wanted.
        num_drafted: tokens that were drafted.
        depth: depth of the text's end before the round.
    """

    length: int
    num_drafted: int
    depth: int


def draft_chain(setting: Setting, options: Options, extend: Callable[[Draft, list[int]], object]) -> Draft:
    """Chain of the length that the options say.

    Args:
        setting: the round's setting; its memory is used where the length adapts.
        options: the method's options.
        extend: adds one token to the draft below a level.
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
    """Draft probability of the last token of a chain, after temperature, top-k and top-p.

    Of a deterministic token it is the draft model's probability, not q = 1.
    """
    *_, below = draft.draws.values()
    if isinstance(below.distribution, Deterministic):
        return float(below.distribution.row[below.tokens[0]]) if below.distribution.row is not None else 1.0
    return below.probs()[0]


def most_drafted(options: Options) -> int:
    """Most tokens that a round may draft."""
    return LONGEST if options.adapt else options.draft_length


def _next_length(last: Last, depth: int) -> int:
    """Draft length after the last round's: longer where it was accepted whole, else shorter."""
    num_accepted = depth - last.depth - 1  # every round emits one token more than it accepts
    accepted_whole = num_accepted == last.num_drafted
    return min(LONGEST, last.length + LONGER) if accepted_whole else max(1, last.length - SHORTER)
