"""A trace survives being a file, and no file, however broken, does worse than a sentence."""

import gzip
import json
import tracemalloc

import numpy as np
import pytest

from playground import run
from playground.errors import PlaygroundError
from playground.trace import (
    Trace,
    event_from_dict,
    event_to_dict,
    from_bytes,
    from_json,
    load,
    save,
    to_json,
)
from playground.trace.storage import MAX_BYTES
from tests.trace.example import autoregressive_trace, replace, speculative_trace

EXAMPLES = pytest.mark.parametrize("trace", [Trace(()), speculative_trace(), autoregressive_trace()])


@EXAMPLES
def test_reading_what_was_written_gives_the_rounded_trace(trace):
    once = from_json(to_json(trace))
    assert from_json(to_json(once)) == once
    assert [type(event) for event in once.events] == [type(event) for event in trace.events]


def test_measured_numbers_keep_six_digits_log_probs_nine_and_settings_all():
    started, *_, committed, _ = speculative_trace().events
    assert event_to_dict(replace(started, prefill_s=0.123456789))["prefill_s"] == 0.123457
    assert event_to_dict(replace(committed, log_probs=[-1.23456789012]))["log_probs"] == [-1.23456789]
    assert event_to_dict(replace(started, sampling={"temperature": 0.1 + 0.2}))["sampling"] == {
        "temperature": 0.1 + 0.2
    }


@pytest.mark.parametrize("numbers", [(-1.23456789012,), [np.float64(-1.23456789012)]])
def test_tuples_and_numbers_of_numpy_are_written_as_lists_and_numbers_are(numbers):
    *_, committed, _ = speculative_trace().events
    assert event_to_dict(replace(committed, log_probs=numbers))["log_probs"] == [-1.23456789]


def test_what_json_has_no_word_for_is_not_written_as_text():
    *_, committed, _ = speculative_trace().events
    with pytest.raises(TypeError):
        event_to_dict(replace(committed, log_probs=[np.float32(-1)]))


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_numbers_that_are_not_finite_are_not_written(number):
    *_, committed, finished = speculative_trace().events
    with pytest.raises(PlaygroundError, match=r"committed, log_probs"):
        event_to_dict(replace(committed, log_probs=[number]))
    with pytest.raises(PlaygroundError, match=r"run_finished, energy"):
        to_json(Trace((replace(finished, energy={"joules": number}),)))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\ud800",
        "\udfff alone",
        "\x00\x07\x1b[31m\x7f",
        "👩‍👩‍👧 שלום",
        "\u2028\u2029",
        '"\\',
        "</script><script>alert(1)",
    ],
)
def test_any_text_a_model_may_write_survives(text):
    started, *_, finished = speculative_trace().events
    trace = Trace((replace(started, prompt=text, pieces={"1": text}), replace(finished, text=text)))
    written = to_json(trace)
    assert "<" not in written and written.isascii()
    read = from_json(written)
    assert (read.events[0].prompt, read.events[0].pieces, read.events[1].text) == (text, {"1": text}, text)


def test_a_place_that_cannot_be_written_or_read_is_a_sentence(tmp_path):
    with pytest.raises(PlaygroundError, match=r"the folder .*missing does not exist\. Choose another"):
        save(speculative_trace(), tmp_path / "missing" / "run.json")
    with pytest.raises(PlaygroundError, match=r"Cannot read .*No such file"):
        load(tmp_path / "missing.json")
    with pytest.raises(PlaygroundError, match=r"Cannot read .*Is a directory"):
        load(tmp_path)


def test_a_file_that_is_not_text_is_a_sentence(tmp_path):
    (tmp_path / "run.json").write_bytes(b"\x89PNG\r\n")
    with pytest.raises(PlaygroundError, match=r"not UTF-8 text from byte 0"):
        load(tmp_path / "run.json")


def test_a_file_above_the_limit_is_refused_before_it_is_parsed(tmp_path):
    (tmp_path / "run.json").write_bytes(b" " * (MAX_BYTES + 7))
    with pytest.raises(PlaygroundError, match=r"run.json has 10,000,007 bytes; a trace may have 10,000,000"):
        load(tmp_path / "run.json")


