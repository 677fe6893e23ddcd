"""Traces for the lenses: runs of toy models through the real recorder, a few written by hand for one rule each.

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
from tests.browser.player_harness import chain_trace, committed, drafted, judged, run_started, scored, trace_of
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


def mtad_trace() -> dict[str, Any]:
    """Joint ratios 1, 0.4, 0.8, 0.16 against tau = 0.5: the second prefix fails, the third passes: three are kept.

    They are of the models' own probabilities; those of the verdicts come after temperature.
    """
    probs = [(0.6, 0.3), (0.2, 0.5), (0.8, 0.4), (0.2, 0.5)]
    nodes = [3, 4, 5, 6]
    outcomes = ["accepted", "accepted", "accepted", "rejected"]
    rows = [
        (node, outcome, p, q, float(outcome == "accepted"), None, "Judged.")
        for node, outcome, (p, q) in zip(nodes, outcomes, probs, strict=True)
    ]
    return trace_of(
        run_started(method="mtad", title="MTAD", lossless=False, reproduces="none", options={"tau": 0.5}),
        *(drafted(1, i + 1, [node - 1], [node], [3], [probs[i][1]]) for i, node in enumerate(nodes)),
        scored(1, [2, *nodes], [2, *nodes], 2, None),
        judged(1, *rows, workings=[{"kind": "joint", "tau": 0.5, "ratios": [1.0, 0.4, 0.8, 0.16]}]),
        committed(1, [3, 4, 5, 7], [3, 3, 3, 5], ["accepted"] * 3 + ["correction"], 0.1),
    )


def beam_width_trace(**changes: Any) -> dict[str, Any]:
    """One depth of four draws, a width of two: P(4, k) = .1 .2 .4 .2 .1, so two are reached with .7, three are not."""
    working = {
        "kind": "beam_width", "depth": 1, "num_draws": 4, "rates": [0.5, 0.4, 0.3, 0.2],
        "probabilities": [0.1, 0.2, 0.4, 0.2, 0.1], "threshold": 0.7, "min_width": 1, "reached": 2, "width": 2,
        "accepted": 2,
    } | changes  # fmt: skip
    verdict = judged(
        1,
        (3, "accepted", 0.6, 0.5, 1.0, 0.4, "Taken."),
        (4, "rejected", 0.2, 0.8, 0.25, 0.9, "Refused."),
        (5, "accepted", 0.6, 0.5, 1.0, 0.4, "Taken."),
        (6, "not_tested", None, 0.5, None, None, "Enough."),
    )
    return trace_of(
        run_started(method="dsbd", title="DSBD", reproduces="i.i.d. beam sampling"),
        drafted(1, 1, [2] * 4, [3, 4, 5, 6], [3, 4, 5, 6], [0.5, 0.8, 0.5, 0.5]),
        scored(1, [2], [2], 2, None, alternatives=[[]], overlaps=[None]),
        verdict | {"workings": [working]},
        committed(
            1, [3, 5], [3, 5], ["accepted", "accepted"], 0.1,
            extra_prob=None, parents=[2, 2], frontier=[3, 5], frontier_log_probs=[-1.0, -2.0], best=3, kept=0,
            text=" cat",
        ),
    )  # fmt: skip


def atspeed_trace() -> dict[str, Any]:
    """Width 2, two steps: both best were drafted in the first, one of two in the second."""
    return trace_of(
        run_started(method="atspeed_strict", title="AtSpeed (strict)", reproduces="beam search"),
        drafted(1, 1, [2, 2, 2], [3, 4, 5], [3, 4, 5], [1.0] * 3),
        drafted(1, 2, [3, 4, 5], [6, 7, 8], [5, 7, 3], [1.0] * 3),
        scored(1, [2, 3, 4, 5], [2, 3, 4, 5], 2, None, alternatives=[[]] * 4, overlaps=[None] * 4),
        judged(
            1,
            (3, "accepted", 0.6, 1.0, 1.0, None, "Among the best."),
            (4, "accepted", 0.3, 1.0, 1.0, None, "Among the best."),
            (5, "rejected", 0.1, 1.0, 0.0, None, "Not among them."),
            (6, "accepted", 0.5, 1.0, 1.0, None, "Among the best."),
            (7, "rejected", 0.2, 1.0, 0.0, None, "Not among them."),
            (8, "not_tested", None, 1.0, None, None, "Its beam was not kept."),
            workings=[{"kind": "top_set", "width": 2}],
        ),
        committed(
            1, [3, 6, 9], [3, 5, 8], ["accepted", "accepted", "correction"], 0.1, log_probs=[-0.51, -0.69, -0.92],
            extra_prob=None, parents=[2, 3, 3], frontier=[6, 9], frontier_log_probs=[-1.2, -1.43], best=6, kept=0,
            text=" cat on",
        ),
    )  # fmt: skip


def braid_trace() -> dict[str, Any]:
    """Two beams, three steps: the second of step 1 leads from step 2 on, the first of step 1 finds no continuation."""

    def step(number: int, parents: list, nodes: list, tokens: list, scores: list) -> tuple:
        before = [2] if number == 1 else parents
        return (
            scored(number, sorted(set(before)), sorted(set(before)), 1 + number, None,
                   alternatives=[[]] * len(set(before)), overlaps=[None] * len(set(before))),
            judged(number),
            committed(number, nodes, tokens, ["plain"] * 2, 0.1 * number, extra_prob=None, parents=parents,
                      frontier=nodes, frontier_log_probs=scores, best=nodes[0], kept=0, text="x"),
        )  # fmt: skip

    return trace_of(
        run_started(draft=None, method="beam_search", title="Beam search", reproduces="beam search"),
        *step(1, [2, 2], [3, 4], [3, 4], [-1.0, -1.5]),
        *step(2, [4, 4], [5, 6], [5, 7], [-2.5, -2.75]),
        *step(3, [6, 5], [7, 8], [8, 8], [-3.0, -3.25]),
    )


def hostile_workings() -> dict[str, Any]:
    """Return values in place of workings; each must be left out, and counted unless no lens knows its kind."""
    k_seq = {"kind": "k_seq", "node": 2, "num_draws": 2, "factor": 1.5, "one": 0.4, "all": 0.6}
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
        "widths without end": beam_width_trace(width=10**9)["events"][3]["workings"],
        "chances of the wrong number": beam_width_trace(probabilities=[1.0])["events"][3]["workings"],
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
