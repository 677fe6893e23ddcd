"""Training examples: windows over histories, and histories with an item of the target's list behind them.

A list is the target's K most probable items at a moment of training, found by one beam search over many moments at
once. Drafts learn to find the same.

A row is a whole prompt and the identifiers behind it, filled up with `<pad>`, which no loss counts. What a step reads
depends on its number alone, so a run that was killed goes on with the same rows.
"""

import hashlib
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch

from playground.errors import PlaygroundError
from playground.files import write_file
from playground.models.drafters.beside import fingerprint
from playground.recommender.identifiers import HISTORY, Identifiers
from playground.recommender.shop import Shop

PAD = 0
TOP = 20  # K: sequences of the target, and tokens of the draft that AtSpeed-S looks at
AT_ONCE = 64  # histories


class Windows:
    """Users' training histories, a window of each in every pass: the items of a prompt, and one more."""

    def __init__(self, shop: Shop, *, seed: int) -> None:
        self._identifiers = shop.identifiers
        self._histories = [user.train for _, user in sorted(shop.users.items()) if len(user.train) > 1]
        self._seed = seed
        self.length = (HISTORY + 1) * self._identifiers.length  # T, tokens of a row but for the first
        if not self._histories:
            raise PlaygroundError(f"Nobody in {shop.title} has bought two items in train. There is nothing to learn.")

    def __len__(self) -> int:
        return len(self._histories)

    def read(self, first: int, count: int) -> torch.Tensor:
        """Rows number `first` to `first + count` of an endless reading in shuffled order. (count, T + 1)"""
        rows = []
        for number in range(first, first + count):
            turn, index = divmod(number, len(self))
            history = self._histories[int(_order(self._seed, turn, len(self))[index])]
            spare = max(0, len(history) - HISTORY - 1)
            start = int(np.random.default_rng([self._seed, turn, index]).integers(spare + 1))
            rows.append(history[start : start + HISTORY + 1])
        return as_rows(self._identifiers, rows)


@lru_cache(maxsize=2)
def _order(seed: int, turn: int, size: int) -> np.ndarray:
    return np.random.default_rng([seed, turn]).permutation(size)


def as_rows(identifiers: Identifiers, histories: Sequence[Sequence[int]]) -> torch.Tensor:
    """Prompts with the last item behind them, all of one length. (n, T + 1)"""
    table = torch.full((len(histories), 1 + (HISTORY + 1) * identifiers.length), PAD)
    for row, history in zip(table, histories, strict=True):
        tokens = identifiers.prompt(history[:-1]) + list(identifiers.tokens[history[-1]])
        row[: len(tokens)] = torch.tensor(tokens)
    return table


def validation(shop: Shop, count: int) -> torch.Tensor:
    """Histories that end with the first item of the validation part, of this many users. (n, T + 1)"""
    users = [user for _, user in sorted(shop.users.items()) if user.train and user.valid][:count]
    histories = [(*user.train, user.valid[0])[-HISTORY - 1 :] for user in users]
    return as_rows(shop.identifiers, histories)


def moments(shop: Shop) -> list[tuple[tuple[int, ...], int]]:
    """Every history in training that an item followed, and that item: what a draft is asked in earnest."""
    return [
        (user.train[max(0, end - HISTORY) : end], user.train[end])
        for _, user in sorted(shop.users.items())
        for end in range(1, len(user.train))
    ]


