"""Results of benchmarking tools: `vllm bench serve`, SGLang's `bench_serving`, and AIPerf's records of any engine.

`vllm bench serve` reads vLLM's own counters before and after. SGLang's tool prints its backend and one mean. AIPerf
writes every engine in one form (pull requests 1167 and 1191), names it under `engine`, and has its histogram as a list
or as an object.
"""

import re
from typing import Any

from playground.errors import PlaygroundError
from playground.servers import sglang, trtllm, vllm
from playground.servers.arithmetic import inferred
from playground.servers.record import UNNAMED, Record, counts_in, histogram_counts, mean_of, rates_of
from playground.words import word

NAME = "a benchmark"
COUNTED_FROM_HISTOGRAM = word("log_counted_from_histogram")
_ENGINES = {"vllm": vllm.NAME, "sglang": sglang.NAME, "trtllm": trtllm.NAME, "tensorrt_llm": trtllm.NAME}
_RATES = "spec_decode_per_position_acceptance_rates"
_POOLED = "pooled_spec_decode_acceptance_histogram"
_HALF_PERCENT = 0.00005  # half of the last decimal of a rate that is printed in percent with two
_RESULT = re.compile(r"=+ Serving Benchmark Result =+(.{0,20000}?)\n={20,}", re.DOTALL)
_FIELD = re.compile(r"^[ \t]*([A-Z][\w \-/()%]{1,60}?):[ \t]+([\w.\-]{1,40})[ \t]*$", re.MULTILINE)


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
        names = {"steps": "num_drafts", "drafted": "draft_tokens", "accepted": "accepted_tokens"}
        counts = counts_in(data, **{field: f"spec_decode_{name}" for field, name in names.items()})
        rates = rates_of(data.get(_RATES), _RATES) or None
        return inferred(Record(vllm.NAME, **counts, rates=rates), rate_half=1e-9)
    if "engine" in data:
        return vllm.from_response(data, around, _ENGINES.get(str(data["engine"]).lower(), UNNAMED))
    if _POOLED in data:
        histogram = histogram_counts(data[_POOLED], _POOLED) or ()
        accepted = sum(index * rounds for index, rounds in enumerate(histogram))
        remarks = (COUNTED_FROM_HISTOGRAM,)
        return Record(UNNAMED, accepted=accepted, steps=sum(histogram), histogram=histogram, remarks=remarks)
    mean = mean_of(data["accept_length"], "accept_length")
    return Record(_backend(data["backend"]), **counts_in(data, emitted="total_output_tokens"), mean=mean)


def from_text(text: str) -> list[Record]:
    """Read the tables that the two tools print."""
    try:
        return [record for table in _RESULT.findall(text) if (record := _of_table(dict(_FIELD.findall(table))))]
    except ValueError:
        raise PlaygroundError(word("log_no_benchmark")) from None


def _of_table(fields: dict[str, str]) -> Record | None:
    """Read the record of one table; None where its server did not speculate."""
    if "Drafts" in fields and "Draft tokens" in fields:
        rates = [float(fields[name]) for at in range(len(fields)) if (name := f"Position {at}") in fields]
        steps, drafted, accepted = (int(fields[name]) for name in ("Drafts", "Draft tokens", "Accepted tokens"))
        by_position = rates_of(rates, "Per-position acceptance", 100.0) or None
        record = Record(vllm.NAME, drafted, accepted, steps=steps, rates=by_position)
        return inferred(record, rate_half=_HALF_PERCENT)
    if "Accept length" in fields and "Backend" in fields:
        emitted = int(fields["Total generated tokens"]) if "Total generated tokens" in fields else None
        mean = mean_of(float(fields["Accept length"]), "Accept length")
        return Record(_backend(fields["Backend"]), emitted=emitted, mean=mean)
    return None


def _backend(name: Any) -> str:
    """Return the server that a tool names; `openai` and the like name none."""
    return next((server for prefix, server in _ENGINES.items() if str(name).lower().startswith(prefix)), UNNAMED)
