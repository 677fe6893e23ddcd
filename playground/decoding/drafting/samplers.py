"""Samplers of a node's draws: a draft model at some temperature, or several models and temperatures.

Any draft distribution is lossless, for a draw is tested against the very row it came from. A hotter draft spreads
several draws over more tokens; another draft model may know what the first one does not.

Sources: Khisti et al. 2025, Multi-Draft Speculative Sampling, arXiv 2410.18234: hotter drafts in its experiments,
drafts from different distributions in appendix G. Miao et al. 2024, SpecInfer, arXiv 2305.09781: several draft models.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from playground.decoding.categorical import categorical
from playground.decoding.distribution import Independent
from playground.decoding.drafting.draft import Draft
from playground.decoding.method import option
from playground.decoding.reader import Reader
from playground.decoding.setting import Setting
from playground.models.reading import Array
from playground.models.sampling import MAX_TEMPERATURE, Sampling

MOST_MODELS = 4


class DraftSampler(NamedTuple):
    """A draft model with its sampling settings."""

    model: Reader
    sampling: Sampling  # temperature, top-k and top-p


def draft_samplers(
    setting: Setting, num_draws: int = 1, *, factor: float = 1.0, spread: float = 1.0, begin: int = 0
) -> list[DraftSampler]:
    """Samplers of K draws: the run's draft models in turn.

    Args:
        num_draws: K.
        factor: the first draw's temperature over the run's.
        spread: the last draw's temperature over the first one's; those between follow in equal ratios.
        begin: index of the first draw's model.

    Returns:
        K samplers, with temperatures of at most `MAX_TEMPERATURE`.
    """
    models, steps = setting.draft_models, max(1, num_draws - 1)
    sampling = setting.draft_model.sampling
    ratios = [factor * spread ** (draw / steps) for draw in range(num_draws)]
    hot = [sampling if ratio == 1 else _heated(sampling, ratio) for ratio in ratios]
    return [DraftSampler(models[(begin + draw) % len(models)], each) for draw, each in enumerate(hot)]


def _heated(sampling: Sampling, ratio: float) -> Sampling:
    return replace(sampling, temperature=min(MAX_TEMPERATURE, sampling.temperature * ratio))


class DraftRequest(NamedTuple):
    """Request for one draw below a node."""

    parent: int
    sampler: DraftSampler


def draft_chains(setting: Setting, draft_length: int, samplers: Sequence[DraftSampler]) -> Draft:
    """Independent chains, one draw each at every depth; a chain's index at a depth is its index in the draw order.

    Args:
        draft_length: tokens in each chain.
        samplers: sampler of each chain.
    """
    draft, chains = Draft(), [DraftRequest(setting.frontier[0], sampler) for sampler in samplers]
    for parents in setting.parents_by_depth(draft, draft_length):
        chains = draft_next_depth(setting, draft, [request for request in chains if request.parent in parents])
    return draft


def draft_tree(setting: Setting, branching: Sequence[int], *, factor: float, spread: float) -> Draft:
    """Independent draws below every distinct node, from the draft models in turn.

    Below a node its own model goes first, so that each model goes on with its own text.

    Args:
        branching: draws below each node, depth by depth.
        factor, spread: see `draft_samplers`.
    """
    draft, begin = Draft(), {setting.frontier[0]: 0}  # index of the model that drew a node first
    for parents, num_draws in zip(setting.parents_by_depth(draft, len(branching)), branching, strict=False):
        samplers = {
            node: draft_samplers(setting, num_draws, factor=factor, spread=spread, begin=begin[node])
            for node in parents
        }
        draft_next_depth(setting, draft, [DraftRequest(node, each) for node in parents for each in samplers[node]])
        if not draft.depths:
            break
        newest = draft.depths[-1]
        begin = dict(zip(reversed(newest.nodes), reversed(newest.model_indices), strict=True))  # the first draw's
    return draft


def draft_next_depth(setting: Setting, draft: Draft, requests: Sequence[DraftRequest]) -> list[DraftRequest]:
    """Draft the next depth: one call of each draft model for all its parents, and one draw per request.

    A request is dropped where its model can write nothing that is allowed.

    Args:
        draft: gets one more depth.
        requests: requests in draw order, several of one node among them.

    Returns:
        Each drawn node with its sampler: the requests of the next depth of chains.
    """
    rows_of, seconds = _read(requests)
    draft_rows: dict[int, list[Array]] = {}  # node -> row of each draw below it
    draws, samplers = list[tuple[int, int]](), list[DraftSampler]()
    for parent, sampler in requests:
        row = rows_of[sampler].get(parent)  # (V,)
        if row is None:
            continue
        draws.append((parent, categorical(row, setting.draft_rng.random())))
        draft_rows.setdefault(parent, []).append(row)
        samplers.append(sampler)
    is_shared = len(rows_of) == 1  # one distribution for all draws of a node
    distributions = {node: Independent(rows[0] if is_shared else np.stack(rows)) for node, rows in draft_rows.items()}
    models = [setting.draft_models.index(sampler.model) for sampler in samplers]
    return [*map(DraftRequest, draft.hang(setting.tree, draws, distributions, seconds, models), samplers)]


def _read(requests: Sequence[DraftRequest]) -> tuple[dict[DraftSampler, dict[int, Array]], float]:
    """Return the distribution (V,) of each sampler at each node, for all requests, and the seconds in the models."""
    parents: dict[Reader, dict[int, None]] = {}  # in the order of the requests
    samplings: dict[Reader, dict[Sampling, None]] = {}
    for parent, (model, sampling) in requests:
        parents.setdefault(model, {})[parent] = None
        samplings.setdefault(model, {})[sampling] = None
    rows, seconds = {}, 0.0
    for model, nodes in parents.items():
        first, *others = samplings[model]
        reading = model.read(list(nodes), first)
        seconds += reading.seconds
        rows[DraftSampler(model, first)] = reading.distributions()
        for each in others:
            rows[DraftSampler(model, each)] = reading.distributions(each)
    return rows, seconds


def models_option() -> Any:
    """Field of `Options`: number of draft models."""
    return option(
        1,
        label="Draft models",
        help="The draws below a node take turns among this many draft models of the pair.",
        low=1,
        high=MOST_MODELS,
        key="draft_models",
    )


def factor_option() -> Any:
    """Field of `Options`: factor of `draft_samplers`."""
    return option(
        1.0,
        label="Draft temperature factor",
        help=f"The draft samples at this multiple of the target's temperature, {MAX_TEMPERATURE:g} at most. "
        "1 keeps both equal.",
        low=0.1,
        high=4.0,
        step=0.05,
        unit="x",
        key="draft_temperature_factor",
    )


def spread_option() -> Any:
    """Field of `Options`: spread of `draft_samplers`."""
    return option(
        1.0,
        label="Temperature spread",
        help="The last draw's draft temperature over the first one's; 1: all draws have one distribution.",
        low=0.25,
        high=4.0,
        step=0.05,
        unit="x",
        key="temperature_spread",
    )
