"""Results of benchmarking tools: `vllm bench serve`, SGLang's `bench_serving`, and AIPerf's records of any engine.

`vllm bench serve` reads vLLM's own counters before and after. SGLang's tool prints its backend and one mean. AIPerf
writes every engine in one form (pull requests 1167 and 1191), names it under `engine`, and has its histogram as a list
or as an object.
"""

from typing import Any

from playground.servers import sglang, trtllm, vllm
from playground.servers.arithmetic import inferred
from playground.servers.lines import first_number, tables
from playground.servers.record import UNNAMED, Record, counts_in, histogram_counts, mean_of, rates_of
from playground.words import word

NAME = "a benchmark"
COUNTED_FROM_HISTOGRAM = word("log_counted_from_histogram")
_ENGINES = {"vllm": vllm.NAME, "sglang": sglang.NAME, "trtllm": trtllm.NAME, "tensorrt_llm": trtllm.NAME}
_RATES = "spec_decode_per_position_acceptance_rates"
_POOLED = "pooled_spec_decode_acceptance_histogram"
_TITLE, _END = " Serving Benchmark Result =", "=" * 20 + "\n"
_HALF_PERCENT = 0.00005  # half of the last decimal of a rate that is printed in percent with two


def is_response(data: dict[str, Any]) -> bool:
    """Recognise results of `vllm bench serve` and `bench_serving`, records of AIPerf, and its pooled histogram."""
    return (
        "spec_decode_num_drafts" in data
        or ("accept_length" in data and "backend" in data)
        or ("engine" in data and "num_spec_steps" in data)
        or _POOLED in data
    )


def from_response(data: dict[str, Any], around: dict[str, Any]) -> Record:
    """One benchmark, or one request of it."""
    if "spec_decode_num_drafts" in data:
        names = {"rounds": "num_drafts", "drafted": "draft_tokens", "accepted": "accepted_tokens"}
        counts = counts_in(data, **{field: f"spec_decode_{name}" for field, name in names.items()})
        rates = rates_of(data.get(_RATES), _RATES) or None
        return inferred(Record(vllm.NAME, **counts, rates=rates), rate_half=1e-9)
    if "engine" in data:
        return vllm.from_response(data, around, _ENGINES.get(str(data["engine"]).lower(), UNNAMED))
    if _POOLED in data:
        histogram = histogram_counts(data[_POOLED], _POOLED) or ()
        return Record(UNNAMED, histogram=histogram, remarks=(COUNTED_FROM_HISTOGRAM,))
    mean = mean_of(data["accept_length"], "accept_length")
    return Record(_backend(data["backend"]), **counts_in(data, emitted="total_output_tokens"), mean=mean)


def from_text(text: str) -> list[Record]:
    """Read the tables that the two tools print."""
    return [record for fields in tables(text, _TITLE, _END) if (record := _of_table(fields))]


def _of_table(fields: dict[str, str]) -> Record | None:
    """Read the record of one table; None where its server did not speculate."""
    numbers = {name: number for name, value in fields.items() if (number := first_number(value)) is not None}
    if "Drafts" in fields:
        rates = [numbers[name] for at in range(len(numbers)) if (name := f"Position {at}") in numbers]
        counts = counts_in(numbers, rounds="Drafts", drafted="Draft tokens", accepted="Accepted tokens")
        by_position = rates_of(rates, "Per-position acceptance", 100.0) or None
        return inferred(Record(vllm.NAME, **counts, rates=by_position), rate_half=_HALF_PERCENT)
    if "Accept length" in fields and "Backend" in fields:
        mean = mean_of(numbers.get("Accept length"), "Accept length")
        return Record(_backend(fields["Backend"]), **counts_in(numbers, emitted="Total generated tokens"), mean=mean)
    return None


def _backend(name: Any) -> str:
    """Return the server that a tool names; `openai` and the like name none."""
    return next((server for prefix, server in _ENGINES.items() if str(name).lower().startswith(prefix)), UNNAMED)
