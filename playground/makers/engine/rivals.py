"""Ours against others, in turn on the same prompts and seeds: transformers' own decoding, and plain decoding.

Times of different moments do not compare on a shared machine. So the two sides of a ratio take turns, on one thread,
and a ratio is the median over prompts of the ratio of the sides' fastest repeats.
"""

import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch

from playground.decoding.decode import Request, Round, decode
from playground.decoding.method import make_method
from playground.models.loading import LoadedPair
from playground.models.sampling import Sampling

DRAFT_LENGTH = 4
# Sampling options beside greedy decoding would be warned of.
GREEDY: dict[str, object] = {"do_sample": False, "temperature": None, "top_k": None, "top_p": None}


def ours(request: Request) -> tuple[float, int]:
    """Seconds and tokens of one run through our loop, prefill included, nothing recorded."""
    started = time.perf_counter()
    num_tokens = sum(len(item.nodes) for item in decode(request) if isinstance(item, Round))
    return time.perf_counter() - started, num_tokens


Side = Callable[[Request], tuple[float, int]]  # seconds and tokens of one run


def generated(pair: LoadedPair, assistant: Any = None, **config: Any) -> Side:
    """Run transformers' generate with the same draft length; sampling, unless `config` says otherwise."""
    model = pair.target.model
    if assistant is not None:
        helper = assistant.model
        helper.generation_config.num_assistant_tokens = DRAFT_LENGTH
        helper.generation_config.num_assistant_tokens_schedule = "constant"
        helper.generation_config.assistant_confidence_threshold = 0.0  # else it drafts fewer
        config["assistant_model"] = helper

    def run(request: Request) -> tuple[float, int]:
        ids = torch.tensor([request.prompt_ids], device=model.device)
        torch.manual_seed(request.seed)
        started = time.perf_counter()
        output = model.generate(
            ids,
            attention_mask=torch.ones_like(ids),
            **({"do_sample": True, "temperature": 1.0, "top_k": 0, "top_p": 1.0} | config),
            max_new_tokens=request.max_new_tokens,
            pad_token_id=0,
        )
        return time.perf_counter() - started, output.shape[1] - ids.shape[1]

    return run


def beams_against_generate(pair: LoadedPair, requests: list[Request], width: int, repeats: int) -> dict[str, object]:
    """Compare the seconds of beam search, which is deterministic: both write the same tokens."""
    search = make_method("beam_search", {"width": width})
    return compare([replace(each, method=search) for each in requests], best_beam, _beams(pair, width), repeats)


def best_beam(request: Request) -> tuple[float, int]:
    """Seconds of one search of ours, and the tokens of its answer."""
    started = time.perf_counter()
    rounds = [item for item in decode(request) if isinstance(item, Round)]
    seconds, last = time.perf_counter() - started, rounds[-1]
    return seconds, last.tree.depths[last.best] + 1 - len(request.prompt_ids)


def _beams(pair: LoadedPair, width: int) -> Side:
    return generated(pair, **GREEDY, num_beams=width, length_penalty=1.0, early_stopping=False)


def lookup_against_generate(pair: LoadedPair, requests: list[Request], repeats: int) -> dict[str, object]:
    """Prompt lookup, greedily on prompts that are repeated twice, so that there is something to copy."""
    lookup = make_method("prompt_lookup", {"draft_length": DRAFT_LENGTH})
    twice = [
        replace(each, method=lookup, sampling=Sampling(temperature=0), prompt_ids=each.prompt_ids * 2)
        for each in requests
    ]
    theirs = generated(pair, **GREEDY, prompt_lookup_num_tokens=DRAFT_LENGTH, max_matching_ngram_size=3)
    return compare(twice, ours, theirs, repeats)


def compare(requests: list[Request], one: Side, other: Side, repeats: int) -> dict[str, object]:
    """Tokens per second of ours over theirs, prompt by prompt, in turn."""
    for run in (one, other):
        run(requests[0])  # warm up
    rates = []  # (ours, theirs) for each prompt, of the fastest repeat
    for request in requests:
        turns = [
            [num_tokens / seconds for seconds, num_tokens in (one(request), other(request))] for _ in range(repeats)
        ]
        rates.append([max(side) for side in zip(*turns, strict=True)])
    our_rates, their_rates = zip(*rates, strict=True)
    ratios = [ours / theirs for ours, theirs in rates]
    return {
        "ratio": statistics.median(ratios),
        "lowest": min(ratios),
        "highest": max(ratios),
        "tokens_per_s": statistics.median(our_rates),
        "other_tokens_per_s": statistics.median(their_rates),
    }
