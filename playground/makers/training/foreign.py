"""A trained network as a draft with another tokenizer than the target's: exported, measured beside it, described.

Its acceptance is that of what it proposes in the target's tokens, see `translated_model`: exact at every position, over
the whole of the target's vocabulary.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch

from playground.errors import PlaygroundError
from playground.files import write_file
from playground.makers.training.beside import write_json
from playground.makers.training.checkpoints import load_network, read_checkpoint
from playground.makers.training.evaluation import Logits, agreement, bits_per_byte, held_out_losses
from playground.makers.training.export import export, refuse_other_content
from playground.makers.training.pair.card import LIMITS, LOADING, head
from playground.makers.training.run import settings_of
from playground.makers.training.text.corpus import encode, even_windows, open_corpus, read_text
from playground.makers.training.text.tokenizer import read_tokenizer
from playground.models.bundled import FOREIGN
from playground.models.drafters.translated_model import TranslatedModel
from playground.models.forward import Model
from playground.models.loading import load_models
from playground.models.machine import machine
from playground.models.sources.placement import find_placement
from playground.tree import TokenTree

RECORD_FILE = "made.json"
COUNT, LENGTH = 24, 256  # windows of the target's tokens

PURPOSE = """\
A {millions:.2f}-million-parameter language model with **a tokenizer of its own**. It drafts for the
[target](../target/README.md) in the tokens that both know: {shared:,} of its {vocab:,}, and of the target's
{of_target:,}. It is here to show a draft of another family, and what the missing tokens cost; the pair's own
[draft](../draft/README.md) is better."""
CARD = """
Draft against target on {windows} windows of {length} of the target's tokens, spread evenly over {held_out:.1f} MB of
text that was not trained on; the mean of sum min(p, q), the exact probability that speculative sampling accepts a draft
token. q is 0 for each token that this model does not know.

| at temperature 1 | at 0.7 | the same token most likely |
|---|---|---|
| {at_1:.3f} | {at_07:.3f} | {best:.3f} |

## Training data

{data}

The tokenizer alone is learnt from {learnt_from}.

Made by `python -m playground train`, and put here by its step `foreign`; `made.json` holds every setting and figure.
"""


def release_foreign(
    work: Path, run: str, out: Path, target: Path, held_out: Path, *, learnt_from: str, words: dict[str, str]
) -> dict[str, Any]:
    """Export a run, measure it beside a target, and write its card.

    Args:
        work: the work folder, whose tokenizer is not the target's.
        run: in it.
        out: the model's folder.
        target: the target's folder.
        held_out: a text that neither has read.
        learnt_from: what text the tokenizer was learnt from, in words.
        words: for the card: `title` of the pair, `data`, `language`, `licence`.

    Raises:
        PlaygroundError: if something is missing or in the way, or the tokenizers have too little in common.
    """
    corpus, state = open_corpus(work / "corpus"), read_checkpoint(work / run)
    refuse_other_content(out)
    export(load_network(work / run), corpus.folder / "tokenizer.json", out)
    record: dict[str, Any] = {
        "machine": machine()["processor"],
        "corpus": corpus.about,
        **words,
        "learnt_from": learnt_from,
        "run": settings_of(state),
    }
    return _measured(record, out, target, held_out)


def evaluate_foreign(models: Path, held_out: Path) -> dict[str, Any]:
    """Measure the draft of another tokenizer that lies beside a target again, as after a new target.

    Args:
        models: the folder of both.
        held_out: a text that neither has read.

    Raises:
        PlaygroundError: if there is none.
    """
    out = models / FOREIGN
    if not (out / RECORD_FILE).is_file():
        raise PlaygroundError(f"{models} holds no draft of another tokenizer. Make one by the step foreign.")
    return _measured(json.loads((out / RECORD_FILE).read_text(encoding="utf-8")), out, models / "target", held_out)


def _measured(record: dict[str, Any], out: Path, target: Path, held_out: Path) -> dict[str, Any]:
    """Its figures, which are written beside it with what is known of it, and its card."""
    cpu = find_placement("cpu", dtype="float32")
    pair, alone = load_models(str(target), str(out), placement=cpu), load_models(str(out), None, placement=cpu)
    text, draft = read_text(held_out), pair.draft
    assert isinstance(draft, TranslatedModel), f"{out} and {target} have one tokenizer"
    theirs = encode(read_tokenizer(target / "tokenizer.json"), text)
    own = encode(read_tokenizer(out / "tokenizer.json"), text)
    bytes_per_token = len(text.encode()) / len(own)
    nats = held_out_losses(lambda tokens: alone.target.model(input_ids=tokens).logits, own, count=COUNT).mean().item()
    batch = even_windows(theirs, COUNT, LENGTH)
    measured = {
        "parameters": alone.target.num_parameters,
        "shared_vocabulary": draft.facts()["shared_vocabulary"],
        "bytes_per_token": bytes_per_token,
        "nats_per_token": nats,
        "bits_per_byte": bits_per_byte(nats, bytes_per_token),
        "windows": batch.shape[0],
        "window": batch.shape[1],
        "held_out_bytes": len(text.encode()),
        "on_held_out_text": agreement(_logits_of(pair.target), _logits_of(draft), batch),
    }
    record = record | {"measured": measured}
    write_json(out / RECORD_FILE, record)
    write_file(out / "README.md", lambda file: file.write(_card(record, out).encode()))
    return measured


def _logits_of(model: Model) -> Logits:
    """Return the model in the decoding loop's way: on a tree, here a chain, each window one of its own."""

    def read(batch: torch.Tensor) -> torch.Tensor:
        rows: list[torch.Tensor] = []
        for window in batch.tolist():
            tree = TokenTree(window)
            rows.append(model.forward(tree, list(range(len(window)))).logits)
        return torch.stack(rows)

    return read


def _card(record: dict[str, Any], folder: Path) -> str:
    numbers, vocab = record["measured"], record["corpus"]["vocab"]
    accepted, shared = numbers["on_held_out_text"], numbers["shared_vocabulary"]
    purpose = PURPOSE.format(
        millions=numbers["parameters"] / 1e6, shared=shared["tokens"], vocab=vocab, of_target=shared["of_target"]
    )
    tokenizer = f"learnt from {record['learnt_from']}; {numbers['bytes_per_token']:.2f} bytes a token"
    card = head(
        "foreign", folder, record, record["run"], numbers, purpose=purpose, tokenizer=tokenizer, of_own=" of its own"
    )
    card += CARD.format(
        windows=numbers["windows"],
        length=numbers["window"],
        held_out=numbers["held_out_bytes"] / 1e6,
        at_1=accepted["acceptance_1.0"],
        at_07=accepted["acceptance_0.7"],
        best=accepted["same_best"],
        data=record["data"],
        learnt_from=record["learnt_from"],
    )
    return card + LIMITS + LOADING.format(role="foreign")