def test_the_name_says_how_a_file_is_written_and_its_content_how_it_is_read(tmp_path):
    trace = from_json(to_json(speculative_trace()))
    plain, packed = tmp_path / "run.json", tmp_path / "run.json.gz"
    save(trace, plain)
    save(trace, packed)
    assert plain.read_text() == to_json(trace) == gzip.decompress(packed.read_bytes()).decode()
    plain.rename(tmp_path / "renamed.json.gz")
    packed.rename(plain)
    assert load(plain) == load(tmp_path / "renamed.json.gz") == trace


def test_the_same_trace_makes_the_same_bytes(tmp_path):
    contents = []
    for name in ("a.json.gz", "b.json.gz"):
        save(speculative_trace(), tmp_path / name)
        contents.append((tmp_path / name).read_bytes())
    assert contents[0] == contents[1]


def test_a_cut_or_damaged_packed_file_is_a_sentence():
    content = gzip.compress(to_json(speculative_trace()).encode())
    for length in range(2, len(content), 41):
        with pytest.raises(PlaygroundError, match=r"file is damaged or cut off.* Copy it again\.$"):
            from_bytes(content[:length], "file")
    damaged = bytearray(content)
    damaged[-6] ^= 255  # the checksum
    for wrong in (bytes(damaged), content[:40] + bytes(20) + content[60:], content + b"more", b"\x1f\x8b"):
        with pytest.raises(PlaygroundError, match=r"damaged or cut off"):
            from_bytes(wrong)


def test_a_file_that_would_fill_the_memory_is_refused_before_it_does():
    """A gigabyte of blanks takes a megabyte under gzip; no more than a trace may have is ever unpacked."""
    part = gzip.compress(b" " * 100_000_000)
    for bomb in (part * 10, gzip.compress(b"") * 1000 + part):
        tracemalloc.start()
        with pytest.raises(PlaygroundError, match=r"file unpacks to more than the 10,000,000 bytes") as refusal:
            from_bytes(bomb, "file")
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 4 * MAX_BYTES and str(refusal.value).endswith("of fewer tokens.")


def _file(**changes):
    return json.dumps({**json.loads(to_json(speculative_trace())), **changes})


