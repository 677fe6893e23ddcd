"""Logs of the servers: their totals, what is cut off, and what means harm.

The numbers in logs/ are their authors' own: vLLM's of pull request 48915 and a public log of August 2026, SGLang's of
pull requests 33518, 13754 and 30393 and of issue 11948, llama.cpp's of pull request 24536. What has round numbers was
written for these tests, in the same form.
"""

import json
from dataclasses import fields
from pathlib import Path

import pytest

from playground.errors import PlaygroundError
from playground.servers import reading
from playground.servers.counters import GAUGE_BESIDE_COUNTS, from_counters
from playground.servers.findings import findings, verdict
from playground.servers.reading import load_log, read_log
from playground.servers.record import LONGEST, Record, count_of, seconds_of

LOGS = Path(__file__).parent / "logs"
WHOLE = json.loads((LOGS / "sglang.json").read_text())


@pytest.mark.parametrize(
    ("file", "server", "level", "requests", "rounds", "drafted", "accepted", "emitted"),
    [
        ("vllm_responses.jsonl", "vLLM", "rounds", 2, 47, 139, 15, 62),
        ("vllm.log", "vLLM", "rounds", 2, 74, 518, 323, None),
        ("vllm_metrics.txt", "vLLM", "rounds", 1, 100, 300, 180, None),
        ("sglang.json", "SGLang", "totals", 2, 231, 1155, 74, 306),
        ("sglang_detailed.json", "SGLang", "rounds", 1, 3, 8, 4, 9),
        ("sglang.log", "SGLang", "means", 5, None, None, None, None),
        ("llama_cpp.log", "llama.cpp", "totals", 2, None, 267, 170, 264),
        ("llama_cpp.json", "llama.cpp", "totals", 1, None, 12, 9, 16),
    ],
)
def test_the_totals_are_the_servers_own(file, server, level, requests, rounds, drafted, accepted, emitted):
    log = load_log(LOGS / file)
    report = findings(log.records)
    assert not log.notes and report.servers == (server,) and report.level == level and report.requests == requests
    assert (report.rounds, report.drafted, report.accepted, report.emitted) == (rounds, drafted, accepted, emitted)


def test_the_time_is_that_of_decoding_without_the_prompt():
    report = findings(load_log(LOGS / "llama_cpp.log").records)
    assert report.seconds == pytest.approx((2296.72 + 161.86) / 1000)
    assert findings(load_log(LOGS / "llama_cpp.json").records).tokens_per_s == pytest.approx(40.0)


def test_a_stream_without_ids_counts_its_request_once():
    """llama.cpp's own /completion, asked for the timings of every token, twice."""
    parts = [(4, False), (8, False), (12, True), (3, False), (6, True)]
    events = [
        {"content": "a", "stop": stop, "timings": {"draft_n": n, "draft_n_accepted": 1, "predicted_n": n}}
        for n, stop in parts
    ]
    text = "".join(f"data: {json.dumps(event)}\n\n" for event in events)
    assert [record.drafted for record in read_log(text.encode()).records] == [12, 6]
    cut_off = text[: text.index('"predicted_n": 12')]
    assert [record.drafted for record in read_log(cut_off.encode()).records] == [8]


