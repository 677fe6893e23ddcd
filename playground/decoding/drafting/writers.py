"""Who writes the draws of one node: a draft model at some temperature, or several models and temperatures.

Any draft law is lossless, for a draw is judged by the very row it came from. A hotter draft spreads several draws over
more tokens; another draft model may know what the first one does not.

Sources: Khisti et al. 2025, Multi-Draft Speculative Sampling, arXiv 2410.18234: hotter drafts in its experiments,
drafts with laws of their own in appendix G. Miao et al. 2024, SpecInfer, arXiv 2305.09781: several draft models.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import torch

from playground.decoding.drafting.draft import Draft
from playground.decoding.law import Independent
from playground.decoding.method import option
from playground.decoding.reader import Reader
from playground.decoding.sampling import MAX_TEMPERATURE, Sampling, categorical
from playground.decoding.setting import Setting

MOST_MODELS = 4


class Writer(NamedTuple):
    """What a draw's law is read from.

    Attributes:
        model: a draft model.
        sampling: how it is sampled.
    """

    model: Reader
    sampling: Sampling


def writers(
    setting: Setting, num_draws: int = 1, *, factor: float = 1.0, spread: float = 1.0, begin: int = 0
) -> list[Writer]:
    """Who writes each of K draws: the run's draft models in turn.

    Args:
        setting: the round's setting.
        num_draws: K.
        factor: the first draw's temperature over the run's.
        spread: the last draw's temperature over the first one's; those between follow in equal ratios.
        begin: which model's turn is first.

    Returns:
        K writers, none hotter than the hottest that a run may have.
    """
    models, steps = setting.draft_models, max(1, num_draws - 1)
    sampling = setting.draft_model.sampling
    ratios = [factor * spread ** (draw / steps) for draw in range(num_draws)]
    hot = [replace(sampling, temperature=min(MAX_TEMPERATURE, sampling.temperature * ratio)) for ratio in ratios]
    return [Writer(models[(begin + draw) % len(models)], each) for draw, each in enumerate(hot)]


class Visit(NamedTuple):
    """One draw below a node."""

    parent: int
    writer: Writer


def draft_chains(setting: Setting, draft_length: int, writers: Sequence[Writer]) -> Draft:
    """Independent chains, one draw each per level; a chain's place in a layer is its place in the draw order.

    Args:
        setting: the round's setting.
        draft_length: tokens in each chain.
        writers: of each of them.
    """
    draft, chains = Draft(), [Visit(setting.frontier[0], writer) for writer in writers]
    for level in setting.levels(draft, draft_length):
        chains = write(setting, draft, [visit for visit in chains if visit.parent in level])
    return draft


def draft_tree(setting: Setting, branching: Sequence[int], *, factor: float, spread: float) -> Draft:
    """Independent draws below every distinct node, their writers taking turns.

    Below a node its own model goes first, so that each model writes its own text.

    Args:
        setting: the round's setting.
        branching: of every level, draws below each node.
        factor, spread: see `writers`.
    """
    draft, begin = Draft(), {setting.frontier[0]: 0}  # the model that wrote a node first
    for level, num_draws in zip(setting.levels(draft, len(branching)), branching, strict=False):
        turns = {node: writers(setting, num_draws, factor=factor, spread=spread, begin=begin[node]) for node in level}
        write(setting, draft, [Visit(node, writer) for node, hands in turns.items() for writer in hands])
        if not draft.layers:
            break
        newest = draft.layers[-1]
        begin = dict(zip(reversed(newest.nodes), reversed(newest.writers), strict=True))  # the first draw's
    return draft


def write(setting: Setting, draft: Draft, visits: Sequence[Visit]) -> list[Visit]:
    """Ask each draft model at all nodes that it is visited for, once, and draw.

    A writer whose model can write nothing that is allowed behind a node draws nothing there.

    Args:
        setting: the round's setting.
        draft: gets one more layer.
        visits: in draw order; a node may be visited several times.

    Returns:
        Each drawn node with its writer.
    """
    rows, seconds = _read(visits)
    laws: dict[int, list[torch.Tensor]] = {}  # of each draw below a node
    drawn, drawers = list[tuple[int, int]](), list[Writer]()
    for parent, writer in visits:
        law = rows[writer].get(parent)  # (V,)
        if law is None:
            continue
        drawn.append((parent, categorical(law, setting.draft_rng.random())))
        laws.setdefault(parent, []).append(law)
        drawers.append(writer)
    one_law = len(rows) == 1
    rows_of = {node: Independent(each[0] if one_law else torch.stack(each)) for node, each in laws.items()}
    models = [setting.draft_models.index(writer.model) for writer in drawers]
    return [*map(Visit, draft.hang(setting.tree, drawn, rows_of, seconds, models), drawers)]


def _read(visits: Sequence[Visit]) -> tuple[dict[Writer, dict[int, torch.Tensor]], float]:
    """Each writer's distributions at the nodes it is visited for, (V,) each; seconds inside the models."""
    parents: dict[Reader, dict[int, None]] = {}  # in the order of the visits
    samplings: dict[Reader, dict[Sampling, None]] = {}
    for parent, (model, sampling) in visits:
        parents.setdefault(model, {})[parent] = None
        samplings.setdefault(model, {})[sampling] = None
    rows, seconds = {}, 0.0
    for model, asked in parents.items():
        first, *others = samplings[model]
        reading = model.read(list(asked), first)
        seconds += reading.seconds
        rows[Writer(model, first)] = reading.distributions()
        for each in others:
            rows[Writer(model, each)] = reading.distributions(each)
    return rows, seconds


def models_option() -> Any:
    """The field of `Options` for the number of draft models."""
    return option(
        1,
        label="Draft models",
        help="The draws below a node go round so many draft models of the pair.",
        low=1,
        high=MOST_MODELS,
        key="draft_models",
    )


def factor_option() -> Any:
    """The field of `Options` for `writers`' factor."""
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
    """The field of `Options` for `writers`' spread."""
    return option(
        1.0,
        label="Temperature spread",
        help="The last draw's draft temperature over the first one's; 1: all draws have one law.",
        low=0.25,
        high=4.0,
        step=0.05,
        unit="x",
        key="temperature_spread",
    )
