"""The counters of `/metrics` of vLLM, llama.cpp, TensorRT-LLM and SGLang: what each server did since it started.

The names are those of vLLM 0.11 and later; llama.cpp has the same under its own prefix. All engines are added up. The
acceptance length of TensorRT-LLM (collector.py) and of SGLang is a gauge, of the moment of the scrape: it is said, and
not divided into the counters. Every rank of a tensor-parallel server writes the same, so equal ones are one.

Counters count since a server began, so a later scrape holds the earlier ones of the same labels. One in which a counter
is lower is of another server, or of one that started again: both are added up, and never subtracted from each other.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from playground.errors import PlaygroundError
from playground.servers.lines import position_in, samples
from playground.servers.record import Record, by_position, count_of, mean_of
from playground.words import word

GAUGE, GAUGE_BESIDE_COUNTS = word("log_gauge"), word("log_gauge_beside_counts")
_SERVERS = {
    "vllm:spec_decode_": "vLLM",
    "llamacpp:spec_decode_": "llama.cpp",
    "trtllm_spec_decode_": "TensorRT-LLM",
    "sglang:spec_": "SGLang",
}
_FIELDS = {
    "num_drafts": "rounds",
    "num_draft_tokens": "drafted",
    "num_accepted_tokens": "accepted",
    "num_accepted_tokens_per_pos": "accepted_at",
    "drafted_tokens": "drafted_at",
    "accepted_tokens": "accepted_at",
}
_MEANS = ("acceptance_length", "accept_length")
MOST_PROCESSES = 16  # A file with more of the same labels is refused.
_Series = tuple[str, str]  # A series has a name and labels.
_Scrape = dict[_Series, float]
_Counts = defaultdict[str, Counter[int | None]]  # field -> position -> count; None where a series names no position


def from_counters(text: str) -> list[Record]:
    """Read one record of each server; of one that wrote only its gauge, one for each of its values."""
    counts: dict[str, _Counts] = defaultdict(lambda: defaultdict(Counter))
    means: dict[str, set[float]] = defaultdict(set)
    for series, labels, number in _last_scrapes(text):
        prefix = next((prefix for prefix in _SERVERS if series.startswith(prefix)), "")
        server, name = _SERVERS.get(prefix, ""), series.removeprefix(prefix).removesuffix("_total")
        if server and name in _FIELDS:
            counts[server][_FIELDS[name]][position_in(labels)] += count_of(number, name) or 0
        elif server and name in _MEANS and (mean := mean_of(number, name)):
            means[server].add(mean)
    alone = [
        Record(each, mean=mean, remarks=(GAUGE,))
        for each in sorted(means.keys() - counts)
        for mean in sorted(means[each])
    ]
    return [_counted(server, own, means[server]) for server, own in counts.items()] + alone


def _last_scrapes(text: str) -> Iterator[tuple[str, str, float]]:
    """Yield the series of the last scrape of each process.

    Raises:
        PlaygroundError: if a scrape could be of several processes.
    """
    scrapes: dict[str, list[_Scrape]] = defaultdict(lambda: [{}])  # The key is the labels, which may name a process.
    before: tuple[_Series, float] | None = None
    for series, labels, number in samples(text, *_SERVERS):
        own, key = scrapes[_without_position(labels)], (series, labels)
        if key in own[-1] and (key, number) != before:
            own.append({})
        own[-1][key], before = number, (key, number)
    for own in scrapes.values():
        for process in _processes(own):
            yield from ((series, labels, number) for (series, labels), number in process.items())


def _processes(scrapes: Iterable[_Scrape]) -> list[_Scrape]:
    """Return the last counters of each process, of scrapes that do not name it."""
    processes: list[_Scrape] = []
    for scrape in scrapes:
        earlier = [each for each in processes if not _fell(each, scrape)]
        if len(earlier) > 1 or len(processes) > MOST_PROCESSES:
            raise PlaygroundError(
                "The scrapes of /metrics are of several servers, or of one that started again, and nothing in them "
                "says which is whose. Give each server a file of its own."
            )
        if not earlier:
            processes.append({})
        (earlier or processes)[-1].update(scrape)
    return processes


def _fell(before: _Scrape, scrape: _Scrape) -> bool:
    """Return whether a counter is lower than before; a gauge may be."""
    return any(number < before.get(key, 0) for key, number in scrape.items() if not key[0].endswith(_MEANS))


def _without_position(labels: str) -> str:
    before, name, after = labels.partition('position="')
    return before + after.partition('"')[2] if name else labels


def _counted(server: str, own: _Counts, means: set[float]) -> Record:
    """Make the record of one server, with its positions where they add up."""
    accepted_at, drafted_at = own["accepted_at"], sorted(own["drafted_at"].items(), key=lambda each: each[0] or 0)
    if drafted_at:
        return by_position(server, [count for _, count in drafted_at], [accepted_at[at] for at, _ in drafted_at])
    totals: dict[str, Any] = {name: own[name].total() for name in ("rounds", "drafted", "accepted") if name in own}
    reached = tuple(accepted_at[at] for at in range(len(accepted_at)))
    is_whole = sum(reached) == accepted_at.total() == totals.get("accepted")
    mean = next(iter(means)) if len(means) == 1 else None
    return Record(
        server,
        **totals,
        reached=reached if reached and is_whole else None,
        mean=mean,
        remarks=() if mean is None else (GAUGE_BESIDE_COUNTS,),
    )