def test_a_stream_counts_its_request_once():
    events = [{"id": "a", "timings": {"draft_n": n, "draft_n_accepted": n // 2, "predicted_n": n}} for n in (4, 8)]
    text = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n"
    log = read_log(text.encode())
    assert [record.drafted for record in log.records] == [8] and not log.notes


@pytest.mark.parametrize("file", ["vllm_responses.jsonl", "sglang.json"])
def test_a_log_that_is_cut_keeps_what_was_whole_and_says_so_in_a_sentence(file):
    content = (LOGS / file).read_bytes()
    log = read_log(content[: len(content) - 60])
    assert len(log.records) == 1 and len(log.notes) == 1
    assert "cut off" in log.notes[0] and log.notes[0].count(".") == 1
    assert log.records[0] == load_log(LOGS / file).records[0]


@pytest.mark.parametrize("file", sorted(file.name for file in LOGS.iterdir()))
def test_wherever_a_file_is_cut_its_numbers_are_those_of_its_beginning(file):
    content = (LOGS / file).read_bytes()
    whole = load_log(LOGS / file).records
    for end in range(0, len(content), 7):
        try:
            records = read_log(content[:end]).records
        except PlaygroundError:
            continue
        if file == "vllm_metrics.txt":  # Some counters may be missing, which is blank.
            assert records[0].rounds == 100 and records[0].drafted in (None, 300) and not records[0].reached
        else:
            for record, complete in zip(records, whole, strict=False):
                assert_within(record, complete)


def assert_within(record, complete):
    """A line that was cut off gives the values of the whole line as far as it goes, and blanks for the others."""
    for field in fields(record):
        value = getattr(record, field.name)
        assert value in (None, (), getattr(complete, field.name)) or field.name in {"remarks", "rounds_within"}


def test_a_broken_line_between_whole_ones_is_left_out_and_named():
    line = json.dumps(WHOLE[0])
    log = read_log(f"{line}\n{{broken\n{line}\n".encode())
    assert len(log.records) == 2 and "left out" in log.notes[0]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"  \n",
        b"hello",
        b"\x00\xff\xfe" * 50,
        b"{}",
        b"[1, 2, 3]",
        b'{"timings": {"predicted_n": 5}}',
        b'{"timings": {"draft_n": true, "draft_n_accepted": 1}}',
        b'{"timings": {"draft_n": NaN}}',
        b'{"timings": {"draft_n": 1e999}}',
        b'{"timings": {"draft_n": -1}}',
        b'{"timings": {"draft_n": 3, "draft_n_accepted": 4}}',
        b'{"timings": {"draft_n": ' + b"9" * 5000 + b"}}",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"{\n" * 200_000,  # each broken value costs a look at all that is before it: nothing else took hours
        b'{"num_spec_steps": 2, "num_draft_tokens": 4, "acceptance_histogram": [1, 1, 1]}',
        b'{"num_spec_steps": 1, "num_draft_tokens": 4, "acceptance_histogram": {"x": 1}}',
        b'{"speculative_decoding_stats": {"verify_lengths": [1], "accept_lengths": [1, 1]}}',
        b'{"speculative_decoding_stats": {"verify_lengths": [0], "accept_lengths": [0]}}',
        b'{"format": "speculative-decoding-steps", "steps": [{"drafted": [1], "accepted": 1000000000}]}',
        b'{"format": "speculative-decoding-steps", "steps": 5}',
        b'vllm:spec_decode_num_drafts_total{a="b"} 1e400\n',
        b"draft acceptance rate = 0.5 (    9 accepted /     8 generated)\n",
        b"eval time = 1.1.1.1 ms / 5 tokens\n",
    ],
)
def test_what_is_no_log_is_one_sentence_that_says_what_is_wanted(content):
    with pytest.raises(PlaygroundError, match="Wanted: "):
        read_log(content)


def test_a_histogram_too_large_to_build_and_a_file_that_is_too_long_are_refused():
    rounds = {"verify_lengths": [10**9], "accept_lengths": [10**9]}
    with pytest.raises(PlaygroundError, match="more than 4,096"):
        read_log(json.dumps({"speculative_decoding_stats": rounds}).encode())
    with pytest.raises(PlaygroundError, match="longer than 10 bytes"):
        read_log(b"x" * 11, most=10)


@pytest.mark.parametrize("content", [b"{}" * 3000, b"[" + b"1," * 3000, b"{}\n" * 3000])
def test_a_file_of_countless_values_is_not_read_to_its_end(content, monkeypatch):
    monkeypatch.setattr(reading, "MAX_VALUES", 2000)
    with pytest.raises(PlaygroundError, match=r"more than 2,000 JSON values\. Take a part of it\."):
        read_log(content)


def test_no_text_of_a_log_comes_back():
    """A model's words, or a prompt in a log, must not reach a page by this way."""
    hostile = "<img src=x onerror=alert(1)>${alert(1)}"
    record = {"id": hostile, "text": hostile, "meta_info": {"id": hostile, **WHOLE[0]["meta_info"]}}
    assert "alert" not in repr(read_log(json.dumps(record).encode()))
    lines = f"{hostile} draft acceptance rate = 0.37500 (    3 accepted /     8 generated) {hostile}\n"
    assert "alert" not in repr(read_log(lines.encode()))


def test_a_log_that_tells_means_alone_is_not_made_into_counts():
    """SGLang's lines say how many tokens a call brought, and not how many calls there were: so no total is made up."""
    report = findings(load_log(LOGS / "sglang.log").records)
    assert report.means == (1.72, 2.17) and report.timeline == (2.17, 1.95, 1.80, 1.73, 1.72)
    assert report.draft_efficiency is None and report.accepted_per_round is None and report.survival is None
    assert verdict(report, 0.1) == (
        "A target call brought 1.72 to 2.17 tokens with its own. The log does not say how many calls."
    )
    with pytest.raises(PlaygroundError, match="not a mean of 1 or more"):
        read_log(b"[2026-08-14 14:02:47 TP0] Decode batch, #running-req: 3, accept len: 0.67, accept rate: 0.13, x\n")


def test_a_gauge_beside_counts_is_told_and_counts_alone_say_nothing_of_one():
    counts = "vllm:spec_decode_num_drafts_total 40\nvllm:spec_decode_num_accepted_tokens_total 72\n"
    [alone] = from_counters(counts)
    [beside] = from_counters(counts + "vllm:spec_decode_acceptance_length 2.8\n")
    assert (alone.mean, alone.remarks) == (None, ())
    assert (beside.mean, beside.remarks) == (2.8, (GAUGE_BESIDE_COUNTS,))
    assert [each.rounds for each in (alone, beside)] == [40, 40]


def test_a_request_that_was_left_out_is_named_by_its_number():
    bad = {"timings": {"draft_n": 3, "draft_n_accepted": 4}}
    log = read_log("\n".join(json.dumps(each) for each in (WHOLE[0], bad, WHOLE[0])).encode())
    assert len(log.records) == 2 and log.notes == (
        "Request 2 was left out: 4 tokens were accepted of 3 that were drafted.",
    )


def test_lists_of_steps_are_read_with_the_lengths_that_stand_beside_them():
    """vLLM's, with and without what each round drafted, and with lists that do not belong together."""

    def of(**numbers):
        return read_log(json.dumps({"num_spec_steps": 2, "num_draft_tokens": 5, **numbers}).encode()).records[0]

    assert of(per_step_accepted=[2, 0], per_step_drafted=[3, 2]).per_round == ((3, 2), (2, 0))
    assert of(per_step_accepted=[2, 0]).per_round == ((None, 2), (None, 0))
    assert of(num_spec_tokens=3).length is None and of(num_spec_tokens=3, num_draft_tokens=6).length == 3
    with pytest.raises(PlaygroundError, match="It lists 2 rounds that accepted and 1 that drafted"):
        of(per_step_accepted=[2, 0], per_step_drafted=[3])


@pytest.mark.parametrize(("value", "parts", "seconds"), [
    (1500, 1000, 1.5), (0.5, 1, 0.5), (0, 1, None), (-1, 1, None), (True, 1, None), (float("nan"), 1, None),
    (10**15, 1, None), (None, 1, None), ("3", 1, None),
])  # fmt: skip
def test_a_time_is_a_number_above_0(value, parts, seconds):
    assert seconds_of(value, parts) == seconds


def test_a_step_may_have_as_many_tokens_as_the_longest_draft():
    record = Record("vLLM", LONGEST, LONGEST, rounds=1, per_round=((LONGEST, LONGEST),))
    assert record.level == "rounds" and Record("vLLM", per_round=((None, LONGEST),))
    for round in ((LONGEST + 1, 1), (None, LONGEST + 1)):
        with pytest.raises(PlaygroundError, match="more than 4,096 tokens"):
            Record("vLLM", per_round=(round,))


@pytest.mark.parametrize(("verify", "accept"), [([3, 2], [0, 1]), ([0, 2], [1, 1]), (None, [1, 0]), ([3, 0], [2, 1])])
def test_a_step_without_its_own_token_is_refused(verify, accept):
    """SGLang's lists count the token that is always there."""
    stats = {"verify_lengths": verify, "accept_lengths": accept}
    with pytest.raises(PlaygroundError, match="has a length of 0"):
        read_log(json.dumps({"speculative_decoding_stats": stats}).encode())


def test_lists_that_count_the_tokens_own_are_told_without_it():
    def of(**stats):
        return read_log(json.dumps({"speculative_decoding_stats": stats}).encode()).records[0]

    assert of(verify_lengths=[4, 3], accept_lengths=[3, 1]).per_round == ((3, 2), (2, 0))
    alone = of(accept_lengths=[3, 1])
    assert (alone.per_round, alone.drafted, alone.accepted, alone.rounds) == (((None, 2), (None, 0)), None, 2, 2)


@pytest.mark.parametrize(("value", "count"), [(4.0, 4), (0, 0), (10**15, 10**15), (None, None)])
def test_a_count_is_whole(value, count):
    assert count_of(value, "n") == count


@pytest.mark.parametrize("value", [4.5, -1, True, "4", 10**15 + 1, [4]])
def test_what_is_no_count_is_refused(value):
    with pytest.raises(PlaygroundError, match='"n" is not a count'):
        count_of(value, "n")


def test_a_call_that_brought_its_own_token_alone_is_a_mean_of_1():
    line = "[2026-08-14 14:02:47 TP0] Decode batch, #running-req: 3, accept len: 1.00, accept rate: 0.13, x\n"
    assert [record.mean for record in read_log(line.encode()).records] == [1]


def test_a_call_without_drafts_is_no_step_that_drafted():
    rounds = [{"drafted": [1, 2], "accepted": 1}, {"drafted": [], "accepted": 0}]
    (record,) = read_log(
        json.dumps({"format": "speculative-decoding-steps", "rounds": rounds, "emitted": 3}).encode()
    ).records
    assert (record.rounds, record.per_round, record.drafted, record.accepted) == (1, ((2, 1),), 2, 1)


@pytest.mark.parametrize(("drafted", "length"), [(6, 3), (7, None), (0, None)])
def test_a_fixed_length_is_told_only_where_it_divides_what_was_drafted(drafted, length):
    numbers = {"spec_verify_ct": 2, "spec_draft_token_num": drafted, "spec_accept_token_num": 0}
    assert read_log(json.dumps(numbers).encode()).records[0].length == length


def test_a_histogram_is_read_where_no_list_of_steps_is():
    numbers = {"spec_verify_ct": 2, "spec_draft_token_num": 6, "spec_accept_token_num": 3}
    (record,) = read_log(json.dumps(numbers | {"spec_accept_histogram": [0, 1, 1]}).encode()).records
    assert (record.histogram, record.per_round, record.length) == ((0, 1, 1), None, 3)
