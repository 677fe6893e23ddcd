"""A folder of plain text as token windows, kept on disk.

The text is tokenised once, into two files of 16-bit numbers next to their tokenizer: what is trained on, and what is
held out. A window is a stretch of T + 1 tokens. Which windows a training step reads follows from the seed and from how
many were read before, and from nothing else: that is what lets an interrupted run go on exactly where it was.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch

from playground.errors import PlaygroundError
from playground.files import write_file
from playground.makers.training.text.tokenizer import END_OF_TEXT, learn_tokenizer, read_tokenizer

PIECE_BYTES = 1 << 20  # text is tokenised in pieces of about this size
HELD_OUT = 0.01  # This share of the text is held out where no file is named.


@dataclass(frozen=True, slots=True)
class Corpus:
    """Tokens to train on and tokens held out."""

    folder: Path  # The files are in it, `tokenizer.json` among them.
    train: np.ndarray  # token ids, 16 bits each
    held_out: np.ndarray  # token ids, 16 bits each
    bytes_per_token: float  # It is the held-out text's, for losses in bits a byte.
    about: dict[str, Any]  # Plain values say where the text came from and how much there is.


def prepare_corpus(
    text: Path,
    folder: Path,
    *,
    vocab: int = 4096,
    held_out: Path | None = None,
    tokenizer: Path | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Corpus:
    """Tokenise the plain text below a folder, and keep the result.

    Args:
        text: a folder with `.txt` files at any depth, or one such file.
        folder: where the tokens and their tokenizer go.
        held_out: a file to keep out of training; by default the last hundredth of the text.
        tokenizer: a `tokenizer.json` to use instead of learning one.

    Raises:
        PlaygroundError: if there is no text, the files cannot be written, or runs next to them read other tokens.
    """
    files = _text_files(text, held_out)
    train_text = f"\n\n{END_OF_TEXT}\n\n".join(read_text(file) for file in files)
    if held_out is None:
        cut = _held_out_from(train_text)
        train_text, held_out_text = train_text[:cut], train_text[cut:]
    else:
        held_out_text = read_text(held_out)
    if not train_text.strip() or not held_out_text.strip():
        raise PlaygroundError(f"{text} holds too little text to train on. Choose a folder with more.")
    progress(f"{len(files)} files, {len(train_text) / 1e6:.1f} million characters")
    learnt = read_tokenizer(tokenizer) if tokenizer else learn_tokenizer(_pieces(train_text), vocab)
    progress(f"tokenizer of {learnt.get_vocab_size()} tokens")
    _refuse_other_tokenizer(folder, learnt)
    tokens = {"train": encode(learnt, train_text), "held_out": encode(learnt, held_out_text)}
    about = {
        "text": text.name,
        "files": len(files),
        "vocab": learnt.get_vocab_size(),
        "train_bytes": len(train_text.encode()),
        "train_tokens": len(tokens["train"]),
        "held_out": held_out.name if held_out else f"the last {HELD_OUT:.0%}",
        "held_out_bytes": len(held_out_text.encode()),
        "held_out_tokens": len(tokens["held_out"]),
    }
    for name, ids in tokens.items():
        write_file(folder / f"{name}.tokens", ids.tobytes())
    write_file(folder / "tokenizer.json", learnt.to_str())
    write_file(folder / "corpus.json", json.dumps(about, indent=2))
    progress(f"{about['train_tokens']:,} tokens to train on, {about['held_out_tokens']:,} held out")
    return open_corpus(folder)


def _refuse_other_tokenizer(folder: Path, tokenizer: Any) -> None:
    """Refuse another tokenizer than that of runs that have begun: a network knows its tokens by number."""
    file = folder / "tokenizer.json"
    if file.exists() and file.read_text(encoding="utf-8") != tokenizer.to_str() and any(folder.parent.glob("*/*.pt")):
        raise PlaygroundError(
            f"{folder.parent} holds runs trained with another tokenizer than this text would give. Choose another work "
            f"folder, or keep theirs with --tokenizer {file}."
        )


def open_corpus(folder: Path) -> Corpus:
    """Return the corpus that `prepare_corpus` left in a folder.

    Raises:
        PlaygroundError: if there is none.
    """
    try:
        about = json.loads((folder / "corpus.json").read_text(encoding="utf-8"))
        train, held_out = (
            np.memmap(folder / f"{name}.tokens", dtype=np.uint16, mode="r") for name in ("train", "held_out")
        )
    except (OSError, ValueError):
        raise PlaygroundError(f"{folder} holds no tokenised text. Run the step tokenizer first.") from None
    if (len(train), len(held_out)) != (about["train_tokens"], about["held_out_tokens"]):
        raise PlaygroundError(f"The tokenised text in {folder} is incomplete. Run the step tokenizer again.")
    return Corpus(folder, train, held_out, about["held_out_bytes"] / about["held_out_tokens"], about)


def windows(tokens: np.ndarray, first: int, count: int, length: int, *, seed: int) -> torch.Tensor:
    """Windows number `first` to `first + count` of an endless reading in shuffled order.

    Each pass over the text reads every window once, in its own order, cut at its own offset.

    Args:
        tokens: (num_tokens,), 16-bit ids.
        first: how many windows were read before.
        length: T.

    Returns:
        (count, T + 1), int64: the tokens of each window and the one that follows.

    Raises:
        PlaygroundError: if the text is shorter than one batch.
    """
    per_pass = (len(tokens) - 1) // length - 1  # one less, so that any offset fits
    if per_pass < count:
        raise PlaygroundError(
            f"The text has {len(tokens):,} tokens, and one training step takes {count} windows of {length}. "
            "Give more text, or lower the tokens a step or the window."
        )
    rows = []
    for number in range(first, first + count):
        order, offset = _pass_order(number // per_pass, per_pass, length, seed)
        start = offset + int(order[number % per_pass]) * length
        rows.append(tokens[start : start + length + 1].astype(np.int64))
    return torch.from_numpy(np.stack(rows))


def even_windows(tokens: np.ndarray, count: int, length: int) -> torch.Tensor:
    """At most `count` windows spread evenly over the tokens, the same at every call; a text shorter than one is one.

    Returns:
        (count, T), int64.
    """
    if len(tokens) < 2:
        raise PlaygroundError("The held-out text is too short to predict a token of it. Hold out more.")
    length = min(length, len(tokens))
    available = len(tokens) // length
    starts = np.linspace(0, available - 1, min(count, available)).astype(int) * length
    return torch.from_numpy(np.stack([tokens[start : start + length].astype(np.int64) for start in starts]))


@lru_cache(maxsize=4)
def _pass_order(number: int, per_pass: int, length: int, seed: int) -> tuple[np.ndarray, int]:
    draws = np.random.default_rng([seed, number])
    return draws.permutation(per_pass), int(draws.integers(length))


def _text_files(text: Path, held_out: Path | None) -> list[Path]:
    if not text.exists():
        raise PlaygroundError(f"{text} does not exist. Give a folder with .txt files.")
    files = sorted(text.rglob("*.txt")) if text.is_dir() else [text]
    if held_out is not None:
        if not held_out.is_file():
            raise PlaygroundError(f"The file to hold out, {held_out}, does not exist. Name a text file.")
        files = [file for file in files if file.resolve() != held_out.resolve()]
    if not files:
        raise PlaygroundError(f"{text} holds no .txt file to train on. Choose another folder.")
    return files


def read_text(file: Path) -> str:
    """Return a file of plain text, without space around it."""
    try:
        return file.read_text(encoding="utf-8").strip()
    except UnicodeDecodeError:
        raise PlaygroundError(f"{file} is not UTF-8 text. Convert it, or move it elsewhere.") from None
    except OSError as error:
        raise PlaygroundError(f"{file} cannot be read: {error.strerror}.") from None


def _held_out_from(text: str) -> int:
    """Return the offset of the held-out end of a text: at a line, or at a word where lines are too long."""
    last = int(len(text) * (1 - HELD_OUT)) + 1
    return next((cut for end in "\n " if (cut := text.rfind(end, last // 2, last) + 1)), last - 1)


def _pieces(text: str) -> Iterator[str]:
    """Yield the text in parts, cut before blank lines, where the tokenizer would cut it too."""
    start = 0
    while start < len(text):
        end = text.find("\n\n", start + PIECE_BYTES)
        end = len(text) if end < 0 else end
        yield text[start:end]
        start = end


def encode(tokenizer: Any, text: str) -> np.ndarray:
    """Return the tokens of a text of any length but none. (num_tokens,), 16-bit ids"""
    parts = [
        np.array(tokenizer.encode(piece, add_special_tokens=False).ids, dtype=np.uint16) for piece in _pieces(text)
    ]
    return np.concatenate(parts)
