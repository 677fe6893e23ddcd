"""A page with the player in it, and two hand-written traces small enough to check by hand."""

import json
from collections.abc import Sequence
from typing import Any

from playground.views.modules import styles_of
from tests.browser.empty_page import empty_page

MODEL = {"name": "toy", "parameters": 1000, "layers": 1, "vocab_size": 9, "dtype": "float64", "device": "cpu"}
PIECES = {
    "0": "The",
    "1": " old",
    "2": " house",
    "3": " cat",
    "4": " sat",
    "5": " on",
    "6": "\n",
    "7": " mat",
    "8": ".",
}


def mount_player(page, trace: dict[str, Any] | None = None, *, autoplay: bool = False, dark: bool = False) -> None:
    """Puts the player alone on a page, as `window.p`, with its panel open, and loads the trace."""
    empty_page(page, "player/player.js", "specPlayer", styles_of("shared", "player"), dark=dark)
    page.evaluate(
        """window.p = specPlayer.mount(document.getElementById('host'), {label: 'Test run'});
        p.openPanel(true);
        window.rest = () => p.playhead.reset([])"""
    )
    if trace is not None:
        load(page, trace, autoplay=autoplay)


def load(page, trace: dict[str, Any], *, autoplay: bool = False) -> None:
    """As text, as a file comes: an object is handed over value by value, which takes seconds for a long run."""
    page.evaluate("([text, autoplay]) => p.load(JSON.parse(text), {autoplay})", [json.dumps(trace), autoplay])


def mount_lenses(page, trace: dict[str, Any] | None = None, **how: bool) -> None:
    """The player with its panel turned to the method's rule."""
    mount_player(page, trace, **how)
    open_view(page, "rule")


def open_view(page, name: str) -> None:
    """Turns the panel beside the stage to one of its views."""
    page.evaluate("(name) => p.side.open(name)", name)


def state(page) -> dict[str, Any]:
    return page.evaluate("p.state()")


def goto(page, step: int) -> None:
    page.evaluate("(step) => p.goto(step)", step)


def settle(page) -> None:
    """Whatever glides arrives at once."""
    page.evaluate("p.tree.motion.go(0)")


def rest_at(page, step: int) -> None:
    """Goes to a step, whose picture stands still."""
    goto(page, step)
    settle(page)


def step_of(page, kind: str, round_number: int, nth: int = 0) -> int:
    """Index of the nth step of a kind in a round."""
    found = page.evaluate(
        """([kind, round]) => p.trace.steps
          .filter((step) => step.kind === kind && step.round?.number === round).map((step) => step.index)""",
        [kind, round_number],
    )
    return found[nth]


def picture(page) -> dict[str, Any]:
    """Return what a reader sees: the chips with their states, the text, the totals and the caption.

    At a run's end its whole text stands over the stage, and the one beneath it is hidden.
    """
    return page.evaluate(
        """() => ({
          chips: Array.from(document.querySelectorAll('.sp-nodes > .sp-node')).map((chip) => [
            Number(chip.dataset.id),
            chip.getAttribute('class').match(/sp-is-(\\w+)/)[1],
            chip.querySelector('.sp-piece').textContent]).sort(),
          text: document.querySelector('.sp-end:not([hidden]) .sp-end-text, .sp-run:not(.sp-ended) .sp-text-body')
            .innerText,
          totals: Array.from(document.querySelectorAll('.sp-total dd')).map((cell) => cell.textContent),
          caption: document.querySelector('.sp-caption').textContent,
        })"""
    )


# -- traces ----------------------------------------------------------------------------------------------------------


def run_started(**changes: Any) -> dict[str, Any]:
    return {
        "event": "run_started", "method": "speculative_sampling", "title": "Speculative sampling", "lossless": True,
        "reproduces": "target sampling", "tests": "draws", "options": {"draft_length": 2},
        "sampling": {"temperature": 1.0, "top_k": 0, "top_p": 1.0}, "seed": 7, "max_new_tokens": 5, "target": MODEL,
        "draft": MODEL, "prompt": "The old house", "prompt_ids": [0, 1, 2], "frontier": [2], "pieces": PIECES,
        "prefill_s": 0.5, "machine": {"processor": "toy"}, "versions": {}, "created": "2026-11-20T00:00:00Z",
    } | changes  # fmt: skip


def drafted(round_: int, layer: int, parents: list, nodes: list, tokens: list, probs: list) -> dict[str, Any]:
    return {
        "event": "drafted", "round": round_, "depth": layer, "parents": parents, "nodes": nodes, "tokens": tokens,
        "draft_probs": probs, "seconds": 0.001, "pieces": {},
    }  # fmt: skip


