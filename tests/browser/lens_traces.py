"""Traces for the lenses: runs of toy models through the real recorder.

And what a page says of its lenses.
"""

import json
from functools import cache
from typing import Any

from playground.decoding.method import make_method
from playground.decoding.record import run
from playground.models.bundled import BLOCK_CONFIDENCE
from playground.models.drafters.early_exit import EarlyExit
from playground.models.table_model import TableModel
from playground.trace.storage import event_to_dict
from tests.browser.player_harness import chain_trace, trace_of
from tests.decoding import runs
from tests.models.small import random_model
from tests.models.test_block import block_of

TARGET = TableModel.random(9, order=2, seed=0)
DRAFT = TableModel.random(9, order=1, seed=1)


def recorded(method: str, length: int = 16, seed: int = 0, **options: Any) -> dict[str, Any]:
    """A toy run as a player reads it; decoded once, and a test may change its own."""
    return json.loads(_recorded(method, length, seed, tuple(options.items())))


@cache
def _recorded(method: str, length: int, seed: int, options: tuple[tuple[str, Any], ...]) -> str:
    asked = runs.request(make_method(method, dict(options)), target=TARGET, draft=DRAFT, seed=seed, length=length)
    return json.dumps(trace_of(*(event_to_dict(event) for event in runs.trace_of(asked).events)))


def layers_trace() -> dict[str, Any]:
    """A toy target that is left after two of its three layers, and what each of them says."""
    target = random_model("llama", 1, lean=True)
    asked = runs.request(
        make_method("speculative_sampling"), target=target, draft=EarlyExit(target, 2), prompt=(5, 7, 11), length=12
    )
    return trace_of(*(event_to_dict(event) for event in run(asked, layers=True).events))


def block_trace(word: str = BLOCK_CONFIDENCE, **options: Any) -> dict[str, Any]:
    """A toy target whose block drafter drafts chains of at most four tokens, as far as its confidence goes."""
    target = random_model("llama", 1, lean=True)
    method = make_method("speculative_sampling", options)
    asked = runs.request(method, target=target, draft=block_of(target, word), prompt=(5, 7, 11), length=16)
    return trace_of(*(event_to_dict(event) for event in runs.trace_of(asked).events))


def hostile_workings() -> dict[str, Any]:
    """Return values in place of workings; each must be left out, and counted unless no lens knows its kind."""
    k_seq = {"kind": "k_seq", "node": 2, "num_draws": 2, "factor": 1.5, "one": 0.4, "all": 0.6}
    _, width = working(recorded("dsbd"), "beam_width")
    recursive = {
        "kind": "recursive", "node": 2, "tokens": [3, 5], "draws": [3], "rests": [[0.5, 0.3, 0.2], [0.1, 0.6, 0.3]],
        "offers": [[0.4, 0.1, 0.5]],
    }  # fmt: skip
    return {
        "not a list": "workings",
        "a text in the list": ["k_seq"],
        "null in the list": [None],
        "no kind": [{"node": 2}],
        "a number where a node should be": [k_seq | {"node": 2.5}],
        "a node nobody introduced": [k_seq | {"node": 99}],
        "a text where a number should be": [k_seq | {"factor": "<img src=x onerror=alert(1)>"}],
        "a number that is none": [k_seq | {"factor": None}],
        "an infinite number": [k_seq | {"one": 1e999}],
        "a probability above 1": [k_seq | {"all": 7}],
        "a missing field": [{"kind": "k_seq", "node": 2}],
        "a huge list": [recursive | {"tokens": [3] * 100_000}],
        "rows of the wrong length": [recursive | {"rests": [[0.5], [0.1, 0.6, 0.3]]}],
        "rows that are no rows": [recursive | {"rests": {"0": 1}}],
        "a list too deep": [recursive | {"offers": [[[0.4], 0.1, 0.5]]}],
        "more rests than draws": [recursive | {"rests": [[0.5, 0.3, 0.2]] * 9}],
        "widths without end": [width | {"width": 10**9}],
        "chances of the wrong number": [width | {"probabilities": [1.0]}],
        "a count beyond all counts": [k_seq | {"num_draws": 1e300}],
        "a block without end": [
            {"kind": "joint_search", "depth": 1, "length": 10**6, "width": 1, "num_candidates": 5, "log_prob": -1.0,
             "exact": True, "drawn": False}
        ],
        "more passes than tests": [
            {"kind": "sequoia", "node": 2, "acceptance": [0.5], "expected": 2.0, "tested": [1], "passed": [5.0]}
        ],
        "a width that is not a number": [
            {"kind": "relaxed", "depth": 1, "num_draws": 4, "width": "2", "accepted": 1, "rate": 0.5, "whole": 0.5,
             "share": 0.5, "distance": None}
        ],
        "a selected draw that is not there": [
            {"kind": "importance", "node": 2, "tokens": [3], "target": [0.5, 0.5], "draft": [0.5, 0.5],
             "law": [0.5, 0.5], "draws": [3], "selected": 4, "chances": [1.0], "one": 0.5, "all": 0.5}
        ],
    }  # fmt: skip


def with_workings(workings: Any, **started: Any) -> dict[str, Any]:
    """The chain of the harness with these workings in its first round."""
    trace = chain_trace()
    trace["events"][0] |= started
    trace["events"][4] |= {"workings": workings}
    return trace


# -- what the page shows ---------------------------------------------------------------------------------------------


def shown(page) -> list[str]:
    return page.evaluate("Array.from(document.querySelectorAll('.sp-lens'), (panel) => panel.dataset.lens)")


def sentence(page, lens: str) -> str:
    return page.locator(f"[data-lens={lens}] .sp-lens-sentence").inner_text()


def working(trace, kind: str) -> tuple[int, dict]:
    """The round and the fields of the first working of a kind."""
    return next(
        (event["round"], working)
        for event in trace["events"]
        for working in event.get("workings", [])
        if working["kind"] == kind
    )
