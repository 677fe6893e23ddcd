"""Forms in which servers and their tools write speculation, each with one truth: 40 rounds of 3 drafts, 72 accepted.

The forms are those of public threads, named at each; the numbers are ours.
"""

import gzip
import json

import pytest

from playground.errors import PlaygroundError
from playground.servers import trtllm
from playground.servers.answers import UNDECIDED
from playground.servers.arithmetic import counts_with_rates, differences, inferred, rounds_with_mean, with_calls
from playground.servers.findings import answer, findings, lengths, rounds_text, verdict
from playground.servers.reading import read_log
from playground.servers.record import UNNAMED, Record, with_contradiction

HISTOGRAM = [6, 10, 10, 14]  # 34 rounds accepted the first position, 24 the second, 14 the third
REACHED = [(34, 40), (24, 40), (14, 40)]
COUNTS = "accepted /   120 generated)"


def scraped(*counts: int) -> str:
    """A scrape of a vLLM server, without labels."""
    names = ("drafts", "draft_tokens", "accepted_tokens")
    pairs = zip(names, counts, strict=True)
    return "".join(f"vllm:spec_decode_num_{name}_total {count}.0\n" for name, count in pairs)


FORMS = {
    # vLLM 0.6 counts since it began, and as accepted also what stands behind a rejection (issue 9539)
    "vllm 0.6": (
        "INFO 10-16 19:05:47 metrics.py:367] Speculative metrics: Draft acceptance rate: 0.700, System efficiency: "
        "0.650, Number of speculative tokens: 3, Number of accepted tokens: 42, Number of draft tokens: 60, Number of "
        "emitted tokens: 52.\nINFO 10-16 19:06:47 metrics.py:367] Speculative metrics: Draft acceptance rate: 0.675, "
        "System efficiency: 0.700, Number of speculative tokens: 3, Number of accepted tokens: 81, Number of draft "
        "tokens tokens: 120, Number of emitted tokens tokens: 112.\n",
        "vLLM", {"rounds": 40, "drafted": 120, "accepted": 72, "emitted": 112},
    ),
    "vllm april 2025": (  # pull request 15902
        "INFO 04-01 10:00:00 Speculative metrics: Draft acceptance rate: 0.600, Number of accepted tokens: 72, Number "
        "of draft tokens: 120, \n",
        "vLLM", {"rounds": None, "drafted": 120, "accepted": 72},
    ),
    "vllm 0.9": (  # issue 19254
        "INFO 06-06 14:20:34 [metrics.py:86] SpecDecoding metrics: Draft acceptance rate: 60.0%, Mean acceptance "
        "length: 2.80, Accepted: 72 tokens, Drafted: 120 tokens, Per-position acceptance rate: 0.850, 0.600, 0.350\n",
        "vLLM", {"rounds": 40, "drafted": 120, "accepted": 72, "reached": REACHED},
    ),
    "vllm choice": (  # pull request 1167 of AIPerf: the histogram as an object, under a key that SGLang has too
        json.dumps({"choices": [{"speculative_decoding_stats": {
            "acceptance_histogram": {"0": 6, "1": 10, "2": 10, "3": 14}, "num_spec_steps": 40,
            "num_accepted_draft_tokens": 72, "num_draft_tokens": 120, "num_spec_tokens": 3}}]}),
        "vLLM", {"rounds": 40, "drafted": 120, "accepted": 72, "reached": REACHED},
    ),
    "two scrapes": (
        "vllm:spec_decode_num_drafts_total{engine=\"0\"} 10.0\nvllm:spec_decode_num_drafts_total{engine=\"0\"} 40.0\n"
        "vllm:spec_decode_num_draft_tokens_total{engine=\"0\"} 120.0\n"
        "vllm:spec_decode_num_accepted_tokens_total{engine=\"0\"} 72.0\n",
        "vLLM", {"rounds": 40, "drafted": 120, "accepted": 72},
    ),
    "scrapes of two servers without labels, or of one that started again": (
        scraped(30, 90, 54) + scraped(10, 30, 18), "vLLM", {"rounds": 40, "drafted": 120, "accepted": 72},
    ),
    "several scrapes of one server, which has idled between": (
        scraped(30, 90, 54) * 2 + scraped(40, 120, 72), "vLLM", {"rounds": 40, "drafted": 120, "accepted": 72},
    ),
    "sglang finish": (  # pull requests 11144 and 18332
        "[2026-02-05 23:42:16] Finish: obj=GenerateReqInput(rid='x', stream=True), out={'meta_info': {'id': 'x', "
        "'completion_tokens': 112, 'spec_accept_rate': 0.6, 'spec_accept_length': 2.8, 'spec_accept_histogram': "
        "[6, 10, 10, 14], 'spec_accept_token_num': 72, 'spec_draft_token_num': 120, 'spec_verify_ct': 40}}\n",
        "SGLang", {"rounds": 40, "drafted": 120, "accepted": 72, "emitted": 112, "reached": REACHED},
    ),
    "sglang bench": (  # pull request 13376
        "============ Serving Benchmark Result ============\nBackend:                                 sglang    \n"
        "Total generated tokens:                  112       \nAccept length:                           2.80      \n"
        "----------------End-to-End Latency----------------\n==================================================\n",
        "SGLang", {"rounds": None, "drafted": None, "accepted": None, "mean": 2.8},
    ),
    "sglang bench json": (
        json.dumps({"backend": "sglang-oai", "total_output_tokens": 112, "accept_length": 2.8}),
        "SGLang", {"rounds": None, "accepted": None, "mean": 2.8},
    ),
    "sglang server": (  # pull request 1584 of sglang-jax
        json.dumps({"internal_states": [{"last_gen_throughput": 80.0, "avg_spec_accept_length": 2.8}]}),
        "SGLang", {"rounds": None, "accepted": None, "mean": 2.8},
    ),
    "sglang quotient": (  # pull request 3152
        json.dumps({"meta_info": {"completion_tokens": 112, "spec_verify_ct": 40}}),
        "SGLang", {"rounds": 40, "drafted": None, "accepted": None, "emitted": 112, "mean": 2.8},
    ),
    "llama.cpp june 2026": (  # pull request 24536
        f"0.06.896.015 I slot print_timing: id  1 | task 0 | draft acceptance = 0.60000 (   72 {COUNTS}, mean "
        "acceptance length =  2.80, acceptance rate per position = (0.850, 0.600, 0.350)\n",
        "llama.cpp", {"rounds": 40, "drafted": 120, "accepted": 72, "reached": REACHED},
    ),
    "llama.cpp statistics": (  # docs/speculative.md; two requests since the server began
        "statistics ngram_simple: #calls = 15, #gen drafts = 15, #acc drafts = 9, #gen tokens = 45, #acc tokens = 30\n"
        "statistics ngram_simple: #calls = 40, #gen drafts = 40, #acc drafts = 34, #gen tokens = 120, #acc tokens = "
        "72, dur(b,g,a) = 0.1, 2.0, 0.1 ms\n",
        "llama.cpp", {"rounds": 40, "drafted": 120, "accepted": 72},
    ),
    "llama-speculative": (  # pull request 3006
        "decoded  112 tokens in    1.400 seconds, speed:   80.000 t/s\n\nn_draft   = 3\nn_predict = 112\n"
        "n_drafted = 120\nn_accept  = 72\naccept    = 60.000%\n",
        "llama.cpp", {"rounds": None, "calls": 40, "drafted": 120, "accepted": 72, "emitted": 112},
    ),
    "mlx-vlm": (  # pull request 2324: the timings of llama.cpp, and its own fields beside them
        json.dumps({"timings": {"predicted_n": 112, "draft_kind": "mtp", "draft_rounds": 40, "draft_n": 120,
                                "draft_n_accepted": 72}}),
        "mlx-vlm", {"rounds": 40, "drafted": 120, "accepted": 72, "calls": None},
    ),
    "trtllm choice": (  # pull request 19311
        json.dumps({"choices": [{"index": 0, "speculative_decoding": {
            "acceptance_rate": 0.6, "total_accepted_draft_tokens": 72, "total_draft_tokens": 120,
            "num_spec_steps": 40, "acceptance_histogram": HISTOGRAM, "num_spec_tokens": 3}}]}),
        "TensorRT-LLM", {"rounds": 40, "drafted": 120, "accepted": 72, "reached": REACHED},
    ),
    "trtllm iterations": (  # pull request 9855: a request that drafted is a round in each iteration
        json.dumps([{"iter": at, "specDecodingStats": {
            "numDraftTokens": drafted, "numAcceptedTokens": accepted, "numRequestsWithDraftTokens": requests,
            "acceptanceLength": 1 + accepted / requests}} for at, (drafted, accepted, requests) in enumerate(
                [(60, 32, 20), (60, 40, 20)])]),
        "TensorRT-LLM", {"rounds": 40, "drafted": 120, "accepted": 72},
    ),
    "trtllm positions": (
        "".join(
            f'trtllm_spec_decode_{name}_tokens_total{{token_position="{at}"}} {count}\n'
            for name, counts in (("drafted", (40, 40, 40)), ("accepted", (34, 24, 14)))
            for at, count in enumerate(counts)
        ),
        "TensorRT-LLM", {"rounds": 40, "drafted": 120, "accepted": 72, "reached": REACHED},
    ),
    "lm studio sdk": (  # pull request 210 of lmstudio-js
        json.dumps({"stats": {"predictedTokensCount": 112, "totalDraftTokensCount": 120,
                              "acceptedDraftTokensCount": 72, "rejectedDraftTokensCount": 40,
                              "ignoredDraftTokensCount": 8}}),
        "LM Studio", {"rounds": None, "calls": 40, "drafted": 120, "accepted": 72, "emitted": 112},
    ),
    "tabbyAPI": (  # pull request 452: OpenAI's names, which no server has for itself
        json.dumps({"usage": {"completion_tokens": 112, "completion_tokens_details": {
            "accepted_prediction_tokens": 72, "rejected_prediction_tokens": 48}}}),
        UNNAMED, {"rounds": None, "calls": None, "drafted": 120, "accepted": 72},
    ),
    "aiperf pooled": (  # pull request 1191
        json.dumps({"pooled_spec_decode_acceptance_histogram": {"0": 6, "1": 10, "2": 10, "3": 14}}),
        UNNAMED, {"rounds": 40, "drafted": None, "accepted": 72, "reached": REACHED},
    ),
    "aiperf record": (
        json.dumps({"spec_decode_acceptance": {
            "engine": None, "acceptance_histogram": HISTOGRAM, "num_accepted_draft_tokens": 72,
            "num_draft_tokens": 120, "num_spec_steps": 40, "num_spec_tokens": 3}}),
        UNNAMED, {"rounds": 40, "drafted": 120, "accepted": 72, "reached": REACHED},
    ),
    "openvino sample": (
        "A cat.\n\nMAIN MODEL\n  Generate time: 4000.00 ms\n  Num generated token: 112 tokens\n  Total iteration "
        "number: 40\n  Num accepted token: 72 tokens\nDRAFT MODEL\n  Num generated token: 120 tokens\n",
        "OpenVINO", {"rounds": None, "calls": 40, "drafted": 120, "accepted": 72, "emitted": 112},
    ),
    "openvino llm_bench": (
        json.dumps([{"output_size": 112, "generation_time": 4.0, "speculative_decoding": {
            "num_draft_generated": 120, "num_accepted": 72, "acceptance_rate": 60.0}}]),
        "OpenVINO", {"calls": 40, "drafted": 120, "accepted": 72, "emitted": 112},
    ),
    "mlc": (
        json.dumps({"usage": {"completion_tokens": 112, "extra": {"spec_decode": {
            "draft_count": {"1": 40, "2": 40, "3": 40}, "accept_count": {"1": 34, "2": 24, "3": 14}}}}}),
        "MLC", {"rounds": 40, "drafted": 120, "accepted": 72, "emitted": 112, "reached": REACHED},
    ),
    "proposed usage": (
        json.dumps({"usage": {"completion_tokens": 112, "speculative_decoding": {
            "proposed_tokens": 120, "accepted_tokens": 72}}}),
        UNNAMED, {"calls": 40, "drafted": 120, "accepted": 72, "emitted": 112},
    ),
    "answers with the target's own token": (
        json.dumps({"choices": [{"decoding_steps": [40], "new_tokens": [112], "wall_time": [4.0],
                                 "accept_lengths": [1] * 6 + [2] * 10 + [3] * 10 + [4] * 14}]}),
        UNNAMED, {"rounds": 40, "accepted": 72, "emitted": 112, "seconds": 4.0, "reached": REACHED},
    ),
    "answers without it": (
        json.dumps({"choices": [{"new_tokens": [113], "accept_lengths": [1] * 16 + [2] * 10 + [3] * 12 + [0] * 2}]}),
        UNNAMED, {"rounds": 40, "accepted": 72, "emitted": 113},
    ),
    "answers with rounds alone": (
        json.dumps({"choices": [{"decoding_steps": [20, 20], "new_tokens": [50, 62]}]}),
        UNNAMED, {"rounds": 40, "accepted": None, "emitted": 112, "mean": 2.8},
    ),
    "offline example, two runs": (
        "".join(
            f"padding {state}\n---\nnum_drafts: 20\nnum_draft_tokens: 60\nnum_accepted_tokens: 36\nmean acceptance "
            "length: 2.80\n---\nacceptance at token 0: 0.85\nacceptance at token 1: 0.60\nacceptance at token "
            "2: 0.35\n\n"
            for state in ("off", "on")
        ),
        "vLLM", {"rounds": 40, "drafted": 120, "accepted": 72, "reached": REACHED},
    ),
    "sglang questions": (
        "#questions: 1, Throughput: 28.00 token/s, Acceptance length: 2.80\n",
        "SGLang", {"rounds": None, "accepted": None, "mean": 2.8},
    ),
    "scrape with times, exemplars and braces in a label": (
        "# HELP vllm:spec_decode_num_drafts_total Number of drafts.\n# TYPE vllm:spec_decode_num_drafts_total counter\n"
        'vllm:spec_decode_num_drafts_total{engine="0",model_name="m {x} \\"y\\""} 40.0 1764400000123\n'
        "vllm:spec_decode_num_drafts_created{} 1.7e9\nvllm:spec_decode_num_draft_tokens_total{} 120.0\n"
        'vllm:spec_decode_num_accepted_tokens_total 72.0 # {trace_id="a"} 1.0 1764400000.1\n'
        'vllm:spec_decode_num_accepted_tokens_per_pos_total{position="0",}\t34\r\n'
        '[pod/a/b] vllm:spec_decode_num_accepted_tokens_per_pos_total{engine="0", position="1"}  24.0\n'
        'vllm:spec_decode_num_accepted_tokens_per_pos_total{position="2"} 14.0 # {trace_id="b"} 1.0\n# EOF\n',
        "vLLM", {"rounds": 40, "drafted": 120, "accepted": 72, "reached": REACHED},
    ),
    "Prometheus's API": (
        json.dumps({"status": "success", "data": {"resultType": "matrix", "result": [
            {"metric": {"__name__": f"vllm:spec_decode_num_{name}_total", **labels},
             "values": [[1764400000.1, "1"], [1764400060.1, f"{count}"]]}
            for name, labels, count in (
                ("drafts", {}, 40), ("draft_tokens", {}, 120), ("accepted_tokens", {}, 72),
                *(("accepted_tokens_per_pos", {"position": f"{at}"}, n) for at, n in enumerate((34, 24, 14))))]}}),
        "vLLM", {"rounds": 40, "drafted": 120, "accepted": 72, "reached": REACHED},
    ),
    "get_metrics() as Python shows it": (
        "[" + ", ".join(f"Counter(name='vllm:spec_decode_num_{name}', labels={{'engine': '0'}}, value={count})"
                        for name, count in (("drafts", 40), ("draft_tokens", 120), ("accepted_tokens", 72)))
        + ", Vector(name='vllm:spec_decode_num_accepted_tokens_per_pos', labels={}, values=[34, 24, 14])]\n",
        "vLLM", {"rounds": 40, "drafted": 120, "accepted": 72, "reached": REACHED},
    ),
    "get_metrics() as its example prints it": (
        "vllm:num_requests_running (gauge) = 0.0\nvllm:spec_decode_num_drafts (counter) = 40\n"
        "vllm:spec_decode_num_draft_tokens (counter) = 120\nvllm:spec_decode_num_accepted_tokens (counter) = 72\n"
        "vllm:spec_decode_num_accepted_tokens_per_pos (vector) = [34, 24, 14]\n",
        "vLLM", {"rounds": 40, "drafted": 120, "accepted": 72, "reached": REACHED},
    ),
    "get_metrics() as JSON": (
        json.dumps([{"name": f"vllm:spec_decode_num_{name}", "labels": {}, "value": count}
                    for name, count in (("drafts", 40), ("draft_tokens", 120), ("accepted_tokens", 72))]
                   + [{"name": "vllm:spec_decode_num_accepted_tokens_per_pos", "labels": {}, "values": [34, 24, 14]}]),
        "vLLM", {"rounds": 40, "drafted": 120, "accepted": 72, "reached": REACHED},
    ),
    "two servers since their starts, one of which starts again": (  # 60 + 30 of vllm-1, 30 of vllm-2
        "".join(
            f"vllm-{server}  | INFO 10-16 19:0{at}:47 metrics.py:367] Speculative metrics: Draft acceptance rate: 0.7, "
            f"System efficiency: 0.65, Number of speculative tokens: 3, Number of accepted tokens: 9, Number of draft "
            f"tokens: {drafted}, Number of emitted tokens: {emitted}.\n"
            for at, (server, drafted, emitted) in enumerate(
                [(1, 30, 28), (2, 15, 14), (1, 60, 56), (2, 30, 28), (1, 30, 28)])
        ),
        "vLLM", {"rounds": 40, "drafted": 120, "accepted": 72, "emitted": 112},
    ),
    "tokenspeed": (
        json.dumps({"meta_info": {"completion_tokens": 113, "spec_verify_ct": 40, "spec_accepted_tokens": 72,
                                  "spec_draft_tokens": 120}}),
        "SGLang", {"rounds": 40, "drafted": 120, "accepted": 72},
    ),
    "sglang histogram alone": (
        json.dumps({"meta_info": {"spec_verify_ct": 40, "spec_accept_histogram": HISTOGRAM}}),
        "SGLang", {"rounds": 40, "accepted": 72, "reached": REACHED},
    ),
    "Model-Optimizer's measurement": (
        json.dumps({"acceptance_rate": {"Average_AR": 2.8, "Acceptance_Length_Histogram": {"1": 6, "2": 10, "3": 10,
                    "4": 14}, "Conditional_Acceptance_Rate": {"1": 1.0, "2": 0.85}}}),
        UNNAMED, {"rounds": 40, "drafted": None, "accepted": 72, "reached": REACHED},
    ),
    "profile": (  # pull request 2247 of Model-Optimizer
        json.dumps({"schema_version": "1.0", "measured": True, "num_speculative_tokens": 3,
                    "conditional_accept_rates": [0.85, 0.705882, 0.583333],
                    "marginal_accept_rates": [0.85, 0.6, 0.35], "mean_accept_length": 2.8}),
        UNNAMED, {"rounds": None, "drafted": None, "accepted": None, "mean": 2.8},
    ),
    "profile with counts": (
        json.dumps({"conditional_accept_rates": [0.85, 0.705882, 0.583333], "num_speculative_tokens": 3,
                    "acceptance_length_histogram": {"1": 6, "2": 10, "3": 10, "4": 14}}),
        UNNAMED, {"rounds": 40, "drafted": 120, "accepted": 72, "reached": REACHED},
    ),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_every_form_has_the_one_truth_and_never_comes_out_blank(form):
    text, server, expected = FORMS[form]
    log = read_log(text.encode())
    result = findings(log.records)
    assert result.servers == (server,) and not log.notes
    for name, value in expected.items():
        if name == "mean":
            assert result.tokens_within == (value, value) and result.remarks is not None
        elif name == "reached":
            assert [(each.survived, each.rounds) for each in result.survival or ()] == value
        else:
            assert getattr(result, name) == value, name
    assert result.tokens_within or (result.drafted and result.accepted)
    assert verdict(result, None)
    if expected.get("rounds") and expected.get("accepted"):
        assert result.tokens_per_call == pytest.approx(2.8)


@pytest.mark.parametrize(("text", "name"), [
    ('{"eval_count": 112, "eval_duration": 1400000000}', "Ollama"),
    ('tgi_request_count{method="batch"} 12\n', "text-generation-inference"),
    ('vllm:num_requests_running{engine="0"} 1.0\n', "vLLM, .* Check --speculative-config"),
    ("INFO [loggers.py:259] Engine 000: Avg generation throughput: 1.0 tokens/s\n", "the log of vLLM"),
    ("[2026-08-14 14:02:47 TP0] Decode batch, #running-req: 3, gen throughput: 9, x\n", "the log of SGLang"),
    ("slot print_timing: id 0 |        eval time =    1400.00 ms /   112 tokens\n", "the log of llama.cpp"),
    ('{"timings": {"predicted_n": 5, "predicted_per_token_ms": 2.0}}', "llama.cpp"),
    ('{"schema_version": "1.0", "measured": false}', "nothing was measured"),
])  # fmt: skip
def test_a_form_without_drafts_is_named_and_refused(text, name):
    with pytest.raises(PlaygroundError, match=rf"{name}.*Wanted: "):
        read_log(text.encode())


STEPS = '{"speculative_decoding_stats": {"verify_lengths": %s, "accept_lengths": %s}}'
OUTSIDE = '"marginal_accept_rates" has an entry that is not between 0 and 1'


@pytest.mark.parametrize(("text", "why"), [
    (STEPS % ("[2, 3]", "[3, 1]"), "One round accepted more than it drafted"),
    (STEPS % ("[2]", "3"), '"accept_lengths" is not a list of at most'),
    (STEPS % ("[2, 2]", "[2, null]"), '"accept_lengths" has a gap'),
    ('{"schema_version": 1, "marginal_accept_rates": 0.5}', '"marginal_accept_rates" is not a list of at most'),
    ('{"schema_version": 1, "marginal_accept_rates": [1.5]}', OUTSIDE),
    ('{"usage": {"extra": {"spec_decode": {"draft_count": {"1": 4}, "accept_count": {"1": 3, "2": 1}}}}}',
     "2 rounds that accepted and 1 that drafted"),
    ('{"stats": {"totalDraftTokensCount": 9, "acceptedDraftTokensCount": 5, "rejectedDraftTokensCount": 1, '
     '"ignoredDraftTokensCount": 2}}', "add up to 8, not 9"),
])  # fmt: skip
def test_numbers_that_contradict_each_other_are_named(text, why):
    with pytest.raises(PlaygroundError, match=f"{why}.*Wanted: "):
        read_log(text.encode())


def test_scrapes_of_which_nothing_says_whose_they_are_are_refused():
    """The third is a later one of the first server, or of the second."""
    mixed = scraped(30, 90, 54) + scraped(10, 30, 18) + scraped(40, 120, 72)
    falling = "".join(scraped(count, 3 * count, count) for count in range(40, 0, -1))
    for text in (mixed, falling):
        with pytest.raises(PlaygroundError, match="Give each server a file of its own"):
            read_log(text.encode())


def test_a_mean_that_fits_several_numbers_of_rounds_leaves_bounds():
    """5,306 accepted at a mean of 2.83: 2,892 to 2,907 rounds, and at least a third of 8,703 drafted."""
    line = (
        "SpecDecoding metrics: Mean acceptance length: 2.83, Accepted: 5306 tokens, Drafted: 8703 tokens, "
        "Per-position acceptance rate: 0.730, 0.590, 0.509\n"
    )
    result = findings(read_log(line.encode()).records)
    assert result.rounds is None and result.rounds_within == (2901, 2907)
    assert result.tokens_within == pytest.approx((2.8252, 2.8290), abs=1e-4)
    assert rounds_text(result) == "2,901 to 2,907" and result.likely_rounds == 2904
    assert "accepted 1.83" in verdict(result, 0.1)


@pytest.mark.parametrize(("later", "rounds"), [((30, 90, 60), 15), ((31, 90, 60), None), ((30, 91, 60), 15)])
def test_a_request_of_llama_cpp_has_the_rounds_of_the_one_line_with_its_counts(later, rounds):
    """Lines count since the start: 15 rounds with 45 drafted and 30 accepted, then as many or others."""
    line = "statistics ngram: #gen drafts = {}, #acc drafts = 9, #gen tokens = {}, #acc tokens = {}, end\n".format
    request = "draft acceptance rate = 0.66667 (   30 accepted /    45 generated)\n"
    record = read_log((line(15, 45, 30) + line(*later) + request).encode()).records[0]
    assert (record.drafted, record.accepted, record.rounds) == (45, 30, rounds)


def test_counts_that_fall_began_anew():
    assert differences([(3, 9), (5, 12), (2, 2)]) == [(3, 9), (2, 3), (2, 2)] and differences([]) == []


@pytest.mark.parametrize(
    ("drafted", "emitted", "rounds", "accepted"), [(9, 3, 3, 0), (9, 2, 3, None), (10, 5, None, None)]
)
def test_the_first_engine_tells_rounds_where_its_length_divides_and_accepted_where_every_round_emitted(
    drafted, emitted, rounds, accepted
):
    line = (
        "metrics.py:367] Speculative metrics: Draft acceptance rate: 0.5, System efficiency: 0.5, "
        "Number of speculative tokens: 3, Number of accepted tokens: 0, "
        f"Number of draft tokens: {drafted}, Number of emitted tokens: {emitted}.\n"
    )
    [record] = read_log(line.encode()).records
    assert (record.rounds, record.accepted, record.length) == (rounds, accepted, rounds and 3)


@pytest.mark.parametrize(("positions", "reached"), [((0, 1), (6, 3)), ((0, 2), None)])
def test_positions_of_a_scrape_count_where_none_is_missing(positions, reached):
    """Of 10 rounds 6 accepted the first draft and 3 another one, of the second position or of the third."""
    counts = zip(positions, (6, 3), strict=True)
    name = "vllm:spec_decode_num_accepted_tokens_per_pos_total"
    text = scraped(10, 30, 9) + "".join(f'{name}{{position="{at}"}} {count}.0\n' for at, count in counts)
    [record] = read_log(text.encode()).records
    assert record.accepted == 9 and record.reached == reached


def test_rates_of_two_decimals_count_rounds():
    """The offline example prints 5 of 7 as 0.71."""
    text = (
        "num_drafts: 7\nnum_draft_tokens: 7\nnum_accepted_tokens: 5\nmean acceptance length: 1.71\n"
        "acceptance at token 0: 0.71\n"
    )
    assert read_log(text.encode()).records[0].reached == (5,)


def test_a_percentage_of_two_decimals_counts_a_thousand_rounds():
    text = (
        f"{'=' * 12} Serving Benchmark Result {'=' * 12}\nDrafts: 1000\nDraft tokens: 1000\nAccepted tokens: 714\n"
        f"Position 0: 71.40\n{'=' * 50}\n"
    )
    assert read_log(text.encode()).records[0].reached == (714,)


@pytest.mark.parametrize(("drafted", "length"), [(120, 3), (110, None)])
def test_a_length_of_tensorrt_llm_is_fixed_where_every_round_drafted_it(drafted, length):
    counts = {"total_draft_tokens": drafted, "total_accepted_draft_tokens": 72, "num_spec_steps": 40}
    assert trtllm.from_response(counts | {"num_spec_tokens": 3}, {}).length == length


def test_positions_are_counted_anew_where_llama_cpp_began_anew():
    """Of 10 rounds 5 accepted a draft; of 14 then 8, of the last 4 so 3; then the server restarted: 1 of 4."""
    lines = (
        f"statistics mtp: #gen drafts = {rounds}, #gen tokens = {rounds}, #acc tokens = {accepted}, "
        f"acc rate/pos = ({accepted / rounds:.3f})\n"
        for rounds, accepted in ((10, 5), (14, 8), (4, 1))
    )
    records = read_log("".join(lines).encode()).records
    assert [(each.rounds, each.reached) for each in records] == [(10, (5,)), (4, (3,)), (4, (1,))]


def test_a_profile_without_a_mean_has_that_of_its_rates():
    """Half of the rounds accepted one draft, and half of these another: 1 + 0.5 + 0.25."""
    content = {"schema_version": 1, "marginal_accept_rates": [0.5, 0.25]}
    assert read_log(json.dumps(content).encode()).records[0].mean == 1.75


def test_bounds_far_apart_are_told_as_bounds():
    """150 accepted in 100 to 120 rounds: 2.25 to 2.5 tokens a call."""
    said = verdict(findings([Record("vLLM", 300, 150, rounds_within=(100, 120))]), 0.1)
    assert "2.25 to 2.50 tokens" in said and "100 to 120 rounds" in said


def test_rates_of_no_round_say_nothing():
    assert findings([Record("vLLM", rounds=0, rates=(0.8, 0.6))]).rates is None


def test_a_rate_at_the_edge_of_its_rounding_is_a_count():
    """1 of 16 is 0.0625, which some print as 0.062 and others as 0.063."""
    assert counts_with_rates((0.062, 0.063), 16) == (1, 1)


def test_rates_that_do_not_add_up_give_no_counts():
    for last in (0.3, 0.4):  # 70 and 74, where 72 were accepted
        record = inferred(Record("vLLM", 120, 72, mean=2.8, rates=(0.85, 0.6, last)))
        assert record.rounds == 40 and record.reached is None
    assert rounds_with_mean(Record("vLLM", 120, 0, mean=1.0)) is None


def test_a_round_drafts_a_token_at_least_and_every_call_writes_one_of_its_own():
    """300 of 300 accepted at a mean of 2.00 are 299 to 301 rounds, and 301 would have drafted 301."""
    assert rounds_with_mean(Record("vLLM", 300, 300, mean=2.0)) == (299, 300)
    two = Record("vLLM", 599, 300, mean=2.0, rates=(0.75, 0.25))  # 599 drafts, two a round, are 300 rounds and not 299
    assert rounds_with_mean(two) == (300, 301)
    calls = [with_calls(Record("vLLM", accepted=72, emitted=emitted, rounds=40)).calls for emitted in (112, 111)]
    assert calls == [40, None]


LINE = FORMS["vllm 0.9"][0]


def test_a_list_of_one_position_is_one_position():
    text = "".join(
        f"Counter(name='vllm:spec_decode_num_{name}', labels={{}}, value={count}), "
        for name, count in (("drafts", 9), ("draft_tokens", 9), ("accepted_tokens", 4))
    )
    vector = "Vector(name='vllm:spec_decode_num_accepted_tokens_per_pos', labels={}, values=[4])"
    assert read_log(f"[{text}{vector}]\n".encode()).records[0].reached == (4,)


IDLE = (
    "INFO [metrics.py:96] SpecDecoding metrics: Mean acceptance length: nan, Accepted: 0 tokens, Drafted: 0 tokens, "
    "Per-position acceptance rate: , Avg Draft acceptance rate: nan%\n"
)


@pytest.mark.parametrize("text", [IDLE + LINE, LINE + IDLE, IDLE + LINE + IDLE])
def test_an_interval_without_drafts_blanks_nothing_and_is_named(text):
    result = findings(read_log(text.encode()).records)
    assert (result.rounds, result.drafted, result.accepted, result.requests) == (40, 120, 72, text.count("\n"))
    assert [(each.survived, each.rounds) for each in result.survival or ()] == REACHED
    assert f"{text.count('nan%')} of {text.count(chr(10))} records drafted nothing" in result.remarks[-1]


@pytest.mark.parametrize(("text", "option"), [
    (IDLE, "--speculative-config"),
    ('{"meta_info": {"spec_verify_ct": 0, "completion_tokens": 9}}', "--speculative-algorithm"),
    ('{"timings": {"predicted_n": 5, "draft_n": 0, "draft_n_accepted": 0}}', "--model-draft, --spec-type"),
    ('{"usage": {"speculative_decoding": {"proposed_tokens": 0, "accepted_tokens": 0}}}', "names a draft model"),
])  # fmt: skip
def test_a_log_of_no_drafts_says_where_to_look(text, option):
    result = findings(read_log(text.encode()).records)
    assert verdict(result, 0.1).startswith("0 drafted: speculation was off") and option in verdict(result, 0.1)


def test_what_is_no_text_is_refused_as_that_and_zeros_in_a_log_are_not():
    """A computer that loses its power leaves zeros in the files it wrote."""
    with pytest.raises(PlaygroundError, match="is not text"):
        read_log(b"PK\x03\x04\x14\x00\x08" + bytes(20))
    assert read_log(b"\0" * 100 + b"\n" + LINE.encode()).records[0].accepted == 72


@pytest.mark.parametrize("around", ["\x1b[2K\x1b[32m{}", "\rProcessed: 10%\rProcessed: 20%\r{}", "a\xa0b \ufeff{}",
                                    "1764400000000,\"{}\"", "nov 29 10:00:00 host vllm[1]: {}"])  # fmt: skip
def test_a_line_is_read_whatever_stands_before_it(around):
    assert read_log(around.format(LINE).encode("utf-8")).records[0].accepted == 72


WRAPPED = {
    "docker": json.dumps({"log": LINE, "stream": "stderr"}),
    "journald": json.dumps({"MESSAGE": LINE.rstrip(), "_SYSTEMD_UNIT": "vllm.service"}),
    "journald, a message with colours": json.dumps(
        {"MESSAGE": list(b"\x1b[32m" + LINE.rstrip().encode() + b"\x1b[0m")}
    ),
    "loki": json.dumps({"streams": [{"stream": {"app": "vllm"}, "values": [["1790000000", LINE.rstrip()]]}]}),
    "a cloud agent": json.dumps([{"insertId": "a", "textPayload": LINE}]),
}


@pytest.mark.parametrize("collector", WRAPPED)
def test_a_line_inside_the_object_of_a_collector_is_read(collector):
    result = findings(read_log((WRAPPED[collector] + "\n").encode()).records)
    assert (result.rounds, result.drafted, result.accepted) == (40, 120, 72)


@pytest.mark.parametrize("pack", [gzip.compress, lambda text: gzip.compress(text[:150]) + gzip.compress(text[150:]),
                                  lambda text: gzip.compress(text * 2)[:-9]])  # fmt: skip
def test_a_log_packed_by_gzip_is_read_also_in_parts_and_cut_off(pack):
    assert read_log(pack(LINE.encode())).records[0].accepted == 72


def test_a_packed_log_beyond_the_limit_is_refused_before_it_is_unpacked_whole():
    with pytest.raises(PlaygroundError, match="1,000"):
        read_log(gzip.compress(b" " * 10_000_000), most=1000)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])  # the first as a shell of Windows writes it