def scored(round_: int, nodes: list, fed: list, cached: int, mask: list | None, **changes: Any) -> dict[str, Any]:
    return {
        "event": "scored", "round": round_, "nodes": nodes, "overlaps": [0.5] * len(nodes),
        "alternatives": [[[3, 0.6, 0.5], [5, 0.3, 0.1], [8, 0.1, 0.4]]] * len(nodes), "fed": fed, "num_cached": cached,
        "columns": fed, "mask": mask, "seconds": 0.01, "pieces": {},
    } | changes  # fmt: skip


def judged(round_: int, *rows: tuple, workings: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
    """Rows of (node, outcome, p, q, acceptance probability, coin, reason)."""
    names = ["nodes", "outcomes", "target_probs", "draft_probs", "accept_probs", "uniforms", "reasons"]
    columns = {name: [row[i] for row in rows] for i, name in enumerate(names)}
    return {"event": "verified", "round": round_, **columns, "workings": list(workings)}


def committed(round_: int, nodes: list, tokens: list, origins: list, clock_s: float, **changes: Any) -> dict[str, Any]:
    return {
        "event": "committed", "round": round_, "nodes": nodes, "tokens": tokens, "origins": origins,
        "log_probs": [-1.0] * len(nodes), "extra_prob": 0.25, "text": "".join(PIECES[str(token)] for token in tokens),
        "frontier": nodes[-1:], "draft_s": 0.01, "verify_s": 0.02, "other_s": 0.0, "clock_s": clock_s, "pieces": {},
    } | changes  # fmt: skip


def run_finished(num_tokens: int, rounds: int, **changes: Any) -> dict[str, Any]:
    return {
        "event": "run_finished", "finish_reason": "length", "text": "", "num_tokens": num_tokens, "rounds": rounds,
        "target_calls": rounds, "draft_calls": 4, "num_drafted": 4, "num_tested": 4, "num_accepted": 3, "draft_s": 0.02,
        "verify_s": 0.04, "other_s": 0.0, "perplexity": 2.0, "peak_cache_bytes": 0, "energy": {},
    } | changes  # fmt: skip


def trace_of(*events: dict[str, Any]) -> dict[str, Any]:
    return {"format": "speculative-decoding-trace", "version": 3, "events": list(events)}


def chain_trace() -> dict[str, Any]:
    """Two rounds of two drafts: one accepted and corrected, then both accepted and a bonus. 5 tokens in 0.25 s."""
    return trace_of(
        run_started(),
        drafted(1, 1, [2], [3], [3], [0.5]),
        drafted(1, 2, [3], [4], [4], [0.8]),
        scored(1, [2, 3, 4], [2, 3, 4], 2, ["100", "110", "111"]),
        judged(
            1,
            (3, "accepted", 0.6, 0.5, 1.0, 0.4, "p exceeds q."),
            (4, "rejected", 0.2, 0.8, 0.25, 0.9, "The coin is too high."),
            workings=[{"kind": "speculative", "tested": 2}],
        ),
        committed(1, [3, 5], [3, 5], ["accepted", "correction"], 0.1),
        drafted(2, 1, [5], [6], [6], [0.4]),
        drafted(2, 2, [6], [7], [7], [0.4]),
        scored(2, [5, 6, 7], [5, 6, 7], 4, None),
        judged(
            2, (6, "accepted", 0.4, 0.4, 1.0, 0.1, "p equals q."), (7, "accepted", 0.4, 0.4, 1.0, 0.2, "p equals q.")
        ),
        committed(2, [6, 7, 8], [6, 7, 8], ["accepted", "accepted", "bonus"], 0.25),
        run_finished(5, 2),
    )


def tree_trace() -> dict[str, Any]:
    """One round: three draws at the frontier, two of them equal, and a second depth under each of the two nodes."""
    return trace_of(
        run_started(method="specinfer", title="SpecInfer", lossless=False, reproduces="none"),
        drafted(1, 1, [2, 2, 2], [3, 3, 4], [3, 3, 5], [0.5, 0.5, 0.1]),
        drafted(1, 2, [3, 4], [5, 6], [4, 7], [0.7, 0.9]),
        scored(1, [2, 3, 4, 5, 6], [2, 3, 4, 5, 6], 2, ["10000", "11000", "10100", "11010", "10101"]),
        judged(
            1,
            (3, "rejected", 0.1, 0.5, 0.2, 0.5, "First draw refused."),
            (3, "rejected", 0.0, 0.5, 0.0, 0.3, "Second draw refused."),
            (4, "accepted", 0.3, 0.1, 1.0, 0.6, "Taken."),
            (6, "rejected", 0.2, 0.9, 0.22, 0.8, "Refused."),
            (5, "not_tested", None, 0.7, None, None, "Its parent was not accepted."),
        ),
        committed(1, [4, 7], [5, 8], ["accepted", "correction"], 0.05),
        run_finished(2, 1),
    )
