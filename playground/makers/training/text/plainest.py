"""The plainest texts of a corpus: those that a network finds easiest, for the last steps of its training.

What a network reads while its rate falls shapes what it writes. One too small for every plot in its corpus keeps the
thread better when these last steps hold only plots that it can follow. Which those are it says itself: each text gets
its mean loss, and those with the lowest are kept. The price is a higher loss on the rest.

Paper: Hu et al. 2024, MiniCPM (other data while the rate falls).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from playground.errors import PlaygroundError
from playground.files import write_file
from playground.makers.training.network import Network
from playground.makers.training.text.sampled_text import sign

SHORTEST, LONGEST = 91, 256  # tokens of a text and its end: short ones are easy for that, longer ones fit no window
IN_FILE, AT_ONCE = 512, 16  # texts whose losses are kept together, and that the network reads together
TOKENS, ABOUT = "plainest.tokens", "plainest.json"


def keep_plainest(
    network: Network,
    tokens: np.ndarray,
    end: int,
    folder: Path,
    *,
    share: float,
    seed: int = 0,
    progress: Callable[[int], None] = lambda _: None,
) -> dict[str, Any]:
    """Rank the texts by the network's loss and keep the plainest as tokens; losses that the folder has count.

    Args:
        network: which finds them easy or hard.
        tokens: (num_tokens,), the corpus, its texts divided by `end`.
        folder: gets the losses, a file for some hundred texts, and the tokens.
        share: of the texts, in (0, 1].
        seed: of the order in which they are kept.
        progress: called with the number of texts that were read.

    Returns:
        How many texts there were and were kept, their tokens, and both mean losses, in nats a token.

    Raises:
        PlaygroundError: if there is no text of a fit length, the share keeps none, or another network's losses are
            in the folder.
    """
    spans = texts(tokens, end)
    count = int(len(spans) * share) if 0 < share <= 1 else 0
    if not count:
        raise PlaygroundError(
            f"There are {len(spans):,} texts of {SHORTEST} to {LONGEST} tokens, and a share of {share:g} cannot "
            "be kept. Choose a share above 0 and up to 1, or give more texts."
        )
    sign(folder, network)
    losses = []
    for first in range(0, len(spans), IN_FILE):
        file = folder / f"{first // IN_FILE:05d}.losses"
        if not file.exists():
            part = text_losses(network, tokens, spans[first : first + IN_FILE], end)
            write_file(file, lambda out, part=part: out.write(part.tobytes()))
        losses.append(np.fromfile(file, dtype=np.float32))
        progress(sum(map(len, losses)))
    all_losses = np.concatenate(losses)
    plain = np.argsort(all_losses, kind="stable")[:count]
    order = np.random.default_rng(seed).permutation(plain)
    ids = np.concatenate([tokens[start:stop] for start, stop in spans[order]])
    about = {
        "texts": len(spans),
        "kept": count,
        "tokens": len(ids),
        "nats_per_token": float(all_losses.mean()),
        "nats_per_token_of_kept": float(all_losses[plain].mean()),
    }
    write_file(folder / TOKENS, lambda out: out.write(ids.tobytes()))
    write_file(folder / ABOUT, lambda out: out.write(json.dumps(about, indent=2).encode()))
    return about


def read_plainest(folder: Path) -> tuple[np.ndarray, str]:
    """Return the tokens that `keep_plainest` left in a folder, and of how many texts they are, in words.

    Raises:
        PlaygroundError: if there are none.
    """
    if not (folder / ABOUT).is_file():
        raise PlaygroundError(f"{folder} holds no plainest texts. Run the step plainest first.")
    about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
    return np.fromfile(folder / TOKENS, dtype=np.uint16), f"{about['kept']:,} of {about['texts']:,}"


def texts(tokens: np.ndarray, end: int) -> np.ndarray:
    """Spans of the texts of a fit length, each with the token that ends it: (n, 2), first and one past the last."""
    ends = np.flatnonzero(tokens == end) + 1
    spans = np.stack([ends[:-1], ends[1:]], 1)
    lengths = spans[:, 1] - spans[:, 0]
    return spans[(lengths >= SHORTEST) & (lengths <= LONGEST)]


@torch.inference_mode()
def text_losses(network: Network, tokens: np.ndarray, spans: np.ndarray, end: int) -> np.ndarray:
    """Mean cross-entropy of every text, after the token that ended the one before it.

    Args:
        spans: (n, 2), as of `texts`.

    Returns:
        (n,), 32 bits, nats a token.
    """
    lengths = spans[:, 1] - spans[:, 0]
    losses = np.zeros(len(spans), dtype=np.float32)
    for together in np.array_split(np.argsort(lengths, kind="stable"), -(-len(spans) // AT_ONCE)):
        longest = lengths[together].max()
        batch = np.full((len(together), longest + 1), end, dtype=np.int64)
        for row, (start, stop) in zip(batch, spans[together], strict=True):
            row[1 : stop - start + 1] = tokens[start:stop]
        rows = torch.from_numpy(batch)
        with torch.autocast("cpu", torch.bfloat16):
            logits = network(rows[:, :-1])
        nats = functional.cross_entropy(logits.float().mT, rows[:, 1:], reduction="none").numpy()  # (n, T)
        for index, row in zip(together, nats, strict=True):
            losses[index] = row[: lengths[index]].mean()
    return losses
