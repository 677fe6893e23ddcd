"""Every line of the benchmark, in the order they are printed; each is yielded as soon as it is there."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
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
FEW = 3  # prompts, for the lines that say how something grows

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


@dataclass(frozen=True, slots=True)
class Runs:
    """The requests that the lines compare.

    Attributes:
        plain: plain decoding, a prompt each.
        drafted: speculative sampling on the same prompts.
        repeats: runs of each side per prompt; the fastest counts.
    """

    pair: LoadedPair
    plain: list[Request]
    drafted: list[Request]
    repeats: int

    @property
    def few(self) -> list[Request]:
        """Plain decoding on the prompts of the lines that say how something grows."""
        return self.plain[:FEW]


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
        num_prompts: how many of `rivals.PROMPTS` the lines that compare with others take; the rest takes FEW at most.
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
    runs = Runs(pair, plain, [replace(request, method=speculative) for request in plain], repeats)
    yield Line("conditions", "conditions", _conditions(runs, sizes))
    lines = [*_against_others(runs), *_of_our_own(runs), *_growth(runs)]
    lines += [] if sizes else _of_the_bundled_pair(runs)
    yield from _measured(lines, only, limit_s, began, about)


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


def _against_others(runs: Runs) -> list[Measurement]:
    """Tokens/s over transformers' own decoding."""
    pair, repeats = runs.pair, runs.repeats
    return [
        (
            "autoregressive_vs_generate",
            "plain decoding, tokens/s over transformers'",
            lambda: rivals.compare(runs.plain, rivals.ours, rivals.generated(pair), repeats),
        ),
        (
            "speculative_vs_assisted",
            "speculative sampling, tokens/s over transformers' assisted decoding",
            lambda: rivals.compare(runs.drafted, rivals.ours, rivals.generated(pair, pair.draft), repeats),
        ),
        *(
            (
                f"beam_search_{width}_vs_generate",
                f"beam search of width {width}, tokens/s over transformers'",
                lambda width=width: rivals.beams_against_generate(pair, runs.plain, width, repeats),
            )
            for width in WIDTHS
        ),
    ]


def _of_our_own(runs: Runs) -> list[Measurement]:
    """Return recording, methods, prompt lookup and passes, each relative to another."""
    repeats = runs.repeats
    return [
        ("tracing_overhead", "what recording adds", lambda: rivals.tracing(runs.drafted, repeats)),
        (
            "speculative_vs_autoregressive",
            "speculative sampling, tokens/s over plain decoding",
            lambda: rivals.ratio_of_methods(runs.drafted, runs.plain, repeats),
        ),
        (
            "prompt_lookup_vs_generate",
            "prompt lookup, tokens/s over transformers'",
            lambda: rivals.lookup_against_generate(runs.pair, runs.few, repeats),
        ),
        (
            "replayed_vs_lean",
            "plain decoding, tokens/s by the lean pass in CUDA graphs over the lean pass",
            lambda: rivals.replayed_against_lean(runs.few, repeats),
        ),
        (
            "parts_of_a_round",
            "milliseconds of a round, by its parts",
            lambda: {
                "autoregressive": rivals.parts_of_a_round(runs.few, repeats),
                "speculative_sampling": rivals.parts_of_a_round(runs.drafted[:FEW], repeats),
            },
        ),
        (
            "joules_per_token",
            "joules a token by this machine's counter, of plain decoding and of speculative sampling",
            lambda: rivals.joules_per_token(runs.few, runs.drafted[:FEW]),
        ),
    ]


def _growth(runs: Runs) -> list[Measurement]:
    """Growth of a call, and what follows from it."""
    pair, repeats, few = runs.pair, runs.repeats, runs.few
    return [
        (
            "roofline",
            "plain decoding, and reading as many bytes as the weights have",
            lambda: growth.roofline(few, repeats),
        ),
        ("tree_cost", "a target call on n nodes over one on 1", lambda: growth.by_tree(pair.target)),
    ]


def _of_the_bundled_pair(runs: Runs) -> list[Measurement]:
    """Return the number formats on a processor."""
    return [
        (
            "halved_vs_whole",
            "weights in 16 bits, tokens/s over those with weights in 32",
            lambda: rivals.halved_against_whole(runs.few, runs.drafted[:FEW], runs.repeats),
        ),
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


def _conditions(runs: Runs, sizes: tuple[str, str] | None) -> dict[str, Any]:
    target = runs.pair.target.facts()
    return {
        "pair": f"bundled, enlarged to {' and '.join(sizes)}" if sizes else "bundled",
        "parameters": [target["parameters"], _draft(runs.pair).num_parameters],
        "dtype": target["dtype"],
        "device": target["device"],
        "forward_pass": target["forward_pass"],
        "machine": machine(),
        "versions": versions(),
        "num_tokens": NUM_TOKENS,
        "num_prompts": len(runs.plain),
        "repeats": runs.repeats,
        "draft_length": rivals.DRAFT_LENGTH,
        "beam_widths": list(WIDTHS),
        "num_prompts_of_growth": len(runs.few),
        "temperature": 1.0,
        "statistic": "median over prompts of the ratio of tokens/s, each side's fastest repeat",
    }
