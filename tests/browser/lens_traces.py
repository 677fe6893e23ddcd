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


WORKINGS = {  # kind -> a method whose runs have it
    "k_seq": "spectr",
    "recursive": "rsd_s",
    "importance": "importance_sampling",
    "beam_width": "dsbd",
    "sequoia": "sequoia",
    "joint_search": "mtjd",
    "relaxed": "atspeed_relaxed",
}
DAMAGES = (
    ("k_seq", {"node": 2.5}),
    ("k_seq", {"node": 99}),
    ("k_seq", {"factor": "<img src=x onerror=alert(1)>"}),
    ("k_seq", {"factor": None}),
    ("k_seq", {"one": 1e999}),
    ("k_seq", {"all": 7}),
    ("k_seq", {"num_draws": 1e300}),
    ("recursive", {"tokens": [3] * 100_000}),
    ("recursive", {"residuals": {"0": 1}}),
    ("recursive", {"residuals": [[0.5], [0.1, 0.6, 0.3]]}),
    ("recursive", {"residuals": [[0.5, 0.3, 0.2]] * 9}),
    ("recursive", {"offers": [[[0.4], 0.1, 0.5]]}),
    ("beam_width", {"width": 10**9}),
    ("beam_width", {"probabilities": [1.0]}),
    ("joint_search", {"length": 10**6}),
    ("sequoia", {"passed": [5.0]}),
    ("relaxed", {"width": "2"}),
    ("importance", {"selected": 9}),
)


def whole_workings() -> dict[str, dict[str, Any]]:
    """A recorded working of each kind, at a node of the harness's chain."""
    workings = {kind: working(recorded(method), kind)[1] for kind, method in WORKINGS.items()}
    return {kind: each | ({"node": 2} if "node" in each else {}) for kind, each in workings.items()}


def hostile_workings() -> dict[str, Any]:
    """Return values in place of workings; each must be left out, and counted unless no lens knows its kind."""
    whole = whole_workings()
    damaged = {f"{kind} {str(fields)[:60]}": [whole[kind] | fields] for kind, fields in DAMAGES}
    lacking = {name: value for name, value in whole["k_seq"].items() if name != "all"}
    return damaged | {
        "not a list": "workings",
        "a text in the list": ["k_seq"],
        "null in the list": [None],
        "no kind": [{"node": 2}],
        "a missing field": [lacking],
    }


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
