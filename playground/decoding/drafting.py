"""Growing draft trees: one call of a draft model per level, whatever the number of nodes, draws and temperatures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, chain
from operator import mul
from typing import Any, NamedTuple

import numpy as np
import torch

from playground.decoding.method import option
from playground.decoding.round import Draft, Layer, Reader, Setting
from playground.decoding.sampling import Sampling, categorical
from playground.decoding.writers import Writer, plain_writer
from playground.errors import PlaygroundError

MAX_DRAWS = 256  # of one round

Draw = Callable[[torch.Tensor], list[int]]  # a row (V,) -> tokens in draw order


class Visit(NamedTuple):
    """A node where draws are taken.

    Attributes:
        parent: the node.
        draw: what is taken there.
        writer: whose law it is taken from.
    """

    parent: int
    draw: Draw
    writer: Writer


def grow(setting: Setting, draft: Draft, visits: Sequence[Visit]) -> list[list[int]]:
    """Ask each draft model at all nodes that it is visited for, once, and hang below each what is drawn there.

    Args:
        setting: the round's setting.
        draft: gets one more layer, unless nothing was drawn.
        visits: in draw order; a node may be visited twice.

    Returns:
        The drawn nodes of each visit, in draw order; none where the text has ended.
    """
    drawn: list[list[int]] = [[] for _ in visits]
    tokens, eos_ids = setting.tree.tokens, setting.eos_ids
    living = [(visit, nodes) for visit, nodes in zip(visits, drawn, strict=True) if tokens[visit.parent] not in eos_ids]
    if not living:
        return drawn
    rows, seconds = _read([visit for visit, _ in living])
    layer = Layer([], [], seconds)
    laws: dict[int, list[torch.Tensor]] = {visit.parent: [] for visit, _ in living}  # of each draw below it
    for visit, nodes in living:
        law = rows[visit.writer][visit.parent]  # (V,)
        for token in visit.draw(law):
            nodes.append(setting.tree.add(visit.parent, token))
            layer.parents.append(visit.parent)
            layer.nodes.append(nodes[-1])
            layer.writers.append(setting.draft_models.index(visit.writer.model))
            laws[visit.parent].append(law)
    draft.layers.append(layer)
    one_law = next(iter(rows.values())) if len(rows) == 1 else None
    draft.probs |= one_law or {node: torch.stack(each) for node, each in laws.items()}
    return drawn


def _read(visits: Sequence[Visit]) -> tuple[dict[Writer, dict[int, torch.Tensor]], float]:
    """What each writer says at the nodes it is visited for, (V,) each; seconds inside the models."""
    parents: dict[Reader, dict[int, None]] = {}  # in the order of the visits
    samplings: dict[Reader, dict[Sampling, None]] = {}
    for parent, _, (model, sampling) in visits:
        parents.setdefault(model, {})[parent] = None
        samplings.setdefault(model, {})[sampling] = None
    rows, seconds = {}, 0.0
    for model, asked in parents.items():
        first, *others = samplings[model]
        reading = model.read(list(asked), first)
        seconds += reading.seconds
        rows[Writer(model, first)] = dict(zip(asked, reading.probs, strict=True))
        for each in others:
            rows[Writer(model, each)] = dict(zip(asked, each.probs(reading.forward.logits), strict=True))
    return rows, seconds


def grow_level(setting: Setting, draft: Draft, parents: list[int], draw: Draw) -> list[int]:
    """The same where every node is visited once, for the same draw, at the run's own settings.

    Returns:
        The drawn nodes in draw order. Handed back as parents, those that end the text grow nothing.
    """
    writer = plain_writer(setting)
    return list(chain.from_iterable(grow(setting, draft, [Visit(parent, draw, writer) for parent in parents])))


def draft_chains(setting: Setting, draft_length: int, writers: Sequence[Writer]) -> Draft:
    """Independent chains, one draw each per level; a chain's place in a layer is its place in the draw order.

    Args:
        setting: the round's setting.
        draft_length: tokens in each chain.
        writers: of each of them.
    """
    draft, draw = Draft(), independent_draws(setting, 1)
    chains = [Visit(setting.frontier[0], draw, writer) for writer in writers]
    for _ in range(min(draft_length, setting.room - 1)):  # the last token is the target's own
        drawn = grow(setting, draft, chains)
        chains = [visit._replace(parent=node) for visit, nodes in zip(chains, drawn, strict=True) for node in nodes]
    return draft


def length_option(*, low: int = 1, high: int = 32) -> Any:
    """The field of `Options` for the length of a draft that is one chain."""
    return option(
        4,
        label="Draft length",
        help="Tokens the draft model writes ahead in a round; gamma in the papers.",
        low=low,
        high=high,
        unit="tokens",
    )


# What is drawn from a row


def independent_draws(setting: Setting, num_draws: int) -> Draw:
    """K i.i.d. draws: a token may come twice."""
    return lambda probs: [categorical(probs, setting.draft_rng.random()) for _ in range(num_draws)]


def distinct_draws(setting: Setting, num_draws: int) -> Draw:
    """K draws without replacement, in draw order, by the Gumbel-top-k trick; fewer where q has fewer tokens."""

    def draw(probs: torch.Tensor) -> list[int]:
        support = int((probs > 0).sum())
        return (torch.log(probs) + gumbel(setting, probs)).topk(min(num_draws, support)).indices.tolist()

    return draw


def most_likely(probs: torch.Tensor) -> list[int]:
    """The one most likely token; no chance is in it."""
    return [int(probs.argmax())]


def gumbel(setting: Setting, like: torch.Tensor) -> torch.Tensor:
    """Standard Gumbel noise from the draft stream. (V,)"""
    noise = torch.from_numpy(-np.log(setting.draft_rng.standard_exponential(like.shape)))  # faster than rng.gumbel
    return noise.to(device=like.device, dtype=like.dtype)


def refuse_too_many(branching: Sequence[int]) -> None:
    """Refuse a tree of more than MAX_DRAWS draws.

    Args:
        branching: of every level, draws below each node.

    Raises:
        PlaygroundError: if it is too large.
    """
    num_draws = sum(accumulate(branching, mul))
    if num_draws > MAX_DRAWS:
        raise PlaygroundError(
            f"{len(branching)} levels with these numbers of draws make a tree of {num_draws:,}, and {MAX_DRAWS} is the "
            "most. Choose a smaller depth or fewer draws."
        )
