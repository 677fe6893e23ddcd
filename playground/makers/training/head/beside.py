"""A head beside its target: its files, the exact acceptance of what it drafts step by step, and its card."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from torch.nn import functional

from playground.makers.training.beside import Beside, Weights
from playground.makers.training.evaluation import agreement
from playground.makers.training.head.network import HeadNetwork
from playground.makers.training.network import NORM_EPS, Network, Shape
from playground.makers.training.pair.card import acceptance_table
from playground.models.bundled import HEAD
from playground.models.drafters.head import CONFIG, VOCABULARY, WEIGHTS

SHOWN = 4  # tokens drafted behind one another, whose acceptance is measured

GOAL = "KL divergence from the target's distribution, over {steps} steps of the head's own guesses"
DRAFT = """
The pair's [draft model](../draft/README.md), which has {size:,} parameters, its own embedding among them, is accepted
{held:.3f} of the time there, and on text written by the target {own:.3f}.
"""


def _measure(target: Network, head: HeadNetwork, held_out: torch.Tensor, own: torch.Tensor) -> dict[str, Any]:
    def draft(tokens: torch.Tensor) -> torch.Tensor:
        (guess,) = head(target.model.embed_tokens(tokens), target.model(tokens), 1)
        return _draft_logits(target, head, guess)

    return {
        "on_held_out_text": agreement(target, draft, held_out),
        "on_text_of_the_target": agreement(target, draft, own),
        "accepted_by_step": accepted_by_step(target, head, held_out, SHOWN),
    }


@torch.inference_mode()
def accepted_by_step(teacher: Network, head: HeadNetwork, tokens: torch.Tensor, steps: int) -> list[float]:
    """Return acceptance of the first drafted token, the second, ... by speculative sampling on held-out windows.

    The mean of sum min(p, q) at temperature 1, the tokens before being the text's.

    Args:
        tokens: (n, T)
    """
    sums = [0.0] * steps
    for window in tokens.split(4):
        features = teacher.model(window)
        target_probs = torch.softmax(teacher.lm_head(features).float(), -1)  # (n, T, V)
        for step, guess in enumerate(head(teacher.model.embed_tokens(window), features, steps)):
            draft_probs = torch.softmax(_draft_logits(teacher, head, guess), -1)
            overlap = torch.minimum(target_probs, draft_probs).sum(-1)[:, steps:]  # the same places for every step
            sums[step] += overlap.sum().item()
    return [each / (len(tokens) * (tokens.shape[1] - steps)) for each in sums]


def _draft_logits(target: Network, head: HeadNetwork, guess: torch.Tensor) -> torch.Tensor:
    """Logits of a guess, -inf outside the draft vocabulary. (n, T, width) to (n, T, V)"""
    logits = functional.linear(guess, head.rows(target.lm_head.weight)).float()
    if not hasattr(head, VOCABULARY):
        return logits
    whole = logits.new_full((*logits.shape[:-1], target.shape.vocab), -torch.inf)
    return whole.index_copy_(-1, head.draft_vocabulary.long(), logits)


def _of_config(config: dict[str, Any], target: Network, weights: Weights) -> HeadNetwork:
    shape = target.shape
    own = Shape(1, shape.width, config["heads"], config["feed_forward"], shape.vocab, shape.tied)
    return HeadNetwork(replace(own, rope_theta=config["rope_theta"]), tokens=weights.get(VOCABULARY))


def _config(head: HeadNetwork) -> dict[str, Any]:
    own = {name: getattr(head.shape, name) for name in ("heads", "feed_forward", "rope_theta")}
    return own | {"norm_eps": NORM_EPS}


def _figures(run: dict[str, Any], numbers: dict[str, Any], evaluation: dict[str, Any]) -> dict[str, Any]:
    draft = ""
    if "draft" in evaluation:  # else the pair was not measured
        held, own = (evaluation[text]["acceptance_1.0"] for text in ("on_held_out_text", "on_text_of_the_target"))
        draft = DRAFT.format(size=evaluation["draft"]["parameters"], held=held, own=own)
    return {
        "goal": GOAL.format(**run["about"]),
        "acceptance": acceptance_table(numbers["on_held_out_text"], numbers["on_text_of_the_target"]),
        "by_step": ", ".join(f"{each:.3f}" for each in numbers["accepted_by_step"]),
        "draft": draft,
    }


BESIDE = Beside(
    HEAD,
    (CONFIG, WEIGHTS),
    of_state=lambda state: HeadNetwork(Shape(**state["shape"]), tokens=state["weights"].get(VOCABULARY)),
    of_config=_of_config,
    config=_config,
    measure=_measure,
    figures=_figures,
)