def test_text_of_two_bytes_is_read_with_and_without_a_mark(encoding):
    assert read_log(LINE.encode(encoding)).records[0].accepted == 72


@pytest.mark.parametrize(("new_tokens", "accepted"), [(10, 7), (20, 11), (21, None)])
def test_a_whole_round_and_the_prompts_token_may_be_beside_the_lengths(new_tokens, accepted):
    """Lengths of 2, 2, 3 and 4 are 11 tokens, or 15 with four of the target's own; at most 5 are beside them."""
    content = {"choices": [{"new_tokens": [new_tokens], "accept_lengths": [2, 2, 3, 4]}]}
    assert read_log(json.dumps(content).encode()).records[0].accepted == accepted


def test_answers_that_wrote_one_token_a_round_have_a_mean_of_1():
    assert read_log(b'{"choices": [{"decoding_steps": [20], "new_tokens": [20]}]}').records[0].mean == 1


def test_answers_whose_sums_fit_neither_reading_count_rounds_alone():
    record = read_log(b'{"choices": [{"new_tokens": [500], "accept_lengths": [2, 2, 3, 4]}]}').records[0]
    assert record.rounds == 4 and record.accepted is None and record.remarks == (UNDECIDED,)


def test_fewer_tokens_than_rounds_and_accepted_drafts_write_are_named():
    """40 rounds with 72 accepted write 112; 80 are more than a last round short, 110 are not."""
    counts = {"num_spec_steps": 40, "num_accepted_draft_tokens": 72, "num_draft_tokens": 120, "num_spec_tokens": 3}
    for emitted, contradicts in [(80, True), (110, False), (112, False), (140, False)]:
        content = {"usage": {"completion_tokens": emitted}, "metrics": {"speculative_decoding": counts}}
        said = " ".join(read_log(json.dumps(content).encode()).records[0].remarks)
        assert ("not 80" in said) == contradicts


