"""A run on the page, to be made again: the request that it came from, for the models that are chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playground.decoding.constrained.grammar import Grammar
from playground.decoding.decode import Request
from playground.decoding.method import make_method
from playground.errors import PlaygroundError
from playground.models.drafters.choice import drafter_called
from playground.models.sampling import Sampling
from playground.trace.events import Trace
from playground.words import word

if TYPE_CHECKING:
    from playground.models.loading import LoadedPair

OTHER_MODELS = word("watch_error_other_models")
CONFINED = word("watch_error_confined")


def request_of(trace: Trace, pair: LoadedPair, most: int | None = None) -> Request:
    """Return the run once more.

    Args:
        trace: of the run.
        pair: the models that it is to be made with.
        most: so many tokens at most, where not as many as then.

    Raises:
        PlaygroundError: if it was made with other models, or confined to texts of a list, which no trace holds.
    """
    started = trace.started
    drafter = drafter_called(pair, started.draft["name"]) if started.draft else pair
    if drafter is None or started.target["name"] != pair.target.name:
        raise PlaygroundError(OTHER_MODELS)
    pair = drafter
    if started.num_allowed:
        raise PlaygroundError(CONFINED)
    return Request(
        make_method(started.method, started.options),
        pair.target,
        started.prompt,
        pair.draft,
        Sampling.read(started.sampling),
        started.seed,
        min(started.max_new_tokens, most or started.max_new_tokens),
        tuple(started.prompt_ids),
        pair.others,
        constraint=Grammar(started.grammar, pair.target) if started.grammar else None,
        stop_strings=tuple(started.stop_strings),
    )
