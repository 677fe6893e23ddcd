import json

import pytest

from playground.metrics.energy import energy
from playground.metrics.speed import speed
from playground.metrics.summary import summarise
from playground.trace.events import Trace
from tests.metrics.traces import empty_trace, interrupted_trace
from tests.trace.example import autoregressive_trace, speculative_trace


def test_the_empty_trace_has_counts_of_zero_and_no_ratios():
    summary = summarise(empty_trace())
    assert [name for name, value in summary.items() if value is None] == [
        "acceptance_per_position", "acceptance_per_draw", "draft_efficiency", "block_efficiency", "tokens_per_s",
        "perplexity", "peak_cache_bytes", "finish_reason",
    ]  # fmt: skip
    zeros = ("num_tokens", "rounds", "target_calls", "draft_calls", "seconds", "draft_s", "verify_s", "other_s")
    assert [name for name, value in summary.items() if value == 0] == list(zeros)
    assert summary["prefill_s"] == 0.005 and summary["energy"] == energy(empty_trace())
    assert summary["vllm"] == {
        "num_drafts": 0, "num_draft_tokens": 0, "num_accepted_tokens": 0, "num_accepted_tokens_per_pos": [],
        "mean_acceptance_length": None,
    }  # fmt: skip


def test_the_example_in_full():
    summary = summarise(speculative_trace())
    assert {name: value for name, value in summary.items() if not isinstance(value, float)} == {
        "method": "speculative_sampling",
        "text": " sat up and looked.",
        "token_ids": [5, 7, 8, 9, 10],
        "num_tokens": 5,
        "rounds": 2,
        "target_calls": 2,
        "draft_calls": 4,
        "energy": energy(speculative_trace()),
        "peak_cache_bytes": 4096,
        "options": {"draft_length": 2},
        "seed": 7,
        "finish_reason": "length",
        "vllm": {  # two rounds of two drafts: two accepted, then one
            "num_drafts": 2,
            "num_draft_tokens": 4,
            "num_accepted_tokens": 3,
            "num_accepted_tokens_per_pos": [2, 1],
            "mean_acceptance_length": 2.5,
        },
    }
    assert {name: value for name, value in summary.items() if isinstance(value, float)} == pytest.approx(
        {
            "acceptance_per_position": 0.75,
            "acceptance_per_draw": 0.75,
            "draft_efficiency": 0.75,
            "block_efficiency": 2.5,
            "seconds": 0.031,
            "prefill_s": 0.005,
            "draft_s": 0.008,
            "verify_s": 0.02,
            "other_s": 0.003,
            "tokens_per_s": 5 / 0.031,
            "perplexity": (0.6 * 0.45 * 0.4 * 0.5 * 0.7) ** (-1 / 5),
        }
    )


def test_an_interrupted_run_tells_what_it_has():
    summary = summarise(interrupted_trace())
    assert (summary["text"], summary["token_ids"], summary["finish_reason"]) == (" sat up", [5, 7], None)
    assert summary["perplexity"] == pytest.approx((0.6 * 0.45) ** (-1 / 2))
    assert summary["tokens_per_s"] == pytest.approx(2 / 0.015), "up to its last complete round"
    assert speed(Trace(())).prefill_s is None


def test_a_summary_is_json_with_the_same_keys_whatever_happened():
    traces = (empty_trace(), interrupted_trace(), speculative_trace(), autoregressive_trace())
    summaries = [json.loads(json.dumps(summarise(trace), allow_nan=False)) for trace in traces]
    assert len({tuple(summary) for summary in summaries}) == 1
