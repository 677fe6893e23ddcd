"""Acceptance and the price of a call by the length of the text, measured on one pair.

At every length the same tokens are scored, the last ones of each text, behind more and more of what stands before
them: lengths differ in nothing but how much the models have read. Prices are those of calls behind so many tokens.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

from playground.bench.calibration import call_seconds
from playground.bench.prompts import read_prompts
from playground.decoding.decode import Request, Round, decode
from playground.decoding.method import make_method
from playground.decoding.reader import Reader
from playground.errors import PlaygroundError
from playground.metrics.interval import bootstrap, median_interval, paired_difference
from playground.models.forward import Model
from playground.models.language_model import LoadedPair
from playground.models.sampling import Sampling
from playground.paths import ROOT
from playground.tree import TokenTree

LENGTHS = (128, 192, 256, 384, 512, 768, 1024, 2048, 4096, 8192)  # tokens of a text
POSITIONS = 64  # The last ones of each text are scored.
NUM_TEXTS = 8
REPEATS = 40  # Calls of each size are timed so often behind each length.
STORY = 400  # tokens of a story at most


def by_context(pair: LoadedPair, draft_length: int) -> Iterator[dict[str, object]]:
    """Measure acceptance at temperature 1, and the price of a call over `draft_length` + 1 tokens, by length.

    Acceptance is sum_x min(p, q), exact at each position, and its mean over the positions of all texts; intervals are
    over texts. A price is the median ratio of two calls in one turn.

    Yields:
        After each step `done` of `total`; `reads`, the tokens that both models read; `target`, `draft_length`, the
            number of `texts` and of `positions` in each; `points`, one for each length that is measured; and when there
            are two, `change`, of the acceptance at the last length against the first.

    Raises:
        PlaygroundError: if there is no draft model, or the models read less than the shortest length.
    """
    target, draft = pair.target, pair.draft
    if draft is None:
        raise PlaygroundError("Acceptance by length needs a draft model. Choose a pair that has one.")
    reads = min(target.max_positions, draft.max_positions)
    lengths = [length for length in LENGTHS if length <= reads]
    if not lengths:
        raise PlaygroundError(
            f"These models read {reads} tokens, and the shortest text has {LENGTHS[0]}. Choose others."
        )
    known: dict[str, Any] = {"done": 0, "total": NUM_TEXTS * (1 + len(lengths)), "reads": reads}
    known |= {
        "target": target.name,
        "draft_length": draft_length,
        "texts": NUM_TEXTS,
        "positions": POSITIONS,
        "points": [],
        "change": None,
    }
    texts: list[list[int]] = []
    for text in _texts(target, lengths[-1]):
        texts.append(text)
        known["done"] += 1
        yield known | {}
    rates = np.zeros((len(lengths), NUM_TEXTS))
    for row, length in enumerate(lengths):
        for column, text in enumerate(texts):
            rates[row, column] = _acceptance(target, draft, text[-length:])
            known["done"] += 1
            if column < NUM_TEXTS - 1:
                yield known | {}
        point = {"length": length, **_acceptance_of(rates[row]), **_price(target, length, draft_length + 1)}
        known["points"] = [*known["points"], point]
        if row:
            known["change"] = paired_difference(lambda each: each.mean(-1), rates[row], rates[0])._asdict()
        yield known | {}


def _acceptance(target: Model, draft: Model, text: list[int]) -> float:
    """Mean over the last positions of a text of sum_x min(p, q)."""
    tree, sampling = TokenTree(text), Sampling(1.0)
    nodes = tree.trunk[-POSITIONS - 1 : -1]
    p, q = (Reader(model, sampling, tree).read(nodes).probs for model in (target, draft))  # (n, V) each
    return float(np.minimum(p, q).sum(-1).mean())


def _acceptance_of(rates: np.ndarray) -> dict[str, float]:
    low, high = bootstrap(lambda picks: rates[picks].mean(-1), len(rates))
    return {"rate": float(rates.mean()), "low": low, "high": high}


def _price(target: Model, length: int, size: int) -> dict[str, float | None]:
    """Milliseconds of a call over one token, and what a call over several costs over that, behind so many tokens."""
    seconds = call_seconds(target, length - size, (1, size), REPEATS)
    ratios = np.divide(seconds[size], seconds[1]).tolist()
    low, high = median_interval([[ratio] for ratio in ratios]) or (None, None)
    return {
        "step_ms": 1000 * float(np.median(seconds[1])),
        "price": float(np.median(ratios)),
        "price_low": low,
        "price_high": high,
    }


def _texts(target: Model, length: int) -> Iterator[list[int]]:
    """Yield texts of so many tokens: of a chat model parts of this project's READMEs, else stories of its own.

    A story that has ended is followed by the next one, as in what such models were trained on.
    """
    if getattr(target.vocabulary, "has_chat_template", False):
        readmes = sorted(ROOT.glob("playground/**/README.md"))
        tokens = target.vocabulary.encode("\n\n".join(each.read_text(encoding="utf-8") for each in readmes))
        apart = (len(tokens) - length) // (NUM_TEXTS - 1)  # Parts overlap where the models read much.
        yield from (tokens[start : start + length] for start in range(0, NUM_TEXTS * apart, apart))
        return
    stories = _stories(target)
    for _ in range(NUM_TEXTS):
        yield list(islice(stories, length))


def _stories(target: Model) -> Iterator[int]:
    """Yield the tokens of story after story, written at temperature 1."""
    prompts = read_prompts("bundled")
    for seed in range(2**31):
        prompt = prompts[seed % len(prompts)]
        request = Request(make_method("autoregressive"), target, prompt, None, Sampling(1.0), seed, STORY)
        yield from request.prompt_ids
        yield from (
            each.tree.tokens[node] for each in decode(request) if isinstance(each, Round) for node in each.nodes
        )
