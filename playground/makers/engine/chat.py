"""Speculation on a chat model: tokens/s over plain decoding, by the kind of prompt and by temperature.

Prompts are those of assets/prompts/chat.json as the model's chat template writes them, some of each kind. Plain
decoding, chains and small trees take turns on every prompt, so a ratio compares runs of the same minute.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from playground.bench.prompts import CHAT, read_kinds
from playground.decoding.chat import chat_turn
from playground.decoding.decode import Request, Round, decode
from playground.decoding.method import make_method
from playground.makers.engine import growth
from playground.metrics.interval import bootstrap
from playground.models.language_model import LanguageModel, LoadedPair
from playground.models.sampling import Sampling

TEMPERATURES = (0.0, 0.7)
NUM_TOKENS = 40  # a run
PLAIN = "plain"
METHODS = {
    PLAIN: ("autoregressive", {}),
    **{f"chain of {length}": ("speculative_sampling", {"draft_length": length}) for length in (1, 2, 3, 4)},
    "3 children": ("dynamic_tree", {"depth": 1, "width": 3, "total_tokens": 3}),
    "tree of 4": ("dynamic_tree", {"depth": 2, "width": 2, "total_tokens": 4}),
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """One run: its rate, and its rounds.

    Attributes:
        tokens_per_s: of decoding, without the prefill.
        tokens_a_call: emitted tokens over calls of the target, the correction or bonus included.
    """

    tokens_per_s: float
    tokens_a_call: float


def chat_requests(pair: LoadedPair, num_prompts: int, num_tokens: int) -> list[tuple[str, Request]]:
    """Kind and request of some prompts, as many of each kind as there can be."""
    requests = []
    for seed, (kind, text) in enumerate(read_kinds(CHAT)[:num_prompts]):
        prompt, ids = chat_turn(pair.target, text)
        plain = make_method("autoregressive")
        requests.append((kind, Request(plain, pair.target, prompt, pair.draft, Sampling(), seed, num_tokens, ids)))
    return requests


def speculation(requests: Sequence[tuple[str, Request]], temperature: float, repeats: int) -> dict[str, Any]:
    """Ratio of every method's tokens/s to plain decoding: mean over prompts with its 95 % interval, and by kind.

    A prompt's rate is that of its fastest repeat.
    """
    methods = {name: make_method(*each) for name, each in METHODS.items()}
    _run(replace(requests[0][1], method=methods["chain of 2"]))  # warm up
    outcomes: dict[str, list[Outcome]] = {name: [] for name in methods}
    for _, request in requests:
        sides = {
            name: replace(request, method=method, sampling=Sampling(temperature)) for name, method in methods.items()
        }
        runs = [{name: _run(each) for name, each in sides.items()} for _ in range(repeats)]
        for name, fastest in outcomes.items():
            fastest.append(max((each[name] for each in runs), key=lambda outcome: outcome.tokens_per_s))
    kinds = [kind for kind, _ in requests]
    plain = np.array([each.tokens_per_s for each in outcomes.pop(PLAIN)])
    return {
        "plain_tokens_per_s": float(np.median(plain)),
        **{name: _summary(fastest, plain, kinds) for name, fastest in outcomes.items()},
    }


def measurements(
    pair: LoadedPair, requests: Sequence[tuple[str, Request]], repeats: int
) -> list[tuple[str, str, Callable[[], Any]]]:
    """Name, title and function of every line on a chat model."""
    assert isinstance(pair.target, LanguageModel), "a chat model of the catalog is a language model"
    return [
        *(
            (
                f"speculation_at_{temperature:g}",
                f"speculation at temperature {temperature:g}, tokens/s over plain decoding",
                partial(speculation, requests, temperature, repeats),
            )
            for temperature in TEMPERATURES
        ),
        ("tree_cost", "a target call on n nodes over one on 1", partial(growth.by_tree, pair.target)),
    ]


def _run(request: Request) -> Outcome:
    rounds = [item for item in decode(request) if isinstance(item, Round)]
    num_tokens = sum(len(item.nodes) for item in rounds)
    return Outcome(num_tokens / rounds[-1].clock_s, num_tokens / len(rounds))


def _summary(outcomes: list[Outcome], plain: np.ndarray, kinds: list[str]) -> dict[str, Any]:
    ratios = np.array([each.tokens_per_s for each in outcomes]) / plain
    low, high = bootstrap(lambda picks: ratios[picks].mean(axis=1), len(ratios))
    of_kind = {kind: float(ratios[[each == kind for each in kinds]].mean()) for kind in dict.fromkeys(kinds)}
    return {
        "ratio": float(ratios.mean()),
        "low": low,
        "high": high,
        "tokens_a_call": float(np.mean([each.tokens_a_call for each in outcomes])),
        "by_kind": of_kind,
    }
