"""Every line of the benchmark, in the order they are printed; each is yielded as soon as it is there."""

import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import torch

from playground.decoding.decode import Request
from playground.decoding.method import make_method
from playground.errors import PlaygroundError
from playground.makers.engine import chat, growth, rivals
from playground.makers.engine.enlarged import SIZES, enlarged_pair
from playground.models.language_model import LanguageModel
from playground.models.loading import LoadedPair, Models
from playground.models.machine import machine, versions
from playground.models.sampling import Sampling
from playground.models.sources.placement import Placement

BUNDLED_PAIR = "bundled"
NUM_TOKENS = 64
WIDTHS = (4, 8)  # beams
FEW = 3  # prompts, for prompt lookup

Measurement = tuple[str, str, Callable[[], Any]]  # name, title, and what measures it


@dataclass(frozen=True, slots=True)
class Line:
    """One line.

    Attributes:
        name: of what it measures.
        title: the same for people.
        result: None where it was left out.
    """

    name: str
    title: str
    result: Any


def benchmark(
    *,
    num_prompts: int = 8,
    repeats: int = 2,
    placement: Placement | None = None,
    pair_id: str = BUNDLED_PAIR,
    sizes: tuple[str, str] | None = None,
    only: Collection[str] = (),
    limit_s: float = 300.0,
    about: Callable[[int, int, str], None] = lambda number, total, title: None,
) -> Iterator[Line]:
    """Measure the lines on the bundled pair, on one that is as large as a real one, or on a chat model.

    Args:
        num_prompts: how many of `rivals.PROMPTS` the lines take; prompt lookup FEW at most.
        repeats: runs of each side per prompt; the fastest counts.
        placement: of both models; None: what `find_placement` says.
        pair_id: of the catalog: the bundled pair, or one whose target is a chat model, which has lines of its own.
        sizes: of `enlarged.SIZES`, to which target and draft are enlarged; None: as they are.
        only: names of the lines that are measured; all, where there are none.
        limit_s: no line is started after this many seconds; those that are left come without a result.
        about: called before each line with its number, how many there are, and its title.
    """
    began = time.monotonic()
    torch.set_num_threads(1)
    pair = Models.named(pair_id, placement=placement).load()
    if pair_id != BUNDLED_PAIR:
        requests = chat.chat_requests(pair, num_prompts, chat.NUM_TOKENS)
        yield Line("conditions", "conditions", _chat_conditions(pair, pair_id, len(requests), repeats))
        yield from _measured(chat.measurements(pair, requests, repeats), only, limit_s, began, about)
        return
    if sizes:
        pair = enlarged_pair(pair, *(SIZES[each] for each in sizes))
    plain = [
        Request(make_method("autoregressive"), pair.target, prompt, pair.draft, Sampling(), seed, NUM_TOKENS)
        for seed, prompt in enumerate(rivals.PROMPTS[:num_prompts])
    ]
    speculative = make_method("speculative_sampling", {"draft_length": rivals.DRAFT_LENGTH})
    drafted = [replace(request, method=speculative) for request in plain]
    yield Line("conditions", "conditions", _conditions(pair, num_prompts, repeats, sizes))
    yield from _measured(_measurements(pair, plain, drafted, repeats), only, limit_s, began, about)


def _measured(
    lines: list[Measurement],
    only: Collection[str],
    limit_s: float,
    began: float,
    about: Callable[[int, int, str], None],
) -> Iterator[Line]:
    """Measure these lines in turn, as long as there is time; see `benchmark`."""
    if unknown := sorted(set(only) - {name for name, *_ in lines}):
        raise PlaygroundError(f"No line is called {unknown[0]!r}. Choose from {', '.join(name for name, *_ in lines)}.")
    lines = [line for line in lines if not only or line[0] in only]
    for number, (name, title, measure) in enumerate(lines, 1):
        if time.monotonic() - began > limit_s:
            yield Line(name, title, None)
            continue
        about(number, len(lines), title)
        yield Line(name, title, measure())


def _measurements(pair: LoadedPair, plain: list[Request], drafted: list[Request], repeats: int) -> list[Measurement]:
    """Return the lines on a pair, by requests of plain decoding and of speculative sampling on the same prompts."""
    return [
        (
            "autoregressive_vs_generate",
            "plain decoding, tokens/s over transformers'",
            lambda: rivals.compare(plain, rivals.ours, rivals.generated(pair), repeats),
        ),
        (
            "speculative_vs_assisted",
            "speculative sampling, tokens/s over transformers' assisted decoding",
            lambda: rivals.compare(drafted, rivals.ours, rivals.generated(pair, pair.draft), repeats),
        ),
        *(
            (
                f"beam_search_{width}_vs_generate",
                f"beam search of width {width}, tokens/s over transformers'",
                partial(rivals.beams_against_generate, pair, plain, width, repeats),
            )
            for width in WIDTHS
        ),
        (
            "speculative_vs_autoregressive",
            "speculative sampling, tokens/s over plain decoding",
            lambda: rivals.ratio_of_methods(drafted, plain, repeats),
        ),
        (
            "prompt_lookup_vs_generate",
            "prompt lookup, tokens/s over transformers'",
            lambda: rivals.lookup_against_generate(pair, plain[:FEW], repeats),
        ),
        ("tree_cost", "a target call on n nodes over one on 1", partial(growth.by_tree, pair.target)),
        ("draft_tree_cost", "a draft call on n nodes over one on 1", partial(growth.by_tree, _draft(pair))),
    ]


def _draft(pair: LoadedPair) -> LanguageModel:
    assert isinstance(pair.draft, LanguageModel), "the bundled pair has a draft model"
    return pair.draft


def _chat_conditions(pair: LoadedPair, pair_id: str, num_prompts: int, repeats: int) -> dict[str, Any]:
    return {
        "pair": pair_id,
        "target": pair.target.facts(),
        "draft": pair.draft.facts() if pair.draft else None,
        "machine": machine(),
        "versions": versions(),
        "num_tokens": chat.NUM_TOKENS,
        "num_prompts": num_prompts,
        "repeats": repeats,
        "statistic": "mean over prompts of the ratio of tokens/s without the prefill, each side's fastest repeat; 95 % "
        "bootstrap interval over prompts",
    }


def _conditions(pair: LoadedPair, num_prompts: int, repeats: int, sizes: tuple[str, str] | None) -> dict[str, Any]:
    target = pair.target.facts()
    return {
        "pair": f"bundled, enlarged to {' and '.join(sizes)}" if sizes else "bundled",
        "parameters": [target["parameters"], _draft(pair).num_parameters],
        "dtype": target["dtype"],
        "device": target["device"],
        "forward_pass": target["forward_pass"],
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
