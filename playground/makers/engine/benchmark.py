"""The lines of the benchmark: the engine against others, and how the cost of a call grows with the tree."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, NamedTuple

from playground.bench.prompts import read_prompts
from playground.decoding.decode import Request
from playground.decoding.method import make_method
from playground.makers.engine import growth, rivals
from playground.models.language_model import LanguageModel
from playground.models.loading import LoadedPair
from playground.models.machine import machine, versions
from playground.models.sampling import Sampling

NUM_TOKENS = 64
PROMPTS = "quick"  # the preset
WIDTHS = (4, 8)  # beams
FEW = 3  # prompts, for prompt lookup


class Line(NamedTuple):
    """One line: its name in JSON, its title for people, and what measures it."""

    name: str
    title: str
    measure: Callable[[], Any]


def benchmark_lines(pair: LoadedPair, draft: LanguageModel, num_prompts: int, repeats: int) -> list[Line]:
    """Return the lines on a pair of models, in the order in which they are printed.

    Args:
        num_prompts: how many of the preset the lines take; prompt lookup FEW at most.
        repeats: runs of each side per prompt; the fastest counts.
    """
    alone = make_method("autoregressive")
    plain = [
        Request(alone, pair.target, prompt, draft, Sampling(), seed, NUM_TOKENS)
        for seed, prompt in enumerate(read_prompts(PROMPTS)[:num_prompts])
    ]
    speculative = make_method("speculative_sampling", {"draft_length": rivals.DRAFT_LENGTH})
    drafted = [replace(request, method=speculative) for request in plain]
    return [
        Line(
            "autoregressive_vs_generate",
            "plain decoding, tokens/s over transformers'",
            lambda: rivals.compare(plain, rivals.ours, rivals.generated(pair), repeats),
        ),
        Line(
            "speculative_vs_assisted",
            "speculative sampling, tokens/s over transformers' assisted decoding",
            lambda: rivals.compare(drafted, rivals.ours, rivals.generated(pair, draft), repeats),
        ),
        *(
            Line(
                f"beam_search_{width}_vs_generate",
                f"beam search of width {width}, tokens/s over transformers'",
                partial(rivals.beams_against_generate, pair, plain, width, repeats),
            )
            for width in WIDTHS
        ),
        Line(
            "speculative_vs_autoregressive",
            "speculative sampling, tokens/s over plain decoding",
            lambda: rivals.compare(
                drafted, rivals.ours, lambda request: rivals.ours(replace(request, method=alone)), repeats
            ),
        ),
        Line(
            "prompt_lookup_vs_generate",
            "prompt lookup, tokens/s over transformers'",
            lambda: rivals.lookup_against_generate(pair, plain[:FEW], repeats),
        ),
        Line("tree_cost", "a target call on n nodes over one on 1", lambda: growth.by_tree(pair.target)),
        Line("draft_tree_cost", "a draft call on n nodes over one on 1", lambda: growth.by_tree(draft)),
    ]


def conditions(pair_id: str, target: LanguageModel, draft: LanguageModel, num_prompts: int, repeats: int) -> Any:
    """Return what the lines were measured on, as JSON data."""
    facts = target.facts()
    return {
        "pair": pair_id,
        "parameters": [facts["parameters"], draft.num_parameters],
        "dtype": facts["dtype"],
        "device": facts["device"],
        "forward_pass": facts["forward_pass"],
        "on": f"{datetime.now(UTC):%Y-%m-%d}",
        "machine": machine(),
        "versions": versions(),
        "num_tokens": NUM_TOKENS,
        "num_prompts": num_prompts,
        "repeats": repeats,
        "draft_length": rivals.DRAFT_LENGTH,
        "beam_widths": list(WIDTHS),
        "num_prompts_of_growth": min(FEW, num_prompts),
        "temperature": 1.0,
        "statistic": "median over prompts of the ratio of tokens/s, each side's fastest repeat",
    }
