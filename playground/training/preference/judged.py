"""Continuations that a target wrote and a reader judged: kept the thread, or lost it.

A file holds one JSON value a line: the opening that was given, the text that the target went on with, whether it ended
there by itself, and `kept`, which is null until a reader has put true or false there.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import torch

from playground.errors import PlaygroundError
from playground.training.storage import write_file
from playground.training.text.tokenizer import END_OF_TEXT

FIELDS = {"opening": str, "text": str, "ended": bool, "kept": bool}
SHORTEST = 25  # tokens; where next to nothing was written there is nothing to judge


@dataclass(frozen=True, slots=True)
class Continuation:
    """What was judged, as tokens.

    Attributes:
        opening: what was given, one token at least.
        tokens: what was written, the end of the text included where it came.
    """

    opening: tuple[int, ...]
    tokens: tuple[int, ...]


Pair = tuple[Continuation, Continuation]  # the preferred one first


def read_judged(file: Path) -> list[dict[str, Any]]:
    """The lines of a `.jsonl` or `.jsonl.gz` file, those that nobody has judged left out.

    Raises:
        PlaygroundError: if there is no such file, or a line is something else.
    """
    try:
        raw = file.read_bytes()
        text = (gzip.decompress(raw) if file.suffix == ".gz" else raw).decode()
        lines = [json.loads(line) for line in text.splitlines() if line.strip()]
    except (OSError, EOFError, ValueError) as error:
        raise PlaygroundError(
            f"{file} cannot be read as judged continuations, one JSON value a line: {error}."
        ) from None
    for number, line in enumerate(lines, 1):
        if not isinstance(line, dict) or not {"kept": None, **line}.keys() >= FIELDS.keys():
            raise PlaygroundError(f"Line {number} of {file} is no continuation. It needs {', '.join(FIELDS)}.")
        for name, kind in FIELDS.items():
            if not isinstance(line[name], kind) and not (name == "kept" and line[name] is None):
                raise PlaygroundError(
                    f"Line {number} of {file} says {name}: {line[name]!r}. It takes a {kind.__name__}."
                )
    return [line for line in lines if line["kept"] is not None]


def write_judged(file: Path, lines: Iterable[dict[str, Any]]) -> None:
    """The file that `read_judged` reads; compressed where its name ends in .gz."""
    raw = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()
    made = gzip.compress(raw, mtime=0) if file.suffix == ".gz" else raw
    write_file(file, lambda out: out.write(made))


def pairs(lines: list[dict[str, Any]], tokenizer: Any, *, most: int, seed: int = 0) -> list[Pair]:
    """Every two continuations of one opening of which one keeps the thread and the other does not.

    Args:
        lines: of `read_judged`.
        tokenizer: of the target.
        most: pairs of one opening; which ones these are is drawn.

    Raises:
        PlaygroundError: if there is none.
    """
    draws = random.Random(seed)
    judged: dict[str, tuple[list[Continuation], list[Continuation]]] = {}
    for line in lines:
        tokens = tokenizer.encode(line["text"]).ids
        if len(tokens) >= SHORTEST:
            ended = [tokenizer.token_to_id(END_OF_TEXT)] if line["ended"] else []
            made = Continuation(tuple(tokenizer.encode(line["opening"]).ids), (*tokens, *ended))
            judged.setdefault(line["opening"], ([], []))[not line["kept"]].append(made)
    found: list[Pair] = []
    for kept, lost in judged.values():
        both = list(product(kept, lost))
        found += draws.sample(both, min(most, len(both)))
    if not found:
        raise PlaygroundError(
            "No opening has a continuation that was kept and one that was not. Judge several of each opening."
        )
    return found


@torch.inference_mode()
def write_continuations(
    model: Any,
    tokenizer: Any,
    openings: list[str],
    *,
    each: int,
    length: int,
    temperature: float,
    top_p: float,
    seed: int = 0,
    progress: Callable[[int], None] = lambda _: None,
) -> list[dict[str, Any]]:
    """Continuations to be judged, `each` of every opening.

    Args:
        model: of transformers.
        tokenizer: its own, of tokenizers.
        length: tokens of a continuation, at most.
        progress: called with how many there are.
    """
    torch.manual_seed(seed)
    end, lines = tokenizer.token_to_id(END_OF_TEXT), []
    for opening in openings:
        given = torch.tensor([tokenizer.encode(opening).ids]).expand(each, -1)
        rows = model.generate(
            given,
            attention_mask=torch.ones_like(given),
            max_new_tokens=length,
            do_sample=True,
            temperature=temperature,
            top_p=top_p,
            top_k=0,
            eos_token_id=end,
            pad_token_id=end,
        )
        for row in rows[:, given.shape[1] :].tolist():
            ended = end in row
            text = tokenizer.decode(row[: row.index(end)] if ended else row)
            lines.append({"opening": opening, "text": text, "ended": ended, "kept": None})
        progress(len(lines))
    return lines
