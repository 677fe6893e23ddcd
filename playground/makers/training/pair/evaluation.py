"""Evaluation of an exported pair: losses, acceptance of the draft, samples.

Acceptance is averaged over two kinds of context: held-out books, and text that the target itself wrote after held-out
beginnings. Decoding meets the second kind. What a call costs, and what speculation gains by it, `compare` measures.
"""

from pathlib import Path
from typing import Any

import numpy as np
import torch

from playground.decoding.decode import Request, Round, decode
from playground.decoding.method import make_method
from playground.errors import PlaygroundError
from playground.makers.training.beside import TEXTS
from playground.makers.training.evaluation import COUNT, LENGTH, Logits, agreement, bits_per_byte, held_out_losses
from playground.makers.training.text.corpus import encode, even_windows, read_text
from playground.makers.training.text.sampled_text import continue_text
from playground.makers.training.text.tokenizer import read_tokenizer
from playground.models.forward import Model
from playground.models.language_model import LanguageModel
from playground.models.loading import Models
from playground.models.sampling import Sampling
from playground.models.sources.placement import find_placement

BEGINNING, OWN_LENGTH, OWN_COUNT = 32, 256, 24  # The target writes so many texts of such lengths.
PROSE = Sampling(temperature=0.8, top_p=0.95)
SAMPLE_TOKENS = 150


def evaluate(folder: Path, held_out: Path, prompts: list[str], *, count: int = COUNT) -> dict[str, object]:
    """Measure a pair: losses, acceptance and samples.

    Args:
        folder: with the models `target` and `draft`, and perhaps further drafts.
        held_out: a text neither model has read.
    """
    pair = _load(folder)
    text = read_text(held_out)
    if not text:
        raise PlaygroundError(f"{held_out} is empty. Name a text that neither model has read.")
    tokens = encode(read_tokenizer(folder / "target" / "tokenizer.json"), text)
    bytes_per_token = len(text.encode()) / len(tokens)
    target = _logits_of(pair[0])
    batch, own = even_windows(tokens, count, LENGTH), text_of_target(pair[0].model, tokens)

    def measure(model: LanguageModel) -> dict[str, object]:
        nats = held_out_losses(_logits_of(model), tokens, count=count).mean().item()
        bits = bits_per_byte(nats, bytes_per_token)
        return {"parameters": model.num_parameters, "nats_per_token": nats, "bits_per_byte": bits}

    def agree(model: LanguageModel) -> dict[str, object]:
        draft, texts = _logits_of(model), zip(TEXTS, (batch, own), strict=True)
        return {name: agreement(target, draft, text) for name, text in texts}

    others = {
        name: Models(str(folder / name), placement=find_placement("cpu", dtype="float32")).load().target
        for name in other_drafts(folder)
    }
    held = {"bytes_per_token": bytes_per_token, "bytes": len(text.encode())}
    return {
        "held_out": held | {"windows": batch.shape[0], "window": batch.shape[1]},
        "target": measure(pair[0]),
        "draft": measure(pair[1]),
        **agree(pair[1]),
        "others": {name: measure(model) | agree(model) for name, model in others.items()},
        "samples": write_samples(pair[0], prompts),
    }


def contexts_of(folder: Path, model: Any, held_out: Path, count: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Windows of a held-out text, and of the target's own text behind its beginnings. (n, T) tokens each

    Args:
        folder: with the target and its tokenizer.
    """
    tokens = encode(read_tokenizer(folder / "target" / "tokenizer.json"), read_text(held_out))
    return even_windows(tokens, count, LENGTH), text_of_target(model, tokens)


def text_of_target(model: Any, tokens: np.ndarray) -> torch.Tensor:
    """Generate a target's continuations of beginnings of a text by transformers, with fixed seeds."""
    torch.manual_seed(0)
    return continue_text(model, even_windows(tokens, OWN_COUNT, BEGINNING), OWN_LENGTH)


def other_drafts(folder: Path) -> list[str]:
    """Return the folders of further draft models, of the pair's own tokenizer, that are next to it."""
    known, tokenizer = {"target", "draft"}, (folder / "target" / "tokenizer.json").read_bytes()
    return sorted(
        each.parent.name
        for each in folder.glob("*/config.json")
        if each.parent.name not in known and (each.parent / "tokenizer.json").read_bytes() == tokenizer
    )


def write_samples(target: Model, prompts: list[str]) -> list[dict[str, str]]:
    """Continue each prompt by the target alone, with the index of the prompt as seed."""
    method = make_method("autoregressive")
    samples = []
    for seed, prompt in enumerate(prompts):
        request = Request(method, target, prompt, None, PROSE, seed, SAMPLE_TOKENS)
        rounds = [item for item in decode(request) if isinstance(item, Round)]
        emitted = [item.tree.tokens[node] for item in rounds for node in item.nodes]
        samples.append({"prompt": prompt, "text": target.vocabulary.decode(emitted)})
    return samples


def _load(folder: Path) -> tuple[LanguageModel, LanguageModel]:
    where = find_placement("cpu", dtype="float32")
    pair = Models(str(folder / "target"), str(folder / "draft"), placement=where).load()
    if not isinstance(pair.draft, LanguageModel):
        raise PlaygroundError(f"{folder} holds no draft of one tokenizer. Give a folder with models target and draft.")
    return pair.target, pair.draft


def _logits_of(model: LanguageModel) -> Logits:
    return lambda tokens: model.model(input_ids=tokens, use_cache=False).logits
