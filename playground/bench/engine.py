"""Ratios of the engine, side by side in one run: ours against transformers', recording against not recording.

Times of different moments do not compare on a shared machine. Here the two sides of every ratio run in turn on the same
prompts and seeds, one thread, and a ratio is the median over prompts of the ratio of the sides' fastest repeats.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch

from playground.bench.prediction import compare_with_prediction
from playground.decoding import record
from playground.decoding.decode import Request, Round, decode
from playground.decoding.method import make_method, methods
from playground.decoding.sampling import Sampling
from playground.lab.one_position import milliseconds_by_scheme
from playground.models.loading import LoadedPair, load_pair
from playground.tree import TokenTree

NUM_TOKENS = 96
DRAFT_LENGTH = 4
PROMPTS = (
    "Once upon a time, there was a little rabbit who lived in",
    "Lily had a red ball. One day, the ball rolled under",
    '"Where are you going?" asked the little bird. The cat said, "',
    "Tom and his sister went to the park. They saw a big dog who",
    "It was raining, and Ben could not play outside. He looked",
    'Mom said, "You can have a cookie if you',
    "Behind the old tree there was a small door. Sara opened",
    "In her bag, Mia had an apple, a book, a blue hat,",
    "The train was late, and the people at the station",
    "Nobody in the village had ever seen such a",
    "When the door opened at last, a tall man",
    "She took the letter from the table and",
    "It was a dark night, and the wind",
    "The boy ran through the field until he",
    "On the top of the hill there was",
    "He put down his hat and began to sing:",
    "Every day, the two brothers went to",
    "The garden was full of flowers, and in the middle",
    "When the bell rang, all the children",
    "The doctor looked at the puppy and",
)


def benchmark(*, num_prompts: int = 6, repeats: int = 3, dtype: str = "auto") -> dict[str, Any]:
    """Every ratio of the engine on the bundled pair.

    Args:
        num_prompts: how many of `PROMPTS`.
        repeats: runs of each side per prompt; the fastest counts.
        dtype: of both models, as for `load_pair`.
    """
    torch.set_num_threads(1)
    pair = load_pair("bundled", dtype=dtype)
    asked = [
        Request(make_method("autoregressive"), pair.target, prompt, pair.draft, Sampling(), seed, NUM_TOKENS)
        for seed, prompt in enumerate(PROMPTS[:num_prompts])
    ]
    speculative = make_method("speculative_sampling", {"draft_length": DRAFT_LENGTH})
    drafted = [replace(request, method=speculative) for request in asked]
    return {
        "conditions": {
            "pair": "bundled",
            "dtype": pair.target.facts()["dtype"],
            "device": pair.target.facts()["device"],
            "threads": 1,
            "num_tokens": NUM_TOKENS,
            "num_prompts": len(asked),
            "repeats": repeats,
            "draft_length": DRAFT_LENGTH,
            "temperature": 1.0,
            "statistic": "median over prompts of the ratio of tokens/s, each side's fastest repeat",
        },
        "autoregressive_vs_generate": _compare(asked, _ours, _generate(pair, None), repeats),
        "speculative_vs_assisted": _compare(drafted, _ours, _generate(pair, pair.draft), repeats),
        "speculative_vs_autoregressive": _ratio_of_methods(drafted, asked, repeats),
        "predicted_speed_up": compare_with_prediction(asked, repeats=repeats),
        "tracing_overhead": _tracing(drafted, repeats),
        "outside_models": {name: _outside(name, asked) for name in methods()},
        "tree_cost": _tree_cost(pair),
        "acceptance_ms": milliseconds_by_scheme(),
    }


def _ours(request: Request) -> tuple[float, int]:
    """Seconds and tokens of one run through our loop, prefill included, nothing recorded."""
    started = time.perf_counter()
    num_tokens = sum(len(item.nodes) for item in decode(request) if isinstance(item, Round))
    return time.perf_counter() - started, num_tokens


def _generate(pair: LoadedPair, assistant: Any) -> Callable[[Request], tuple[float, int]]:
    """The same by transformers' generate, with the same draft length and sampling."""
    model = pair.target.model
    config: dict[str, Any] = {}
    if assistant is not None:
        helper = assistant.model
        helper.generation_config.num_assistant_tokens = DRAFT_LENGTH
        helper.generation_config.num_assistant_tokens_schedule = "constant"
        helper.generation_config.assistant_confidence_threshold = 0.0  # else it drafts fewer
        config["assistant_model"] = helper

    def run(request: Request) -> tuple[float, int]:
        ids = torch.tensor([request.prompt_ids])
        torch.manual_seed(request.seed)
        started = time.perf_counter()
        output = model.generate(
            ids,
            attention_mask=torch.ones_like(ids),
            do_sample=True,
            temperature=1.0,
            top_k=0,
            top_p=1.0,
            max_new_tokens=request.max_new_tokens,
            pad_token_id=0,
            **config,
        )
        return time.perf_counter() - started, output.shape[1] - ids.shape[1]

    return run


