"""Draft length of a chain: fixed, stopped at low confidence, or adapted to earlier rounds.

A stop may depend on all that was drafted so far, and on all earlier rounds: the token behind the last draft is the
target's, and has its distribution whether a draft was offered there or not. Only the token that the stop depends on
must stay. To drop it would be to draw until the draw is liked: the broken rule *unlikely_dropped*.

Sources: the threshold is `--spec-draft-p-min` of llama.cpp, github.com/ggml-org/llama.cpp/pull/22673, and
`assistant_confidence_threshold` of transformers; two more after a whole success, one less after anything else, is
transformers' "heuristic" schedule, also in github.com/ggml-org/llama.cpp/pull/3006. By goodput: theory/goodput.py.
"""

from collections.abc import Callable
from dataclasses import dataclass

from playground.decoding import method
from playground.decoding.distribution import Deterministic
from playground.decoding.drafting.draft import Draft
from playground.decoding.drafting.growth import length_option
from playground.decoding.drafting.samplers import DraftRequest, draft_next_depth, draft_samplers
from playground.decoding.method import option
from playground.decoding.setting import Setting
from playground.theory import goodput

LONGEST = 32  # tokens of a chain
LONGER, SHORTER = 2, 1  # change of the draft length after a draft that was accepted whole, and after another
HEURISTIC, GOODPUT = 1, 2  # ways to adapt


@dataclass(frozen=True, slots=True)
class Options(method.Options):
    """Draft length, confidence threshold, adaptation, and the cost that goodput adapts to."""

    draft_length: int = length_option()
    stop_below: float = option(
        0.0,
        label="Stop below",
        help="Drafting stops after a token that the draft model gave less than this; the token stays. 0: never.",
        low=0.0,
        high=1.0,
        step=0.05,
        key="stop_below",
    )
    adapt: int = option(
        0,
        label="Adapt length",
        help=f"1: the draft length is the first one; then {LONGER} more after a draft kept whole, else {SHORTER} less. "
        "2: by goodput, from each position's acceptance so far; it may be 0.",
        low=0,
        high=GOODPUT,
        key="adapt",
    )
    token_cost: float = option(
        0.25,
        label="Cost of a drafted token",
        help="Drafting and verifying one token, in plain steps; used where Adapt length is 2. Load makes it dearer; "
        "from 1 on even a perfect drafter would lose.",
        low=0.0,
        high=2.0,
        step=0.05,
        key="token_cost",
    )

    @property
    def num_drafted(self) -> int:
        """Most tokens drafted in a round: a chain, which may grow."""
        return LONGEST if self.adapt else self.draft_length


@dataclass(frozen=True, slots=True)
class Last:
    """The last round's draft, as the next round remembers it."""

    length: int  # draft length that was wanted
    num_drafted: int  # tokens that were drafted
    depth: int  # depth of the text's end before the round
    # accepted and tested tokens by position, of the rounds before it
    counts: tuple[goodput.Counts, ...] = ()

    def num_accepted(self, depth: int) -> int:
        """Count the accepted tokens of that round by the depth that the text has now: it emitted one token more."""
        return depth - self.depth - 1


def draft_chain(setting: Setting, options: Options, extend: Callable[[Draft, list[int]], object]) -> Draft:
    """Chain of the length that the options say.

    Args:
        setting: the round's setting; its memory is used where the length adapts.
        extend: adds one token to the draft below its last.
    """
    draft, depth = Draft(), setting.tree.depths[setting.frontier[0]]
    last: Last | None = setting.memory if options.adapt else None
    counts = goodput.updated_counts(last.counts, last.num_accepted(depth), last.num_drafted) if last else ()
    length = options.draft_length if last is None else _next_length(last, depth, counts, options)
    for parents in setting.parents_by_depth(draft, length):
        extend(draft, parents)
        if options.stop_below and draft.depths and confidence(draft) < options.stop_below:
            break
    if options.adapt:
        setting.memory = Last(length, len(draft.depths), depth, counts)
    return draft


def sampled_chain(setting: Setting, options: Options, *, factor: float = 1.0) -> Draft:
    """Chain of the length that the options say, drawn token by token from the draft model.

    Args:
        factor: of the draft's temperature.
    """
    [sampler] = draft_samplers(setting, factor=factor)

    def extend(draft: Draft, parents: list[int]) -> None:
        draft_next_depth(setting, draft, [DraftRequest(parents[0], sampler)])

    return draft_chain(setting, options, extend)


def confidence(draft: Draft) -> float:
    """Draft probability of the last token of a chain, after temperature, top-k and top-p.

    Of a deterministic token it is the draft model's probability, not q = 1.
    """
    *_, below = draft.draws.values()
    if isinstance(below.distribution, Deterministic):
        return float(below.distribution.row[below.tokens[0]]) if below.distribution.row is not None else 1.0
    return below.probs()[0]


def _next_length(last: Last, depth: int, counts: tuple[goodput.Counts, ...], options: Options) -> int:
    """Draft length after the last round's, by the heuristic or by goodput."""
    if options.adapt == GOODPUT:
        return goodput.best_length(goodput.estimated_rates(counts), options.token_cost, LONGEST)
    accepted_whole = last.num_accepted(depth) == last.num_drafted
    return min(LONGEST, last.length + LONGER) if accepted_whole else max(1, last.length - SHORTER)
