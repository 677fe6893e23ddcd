"""Text sampled from the target, for a drafter to learn on: contexts as the drafter will meet them.

Each sample begins with a few tokens of a book and goes on at temperature 1. A chat model begins with its own empty user
turn: it then writes questions, and answers them. Samples are kept on disk as they are made, and a run that was stopped
goes on with the next batch.

Paper: Xu et al. 2024, Magpie, arXiv 2406.08464: a chat model's own questions.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from playground.errors import PlaygroundError
from playground.files import write_file
from playground.makers.training.export import as_transformers
from playground.makers.training.network import Network
from playground.makers.training.text.corpus import windows
from playground.models.drafters.beside import fingerprint

PROMPT = 16  # tokens of a book
LENGTH = 512  # tokens of a sample, its prompt included
AT_ONCE = 32  # samples in a batch
MESSAGE = "(message)"  # in the place of a user's words
SIGNATURE = "written-by"  # a file: which weights wrote the samples next to it


def sample_text(
    teacher: Network,
    beginnings: Callable[[int], torch.Tensor],
    folder: Path,
    *,
    num_tokens: int,
    progress: Callable[[int], None] = lambda _: None,
) -> np.ndarray:
    """Return at least `num_tokens` tokens written by the teacher; what it has left in the folder already counts.

    Args:
        beginnings: of a batch's number, the tokens that its samples begin with. (AT_ONCE, T)
        folder: one file per batch.
        progress: called with the number of tokens there are.

    Returns:
        (at least num_tokens,), 16-bit ids.

    Raises:
        PlaygroundError: if another network wrote what the folder holds, or it cannot be written.
    """
    sign(folder, teacher)
    model = as_transformers(teacher, dtype=torch.bfloat16)
    batch, batches = 0, []
    while sum(map(len, batches)) < num_tokens:
        file = folder / f"{batch:05d}.tokens"
        if not file.exists():
            torch.manual_seed(batch)
            ids = continue_text(model, beginnings(batch), LENGTH).numpy().astype(np.uint16)
            write_file(file, ids.tobytes())
        batches.append(np.fromfile(file, dtype=np.uint16))
        batch += 1
        progress(sum(map(len, batches)))
    return np.concatenate(batches)


def of_books(tokens: np.ndarray) -> Callable[[int], torch.Tensor]:
    """Beginnings of samples from a corpus."""
    return lambda batch: windows(tokens, batch * AT_ONCE, AT_ONCE, PROMPT, seed=0)[:, :PROMPT]


def of_user(tokenizer: Any) -> Callable[[int], torch.Tensor]:
    """Beginnings of samples from a chat model: its template up to where the user's first words would stand.

    Raises:
        PlaygroundError: if the tokenizer has no chat template.
    """
    if not tokenizer.chat_template:
        raise PlaygroundError("This model has no chat template. Leave --chat off, and give a corpus.")
    turn = tokenizer.apply_chat_template([{"role": "user", "content": MESSAGE}], tokenize=False)
    ids = tokenizer(turn.partition(MESSAGE)[0], add_special_tokens=False).input_ids
    return lambda _: torch.tensor([ids] * AT_ONCE)


def read_samples(folder: Path, teacher: Network) -> np.ndarray:
    """Return the tokens that the teacher wrote into a folder.

    Raises:
        PlaygroundError: if there is nothing, or another network wrote it.
    """
    _check_writer(folder, teacher)
    files = sorted(folder.glob("*.tokens"))
    if not files:
        raise PlaygroundError(f"{folder} holds no sampled text. Run the step samples first.")
    return np.concatenate([np.fromfile(file, dtype=np.uint16) for file in files])


def sign(folder: Path, teacher: Network) -> None:
    """Record in a folder which weights made its files.

    Raises:
        PlaygroundError: if they were others.
    """
    _check_writer(folder, teacher)
    write_file(folder / SIGNATURE, fingerprint(teacher))


def _check_writer(folder: Path, teacher: Network) -> None:
    file = folder / SIGNATURE
    if file.exists() and file.read_text(encoding="utf-8") != fingerprint(teacher):
        raise PlaygroundError(
            f"{folder} holds what was made by another target, or by this one before it was trained on. Remove it to "
            "begin anew."
        )


@torch.inference_mode()
def continue_text(model: Any, prompts: torch.Tensor, length: int) -> torch.Tensor:
    """Continue each row at temperature 1; a text that ends is followed by another, as in the corpus. (n, length)

    Args:
        prompts: (n, T) tokens.
        length: tokens of the result, prompts included.
    """
    sampled = {"do_sample": True, "temperature": 1.0, "top_k": 0, "top_p": 1.0}
    return model.generate(
        prompts, attention_mask=torch.ones_like(prompts), max_length=length, eos_token_id=None, **sampled
    )
