"""Acceptance of a head's drafts: exactly, on held-out text and on text of the target, step by step."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch.nn import functional

from playground.errors import PlaygroundError
from playground.models.bundled import HEAD
from playground.models.drafters.beside import fingerprint
from playground.models.drafters.head import CONFIG, VOCABULARY, WEIGHTS
from playground.training.evaluation import COUNT, Logits, agreement
from playground.training.export import as_transformers, read_exported
from playground.training.head.network import HeadNetwork
from playground.training.network import Network, Shape
from playground.training.pair.evaluation import contexts_of

SHOWN = 4  # tokens drafted behind one another, whose acceptance is measured


def has_head(folder: Path) -> bool:
    """Return whether a head lies beside the models in a folder."""
    return (folder / HEAD / CONFIG).is_file()


def measure_head(folder: Path, held_out: Path, *, count: int = COUNT) -> dict[str, Any]:
    """Its size, and its acceptance on the contexts on which the pair's drafts are measured.

    Args:
        folder: with the models `target` and `head`.
        held_out: a text that neither has read.
        count: windows of it.

    Raises:
        PlaygroundError: if there is no head, or it is another target's.
    """
    target = read_exported(folder / "target")
    head = read_head(folder / HEAD, target)
    held, own = contexts_of(folder, as_transformers(target), held_out, count)
    draft = _logits_of(target, head)
    return {
        "parameters": head.num_parameters,
        "on_held_out_text": agreement(target, draft, held),
        "on_text_of_the_target": agreement(target, draft, own),
        "accepted_by_step": accepted_by_step(target, head, held, SHOWN),
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


def read_head(folder: Path, target: Network) -> HeadNetwork:
    """Return the head in a folder.

    Raises:
        PlaygroundError: if there is none, or it is another target's.
    """
    try:
        config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
        shape, weights = target.shape, load_file(folder / WEIGHTS)
        own = Shape(1, shape.width, config["heads"], config["feed_forward"], shape.vocab, shape.tied)
        own = replace(own, rope_theta=config["rope_theta"])
        head = HeadNetwork(own, tokens=weights.get(VOCABULARY))
        head.load_state_dict(weights)
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
        raise PlaygroundError(f"{folder} holds no head of this kind: {str(error).splitlines()[0]}") from None
    if config["fingerprint"] != fingerprint(target):
        raise PlaygroundError(f"The head in {folder} was trained on another target. Train one for this target.")
    return head.eval()


def _logits_of(target: Network, head: HeadNetwork) -> Logits:
    def logits(tokens: torch.Tensor) -> torch.Tensor:
        (guess,) = head(target.model.embed_tokens(tokens), target.model(tokens), 1)
        return _draft_logits(target, head, guess)

    return logits


def _draft_logits(target: Network, head: HeadNetwork, guess: torch.Tensor) -> torch.Tensor:
    """Logits of a guess, -inf outside the draft vocabulary. (n, T, width) to (n, T, V)"""
    logits = functional.linear(guess, head.rows(target.lm_head.weight)).float()
    if not hasattr(head, VOCABULARY):
        return logits
    whole = logits.new_full((*logits.shape[:-1], target.shape.vocab), -torch.inf)
    return whole.index_copy_(-1, head.draft_vocabulary.long(), logits)
