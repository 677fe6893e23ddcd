"""Two small traces written by hand, for any test that needs a run without running a model.

`speculative_trace` has a round with a rejection and its correction token, then a round where everything is accepted
and a bonus token follows. `autoregressive_trace` drafts nothing. Both obey playground/trace/invariants.py, and every
number can be recomputed with a pencil: the first rejection, p = (.1, .45, .45) and q = (.4, .2, .4), leaves
max(0, p - q) = (0, .25, .05), so the correction " up" had probability .25 / .3.
"""

import dataclasses
import math
from typing import Any

import msgspec

from playground.trace.events import Committed, Drafted, RunFinished, RunStarted, Scored, Trace, Verified

MODEL = {"name": "toy-target", "parameters": 1000, "layers": 2, "vocab_size": 16, "dtype": "float64", "device": "cpu"}


def replace(record: Any, **changes: Any) -> Any:
    """The record, an event or a dataclass, with these fields changed."""
    changed = msgspec.structs.replace if isinstance(record, msgspec.Struct) else dataclasses.replace
    return changed(record, **changes)


def speculative_trace() -> Trace:
    """'The cat' + ' sat' (accepted) ' up' (correction) ' and' ' looked' (accepted) '.' (bonus)."""
    return Trace(
        (
            _started("speculative_sampling", "Speculative sampling", {"draft_length": 2}, max_new_tokens=5, draft=True),
            Drafted(1, 1, [1], [2], [5], [0.5], 0.002, {"5": " sat"}),
            Drafted(1, 2, [2], [3], [6], [0.4], 0.002, {"6": " on"}),
            Scored(
                round=1,
                nodes=[1, 2, 3],
                overlaps=[0.9, 0.7, None],
                alternatives=[
                    [[5, 0.6, 0.5], [6, 0.3, 0.3], [7, 0.1, 0.2]],
                    [[7, 0.45, 0.2], [8, 0.45, 0.4], [6, 0.1, 0.4]],
                    [[7, 0.5, None], [8, 0.5, None]],
                ],
                fed=[1, 2, 3],
                num_cached=1,
                columns=[1, 2, 3],
                mask=["100", "110", "111"],
                seconds=0.01,
                pieces={"7": " up", "8": " and"},
            ),
            Verified(
                round=1,
                nodes=[2, 3],
                outcomes=["accepted", "rejected"],
                target_probs=[0.6, 0.1],
                draft_probs=[0.5, 0.4],
                accept_probs=[1.0, 0.25],
                uniforms=[0.37, 0.81],
                reasons=["The target likes it at least as much as the draft.", "The coin 0.81 is not below 0.25."],
            ),
            Committed(
                round=1,
                nodes=[2, 4],
                tokens=[5, 7],
                origins=["accepted", "correction"],
                log_probs=[math.log(0.6), math.log(0.45)],
                extra_prob=0.25 / 0.3,
                text=" sat up",
                frontier=[4],
                draft_s=0.004,
                verify_s=0.01,
                other_s=0.001,
                clock_s=0.015,
                pieces={},
            ),
            Drafted(2, 1, [4], [5], [8], [0.5], 0.002, {}),
            Drafted(2, 2, [5], [6], [9], [0.25], 0.002, {"9": " looked"}),
            Scored(
                round=2,
                nodes=[4, 5, 6],
                overlaps=[0.9, 0.75, None],
                alternatives=[
                    [[6, 0.6, 0.5], [8, 0.4, 0.5]],
                    [[9, 0.5, 0.25], [6, 0.5, 0.75]],
                    [[10, 0.7, None], [8, 0.3, None]],
                ],
                fed=[4, 5, 6],
                num_cached=3,
                columns=[4, 5, 6],
                mask=["100", "110", "111"],
                seconds=0.01,
                pieces={"10": "."},
            ),
            Verified(
                round=2,
                nodes=[5, 6],
                outcomes=["accepted", "accepted"],
                target_probs=[0.4, 0.5],
                draft_probs=[0.5, 0.25],
                accept_probs=[0.8, 1.0],
                uniforms=[0.12, 0.9],
                reasons=["The coin 0.12 is below 0.8.", "The target likes it at least as much as the draft."],
            ),
            Committed(
                round=2,
                nodes=[5, 6, 7],
                tokens=[8, 9, 10],
                origins=["accepted", "accepted", "bonus"],
                log_probs=[math.log(0.4), math.log(0.5), math.log(0.7)],
                extra_prob=0.7,
                text=" and looked.",
                frontier=[7],
                draft_s=0.004,
                verify_s=0.01,
                other_s=0.002,
                clock_s=0.031,
                pieces={},
            ),
            RunFinished(
                finish_reason="length",
                text=" sat up and looked.",
                num_tokens=5,
                rounds=2,
                target_calls=2,
                draft_calls=4,
                num_drafted=4,
                num_tested=4,
                num_accepted=3,
                draft_s=0.008,
                verify_s=0.02,
                other_s=0.003,
                perplexity=(0.6 * 0.45 * 0.4 * 0.5 * 0.7) ** (-1 / 5),
                peak_cache_bytes=4096,
                energy={"joules": None, "source": None, "reason": "no sensor"},
            ),
        )
    )