@torch.inference_mode()
def best_items(model: Any, identifiers: Identifiers, histories: Sequence[Sequence[int]], count: int) -> Any:
    """Find the most probable items after histories of one length, by beam search among valid identifiers.

    Args:
        model: a `LlamaForCausalLM`.
        histories: (n,)
        count: K; no more items than the shop has.

    Returns:
        The items (n, K), the best first, and the log-probability of each of their tokens (n, K, L).
    """
    children = torch.from_numpy(identifiers.children)
    n, vocab = len(histories), children.shape[1]
    tokens = torch.tensor([identifiers.prompt(history) for history in histories])
    states = torch.zeros(n, 1, dtype=torch.long)
    steps = torch.zeros(n, 1, 0)  # (n, beams, so far)
    cache = None
    for _ in range(identifiers.length):
        said = model(input_ids=tokens, cache=cache, use_cache=True, logits_to_keep=1)
        cache, beams = said.cache, states.shape[1]
        below = children[states]  # (n, beams, V)
        logits = said.logits[:, -1].float().view(n, beams, vocab).masked_fill(below < 0, -torch.inf)
        log_probs = torch.log_softmax(logits, -1)
        scores = (log_probs + steps.sum(-1)[..., None]).flatten(1)  # (n, beams V)
        best = scores.topk(min(count, int((scores > -torch.inf).sum(1).min())), 1).indices  # (n, new beams)
        parents, chosen = best // vocab, best % vocab
        steps = torch.cat(
            [
                steps.gather(1, parents[..., None].expand(-1, -1, steps.shape[-1])),
                log_probs.flatten(1).gather(1, best)[..., None],
            ],
            -1,
        )
        states = below.flatten(1).gather(1, best).long()
        cache.reorder_cache((parents + torch.arange(n)[:, None] * beams).flatten())
        tokens = chosen.reshape(-1, 1)
    return states, steps


def make_lists(
    model: Any, shop: Shop, folder: Path, *, count: int, seed: int, progress: Callable[[int], None]
) -> dict[str, np.ndarray]:
    """Make the target's lists at some moments of training and keep them in a file; reuse those of this target.

    Args:
        count: of moments.
        seed: of which.

    Returns:
        `moment` (m,), by number in `examples.moments`; `items` (m, K); `kth` (m, L), log p of the K-th item's tokens.
    """
    known = moments(shop)
    digest = hashlib.sha256(repr(known).encode() + fingerprint(model).encode()).hexdigest()[:12]
    path = folder / f"lists-{count}-{seed}-{digest}.npz"
    if path.exists():
        with np.load(path) as saved:
            return dict(saved)
    chosen = np.random.default_rng(seed).permutation(len(known))[:count]
    by_length: dict[int, list[int]] = {}
    for number in sorted(chosen.tolist()):
        by_length.setdefault(len(known[number][0]), []).append(number)
    listed: list[tuple[int, np.ndarray, np.ndarray]] = []
    for numbers in by_length.values():
        for start in range(0, len(numbers), AT_ONCE):
            now = numbers[start : start + AT_ONCE]
            items, steps = best_items(model, shop.identifiers, [known[number][0] for number in now], TOP)
            listed += zip(now, items.numpy(), steps[:, -1].numpy(), strict=True)
            progress(len(listed))
    arrays = {
        "moment": np.array([each[0] for each in listed]),
        "items": np.stack([each[1] for each in listed]).astype(np.int32),
        "kth": np.stack([each[2] for each in listed]),
    }
    write_file(path, lambda file: np.savez_compressed(file, allow_pickle=False, **arrays))
    return arrays


class Pairs:
    """Rows for aligning a draft, by twos: any moment with the item that followed, and one with an item of its list."""

    def __init__(self, shop: Shop, lists: dict[str, np.ndarray], *, seed: int) -> None:
        self._identifiers, self._known, self._lists = shop.identifiers, moments(shop), lists
        self._seed = seed
        # tokens of a row, for the loop's count
        self.length = as_rows(self._identifiers, [self._known[0][0] + (self._known[0][1],)]).shape[1] - 1

    def read(self, first: int, count: int) -> torch.Tensor:
        """Rows number `first` to `first + count`, both even: log p(y_K) in millinats (L,), then tokens (T + 1,)."""
        histories, kth = [], []
        for number in range(first // 2, (first + count) // 2):
            draws = np.random.default_rng([self._seed, number])
            history, followed = self._known[int(draws.integers(len(self._known)))]
            index = int(draws.integers(len(self._lists["moment"])))
            before, _ = self._known[int(self._lists["moment"][index])]
            histories += [(*history, followed), (*before, int(draws.choice(self._lists["items"][index])))]
            kth += [self._lists["kth"][index]] * 2
        rows = as_rows(self._identifiers, histories)
        return torch.cat([torch.from_numpy(np.stack(kth) * -1000).long(), rows], 1)
