"""Greedy texts of a method against plain decoding's, letter by letter, and the rounding behind the first difference.

At temperature 0 a lossless method keeps the target's best token and nothing else, so its text can differ from plain
decoding's in one way: a row of logits is rounded differently with other rows beside it, and two tokens change places.
The compiled passes round a row alike whatever stands beside it; torch's own products do not.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from operator import eq
from typing import Any

import torch

from playground.bench.prompts import read_prompts
from playground.decoding.decode import Request, Round, Started, decode
from playground.decoding.method import DecodingMethod, make_method
from playground.models.forward import Forward, Model
from playground.models.language_model import LoadedPair
from playground.models.sampling import Sampling
from playground.tree import TokenTree

CALLS = ("plain", "speculative")
PRESETS = ("quick", "ninety")  # Together they have a hundred prompts.
MAX_NEW_TOKENS = 64
MOST_BEFORE = 80  # letters that are shown of the text before the first difference


def hundred_prompts() -> list[str]:
    """Return the hundred prompts that are compared where no others are given."""
    return [prompt for preset in PRESETS for prompt in read_prompts(preset)]


def greedy_texts(
    pair: LoadedPair, prompts: Sequence[str], method: DecodingMethod, max_new_tokens: int = MAX_NEW_TOKENS
) -> Iterator[dict[str, object]]:
    """Decode each prompt greedily, plainly and by the method, and count the letters that differ.

    Yields:
        After each prompt `done` and `total` prompts, `letters` of plain decoding's texts, how many `letters_differ`
        place by place, how many `texts_differ`, and the `first` difference or None, see `_difference`.
    """
    counts = {"letters": 0, "letters_differ": 0, "texts_differ": 0}
    first: dict[str, object] | None = None
    for number, prompt in enumerate(prompts, 1):
        request = Request(
            make_method("autoregressive"), pair.target, prompt, pair.draft, Sampling(0.0), 0, max_new_tokens
        )
        requests = request, replace(request, method=method, other_drafts=pair.others)
        plain, other = texts = [_tokens(each) for each in requests]
        letters = [pair.target.vocabulary.decode(tokens) for tokens in texts]
        counts["letters"] += len(letters[0])
        counts["letters_differ"] += max(map(len, letters)) - sum(map(eq, *letters))
        counts["texts_differ"] += plain != other
        if plain != other and first is None:
            first = _difference(requests, texts)
        yield {"done": number, "total": len(prompts), **counts, "first": first}


def _tokens(request: Request) -> list[int]:
    """Return the tokens that a run writes."""
    return [each.tree.tokens[node] for each in decode(request) if isinstance(each, Round) for node in each.nodes]


def _difference(requests: Sequence[Request], texts: Sequence[list[int]]) -> dict[str, object]:
    """Make both runs again up to the first token that differs, and read the logits that decided.

    Args:
        requests, texts: plain decoding's and the method's, with the tokens that they wrote.

    Returns:
        `prompt`; `token` and `letter`, the first that differ, from 1 behind the prompt; `before`, the end of the text
            that both have; and by call the token's text in `pieces`, how many nodes ran in it in `rows`, and the
            `logits` of plain decoding's token and of the method's.
    """
    index = next(index for index, pair in enumerate(zip(*texts, strict=False)) if len(set(pair)) > 1)
    vocabulary, two = requests[0].target.vocabulary, [tokens[index] for tokens in texts]
    letters = zip(*(vocabulary.decode(tokens) for tokens in texts), strict=False)
    num_common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], letters))
    decided = [_row_behind(request, index) for request in requests]
    return {
        "prompt": requests[0].prompt,
        "token": index + 1,
        "letter": num_common + 1,
        "before": vocabulary.decode(texts[0][:index])[-MOST_BEFORE:],
        "pieces": dict(zip(CALLS, map(vocabulary.piece, two), strict=True)),
        "rows": {call: rows for call, (rows, _) in zip(CALLS, decided, strict=True)},
        "logits": {call: row[two].tolist() for call, (_, row) in zip(CALLS, decided, strict=True)},
    }


def _row_behind(request: Request, index: int) -> tuple[int, torch.Tensor]:
    """Return how many nodes ran in the call that decided on the text's token `index`, and its row of logits, (V,)."""
    target = _Overheard(request.target)
    path: list[int] = []
    for each in decode(replace(request, target=target)):
        if isinstance(each, Started):
            path = list(each.frontier)
        elif isinstance(each, Round):
            path += each.nodes  # token i of the text is node i + 1 here, and was decided behind node i
            if len(path) > index + 1:
                break
    return target.rows[path[index]]


class _Overheard:
    """A target that remembers the last row of logits behind each node, and how many nodes ran with it."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.rows: dict[int, tuple[int, torch.Tensor]] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def forward(self, tree: TokenTree, nodes: list[int]) -> Forward:
        answer = self._model.forward(tree, nodes)
        self.rows.update((node, (len(answer.fed), row.clone())) for node, row in zip(nodes, answer.logits, strict=True))
        return answer