@pytest.mark.parametrize(("emitted", "remarks"), [(108, 1), (109, 0)])
def test_the_last_round_is_as_long_as_the_mean_of_the_drafts_rounded_up(emitted, remarks):
    """100 drafts in 40 rounds are up to 3 in some round, and 40 rounds with 72 accepted write 112 tokens."""
    assert len(with_contradiction(Record("vLLM", 100, 72, emitted, 40)).remarks) == remarks


def test_rates_of_several_lines_are_weighted_by_their_rounds_and_answer_for_every_length():
    """1,000 and 3,000 rounds of 2: position 1 (.8 + 3 * .4) / 4 = .5, position 2 (.6 + 3 * .2) / 4 = .3."""
    both = [Record("vLLM", 2000, 1400, rounds_within=(999, 1001), rates=(0.8, 0.6)),
            Record("vLLM", 6000, 1800, rounds_within=(2990, 3010), rates=(0.4, 0.2))]  # fmt: skip
    result = findings(both)
    assert result.rates == pytest.approx((0.5, 0.3)) and result.likely_rounds == 4000
    estimates = lengths(result, 0.1)
    assert [each.tokens for each in estimates] == pytest.approx([1.5, 1.8])
    said = "K = 2 pays 1.50 times plain decoding here, the best of all lengths."
    assert answer(result, estimates) == said
    assert "K = 1 would pay 1.11" in answer(result, lengths(result, 0.35))
    assert answer(result, lengths(result, None)) == ""