def _with(number, **changes):
    """The file with fields of its event changed; events count from 1."""
    data = json.loads(to_json(speculative_trace()))
    data["events"][number - 1].update(changes)
    return json.dumps(data)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "file is empty"),
        (" \n", "file is empty"),
        ("hello", "does not begin like a trace"),
        ("[]", 'not a trace: "format" is not'),
        ("3", 'not a trace: "format" is not'),
        ('{"format": "png"}', 'not a trace: "format" is not'),
        (_file(version=4), "a trace of version 4; this program reads 3. Update"),
        (_file(version=1), "a trace of version 1; this program reads 3. Update"),
        (_file(version=True), "a trace of version true"),
        (_file(version=1.0), "a trace of version 1.0"),
        (_file(version=None), "a trace of version null"),
        (_file(events={}), '"events", at most'),
        (_file(comment="hi"), "and nothing else"),
        (_file(events=[3]), "Event 1 is 3, not an object"),
        (_file(events=[{"event": "draftd"}]), "unknown kind \"draftd\". Did you mean 'drafted'?"),
        (_file(events=[{"event": ["drafted"]}]), 'unknown kind ["drafted"].'),
        (_file(events=[{"event": "drafted"}]), "Event 1 (drafted): the field 'round' is missing."),
        (_with(2, nods=[1]), "Event 2 (drafted): the field \"nods\" is unknown. Did you mean 'nodes'?"),
        (_with(2, nodes=[2.0]), "Event 2 (drafted), nodes[0]: 2.0 is not a whole number."),
        (_with(2, nodes=[True]), "Event 2 (drafted), nodes[0]: true is not a whole number."),
        (_with(2, nodes=[-1]), "Event 2 (drafted), nodes[0]: -1 is below the limit, 0."),
        (_with(2, nodes=[10**15]), "is above the limit, 2147483647."),
        (_with(2, draft_probs=[1.7]), "Event 2 (drafted), draft_probs[0]: 1.7 is above the limit"),
        (_with(2, pieces={"x": "y"}), 'Event 2 (drafted): pieces: "x" is not the id of a token.'),
        (_with(4, overlaps=["1"]), 'Event 4 (scored), overlaps[0]: "1" is not a number or null.'),
        (_with(4, alternatives=[[[5, 0.5]]]), "Event 4 (scored), alternatives[0][0]: 2 entries do not fit"),
        (_with(4, nodes=[[2, 3]]), "Event 4 (scored), nodes[0]: [2, 3] is not a whole number."),
        (_with(4, mask=["100", 0]), "Event 4 (scored), mask[1]: 0 is not text."),
        (_with(5, reasons=["a", 0]), "Event 5 (verified), reasons[1]: 0 is not text."),
        (
            _with(5, outcomes=["accepted", [0, 2]]),
            "Event 5 (verified), outcomes[1]: [0, 2] is not text.",
        ),
        (_with(4, mask=["2"]), 'Event 4 (scored), mask[0]: "2" is not allowed here'),
        (_with(5, outcomes=["maybe"]), '"maybe" is none of accepted, rejected, not_tested.'),
        (_with(6, clock_s=-1), "Event 6 (committed), clock_s: -1 is below"),
        (_with(1, title="x" * 300), "Event 1 (run_started), title: a text of 300 characters is too long"),
        (
            _with(1, options={"a": [[1]]}),
            'options["a"][0]: [1] is not true or false, a whole number, a number, text, or null.',
        ),
        (_with(1, prompt_ids=[]), "prompt_ids: 0 entries do not fit; allowed: at least 1."),
        ('{"format": "a", "format": "b"}', 'file has the key "format" twice in one object.'),
        ('{"version": NaN}', "file holds NaN, which is not a number"),
        ('{"version": -Infinity}', "file holds -Infinity, which is not a number"),
        ('{"version": 1e999}', "file holds 1e999, a number too large to be meant."),
        ('{"version": ' + "9" * 5000 + "}", "a number of 5,000 digits, too large to be meant."),
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
        (_file(events="").replace('""', "[" * 900 + "]" * 900), "Event 1 is "),
        (_with(1, options={"a": 0}).replace('"a": 0', '"a": ' + "[" * 900 + "]" * 900), 'options["a"][0]: [['),
    ],
)
def test_a_broken_file_is_refused_in_a_sentence_that_says_where(text, sentence):
    with pytest.raises(PlaygroundError) as refusal:
        from_json(text, source="file")
    assert sentence in str(refusal.value)
    assert len(str(refusal.value)) < 500 and str(refusal.value).endswith(".")


def test_a_single_event_is_checked_as_in_a_file():
    event = speculative_trace().events[1]
    assert event_from_dict(event_to_dict(event)) == event
    with pytest.raises(PlaygroundError, match=r"The event .drafted., depth: 0 is below"):
        event_from_dict({**event_to_dict(event), "depth": 0})


def test_a_file_cut_anywhere_is_refused_as_cut():
    text = to_json(speculative_trace())
    for length in range(97, len(text), 97):
        with pytest.raises(PlaygroundError, match=r"cut off after|not valid JSON"):
            from_json(text[:length])


@pytest.mark.parametrize("method", ["specinfer", "bild"])
def test_a_probability_that_stands_in_two_places_is_written_alike_in_both(method):
    """p of a tested token, beside the list of what could follow: 0.80049 read 0.800 there and 0.801 here."""
    trace = from_json(to_json(run(method, "Once upon a time", max_new_tokens=48, seed=3)))
    compared = 0
    for each in trace.rounds:
        listed = dict(zip(each.scored.nodes, each.scored.alternatives, strict=True))
        token_of = {
            node: token for event in each.drafted for node, token in zip(event.nodes, event.tokens, strict=True)
        }
        for node, p in zip(each.verified.nodes, each.verified.target_probs, strict=True):
            rows = {row[0]: row[1] for row in listed.get(each.parent_of[node], [])}
            if p is not None and token_of[node] in rows:
                assert f"{rows[token_of[node]]:.3f}" == f"{p:.3f}", (each.number, node)
                compared += 1
    assert compared > 20
