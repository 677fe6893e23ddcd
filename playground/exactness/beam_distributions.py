"""Beams by their definitions alone: the exact distribution of beam sampling, and a plain beam search.

Both work on a table of probabilities, text by text, with tuples and numbers. They share no code with the methods and
the rules in decoding/, which are measured against them. Conventions are those of `beam_sampling` and `beam_search`: a
text that ends takes no more part, and of beam sampling's draws one fewer is made from then on.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from playground.models.sampling import Sampling
from playground.models.table_model import TableModel

Text = tuple[int, ...]
Texts = tuple[Text, ...]  # sorted; a text occurs as often as beams wrote it
Warp = Callable[[list[float]], list[float]]


def warped(weights: list[float], sampling: Sampling) -> list[float]:
    """Return a distribution as temperature, then top-k, then top-p leave it, by their definitions."""
    hot = [weight ** (1 / sampling.temperature) for weight in weights]
    falling = sorted(range(len(hot)), key=lambda index: -hot[index])[: sampling.top_k or None]
    whole, distribution, reached = sum(hot[index] for index in falling), [0.0] * len(hot), 0.0
    for index in falling:
        if reached < sampling.top_p:
            distribution[index] = hot[index]
        reached += hot[index] / whole
    return [weight / sum(distribution) for weight in distribution]


def _as_it_is(weights: list[float]) -> list[float]:
    return weights


def beam_sampling_distribution(
    model: TableModel,
    prompt: Sequence[int],
    *,
    width: int,
    num_steps: int,
    replacement: bool,
    warp: Warp = _as_it_is,
) -> dict[Texts, float]:
    """P(the texts are these after this many steps), live and ended ones together.

    Args:
        width: number of texts.
        num_steps: at most this many tokens each.
        replacement: whether the draws of a step are independent, or of distinct continuations.
        warp: what the joint distribution of a step's continuations goes through before the draws.
    """
    distribution: dict[Texts, float] = {((),): 1.0}
    for _ in range(num_steps):
        after: dict[Texts, float] = defaultdict(float)
        for texts, chance in distribution.items():
            ended = [text for text in texts if _has_ended(model, text)]
            live = [text for text in texts if text not in ended]
            num_draws = width - len(ended) if live else 0
            how = {"num_draws": num_draws, "replacement": replacement, "warp": warp}
            step = beam_sampling_step(model, prompt, live, **how)
            for drawn, probability in step.items():
                after[tuple(sorted([*ended, *drawn]))] += chance * probability
        distribution = after
    return dict(distribution)


def beam_sampling_step(
    model: TableModel,
    prompt: Sequence[int],
    live: Sequence[Text],
    *,
    num_draws: int,
    replacement: bool,
    warp: Warp = _as_it_is,
) -> dict[Texts, float]:
    """P(these continuations of the live texts are drawn in one step).

    Args:
        live: the texts, one as often as there are beams that wrote it.
        num_draws: how many continuations.
        replacement, warp: see above.
    """
    rows = [
        ((*text, token), _probability(model, prompt, text) * p)
        for text in live
        for token, p in enumerate(model.row([*prompt, *text]).tolist())
    ]
    distribution: dict[Texts, float] = defaultdict(float)
    for indices, chance in _draws(warp([weight for _, weight in rows]) if rows else [], num_draws, replacement):
        distribution[tuple(sorted(rows[index][0] for index in indices))] += chance
    return dict(distribution)


def _draws(weights: list[float], num_draws: int, replacement: bool) -> Iterator[tuple[tuple[int, ...], float]]:
    """Every sequence of draws and its probability."""
    if num_draws == 0:
        yield (), 1.0
        return
    total = sum(weights)
    for index, weight in enumerate(weights):
        left = weights if replacement else [*weights[:index], 0.0, *weights[index + 1 :]]
        if weight > 0:
            for indices, drawn in _draws(left, num_draws - 1 if sum(left) > 0 else 0, replacement):
                yield (index, *indices), weight / total * drawn


def _probability(model: TableModel, prompt: Sequence[int], text: Text) -> float:
    """Probability of the whole text after the prompt."""
    return math.prod(float(model.row([*prompt, *text[:index]])[token]) for index, token in enumerate(text))


def _has_ended(model: TableModel, text: Text) -> bool:
    return bool(text) and text[-1] in model.eos_ids


class BeamSearch(NamedTuple):
    """Result of a beam search: its answer, and the texts it still holds, best first."""

    answer: Text
    live: list[Text]
    ended: list[Text]


def beam_search(model: TableModel, prompt: Sequence[int], *, width: int, num_tokens: int) -> BeamSearch:
    """Beam search, written down plainly; texts are compared by log-probability per token.

    Args:
        width: live texts at every step, and ended ones to be kept.
        num_tokens: at most this many tokens each.
    """
    log_probs: dict[Text, float] = {(): 0.0}
    live: list[Text] = [()]
    ended: list[Text] = []

    def value(text: Text) -> float:
        return log_probs[text] / len(text)

    for step in range(1, num_tokens + 1):
        grown = [(*text, token) for text in live for token in range(model.vocab_size)]
        for text in grown:
            log_probs[text] = log_probs[text[:-1]] + math.log(model.row([*prompt, *text[:-1]])[text[-1]])
        grown.sort(key=lambda text: -log_probs[text])
        best = grown[:width]
        ended += [text for text in best if _has_ended(model, text)]
        ended = sorted(ended, key=lambda text: -value(text))[:width]
        may_live = best if step == num_tokens else grown
        live = [text for text in may_live if not _has_ended(model, text)][:width]
        if not live or (len(ended) == width and value(live[0]) <= value(ended[-1])):
            break
    return BeamSearch(max([*ended, *live], key=value), live, ended)