def autoregressive_trace() -> Trace:
    """'The cat' + ' sat' '.': one plain token per target call, then the end-of-text token stops the run."""
    return Trace(
        (
            _started("autoregressive", "Autoregressive", {}, max_new_tokens=8, draft=False),
            *_plain_round(1, node=2, token=5, prob=0.6, text=" sat", clock_s=0.011, pieces={"5": " sat"}),
            *_plain_round(2, node=3, token=10, prob=0.5, text=".", clock_s=0.022, pieces={"10": "."}),
            *_plain_round(3, node=4, token=0, prob=0.8, text="", clock_s=0.033, pieces={"0": "<|endoftext|>"}),
            RunFinished(
                finish_reason="eos",
                text=" sat.",
                num_tokens=3,
                rounds=3,
                target_calls=3,
                draft_calls=0,
                num_drafted=0,
                num_tested=0,
                num_accepted=0,
                draft_s=0.0,
                verify_s=0.03,
                other_s=0.003,
                perplexity=(0.6 * 0.5 * 0.8) ** (-1 / 3),
                peak_cache_bytes=2048,
                energy={"joules": None, "source": None, "reason": "no sensor"},
            ),
        )
    )


def _started(method: str, title: str, options: dict, *, max_new_tokens: int, draft: bool) -> RunStarted:
    return RunStarted(
        method=method,
        title=title,
        lossless=True,
        reproduces="target sampling",
        options=options,
        sampling={"temperature": 1.0, "top_k": 0, "top_p": 1.0},
        seed=7,
        max_new_tokens=max_new_tokens,
        target=dict(MODEL),
        draft={**MODEL, "name": "toy-draft", "parameters": 100} if draft else None,
        prompt="The cat",
        prompt_ids=[1, 2],
        frontier=[1],
        pieces={"1": "The", "2": " cat"},
        prefill_s=0.005,
        machine={"processor": "abacus", "threads": 1, "gpu": None},
        versions={"python": "3.11"},
        created="2025-01-01T00:00:00Z",
        tests="draws",
    )


def _plain_round(
    number: int, *, node: int, token: int, prob: float, text: str, clock_s: float, pieces: dict[str, str]
) -> tuple[Scored, Verified, Committed]:
    above = node - 1
    return (
        Scored(
            round=number,
            nodes=[above],
            overlaps=[None],
            alternatives=[[[token, prob, None]]],
            fed=[above],
            num_cached=above,
            columns=[above],
            mask=["1"],
            seconds=0.01,
            pieces=pieces,
        ),
        Verified(number, [], [], [], [], [], [], []),
        Committed(
            round=number,
            nodes=[node],
            tokens=[token],
            origins=["plain"],
            log_probs=[math.log(prob)],
            extra_prob=prob,
            text=text,
            frontier=[node],
            draft_s=0.0,
            verify_s=0.01,
            other_s=0.001,
            clock_s=clock_s,
            pieces={},
        ),
    )