def _compare(requests: list[Request], ours: Any, theirs: Any, repeats: int) -> dict[str, Any]:
    """Tokens per second of ours over theirs, prompt by prompt, in turn."""
    ratios, our_rates, their_rates = [], [], []
    for run in (ours, theirs):
        run(requests[0])  # warm up
    for request in requests:
        best = {"ours": 0.0, "theirs": 0.0}
        for _ in range(repeats):
            for side, run in (("ours", ours), ("theirs", theirs)):
                seconds, num_tokens = run(request)
                best[side] = max(best[side], num_tokens / seconds)
        ratios.append(best["ours"] / best["theirs"])
        our_rates.append(best["ours"])
        their_rates.append(best["theirs"])
    return {
        "ratio": statistics.median(ratios),
        "lowest": min(ratios),
        "highest": max(ratios),
        "tokens_per_s": statistics.median(our_rates),
        "other_tokens_per_s": statistics.median(their_rates),
    }


def _ratio_of_methods(requests: list[Request], baselines: list[Request], repeats: int) -> dict[str, Any]:
    of = {id(request): baseline for request, baseline in zip(requests, baselines, strict=True)}
    return _compare(requests, _ours, lambda request: _ours(of[id(request)]), repeats)


def _tracing(requests: list[Request], repeats: int) -> dict[str, Any]:
    """What recording adds to a run, as a fraction of prefill and decoding; both read in the same run.

    Two runs of the same request differ by more than this on a shared machine, so they are not compared.
    """
    fractions = []
    for request in requests:
        for _ in range(repeats):
            started = time.perf_counter()
            trace = record.run(request)
            whole = time.perf_counter() - started
            decoding = trace.started.prefill_s + trace.committed[-1].clock_s
            fractions.append(whole / decoding - 1)
    return {"fraction": statistics.median(fractions), "lowest": min(fractions), "highest": max(fractions)}


def _outside(name: str, requests: list[Request]) -> float:
    """Share of the decoding time that is spent in neither model; median over prompts."""
    shares = []
    for request in requests:
        rounds = [item for item in decode(replace(request, method=make_method(name))) if isinstance(item, Round)]
        shares.append(sum(item.other_s for item in rounds) / rounds[-1].clock_s)
    return statistics.median(shares)


def _tree_cost(pair: LoadedPair, context: int = 128, repeats: int = 9) -> dict[str, Any]:
    """Time of one target call on n nodes over that on one node, as chains and as stars behind a cached context."""
    model, costs = pair.target, {}
    for shape in ("chain", "star"):
        seconds = {}
        for size in (1, 2, 4, 8, 16, 32, 64):
            readings = []
            for _ in range(repeats):
                tree = TokenTree(list(range(1, context + 1)))
                model.forward(tree, [context - 1])
                nodes, parent = [], context - 1
                for token in range(size):
                    nodes.append(tree.add(parent, token))
                    parent = nodes[-1] if shape == "chain" else parent
                started = time.perf_counter()
                model.forward(tree, nodes)
                readings.append(time.perf_counter() - started)
            seconds[size] = statistics.median(readings)
        costs[shape] = {str(size): value / seconds[1] for size, value in seconds.items()}
        costs[f"{shape}_one_node_s"] = seconds[1]
    return costs
