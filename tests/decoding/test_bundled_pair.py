"""The bundled pair against transformers itself."""

import gzip
import json
import shlex
from functools import cache, partial
from pathlib import Path

import pytest
import torch

from playground.decoding.decode import Request
from playground.decoding.method import make_method, methods
from playground.models.loading import Models
from playground.models.sampling import Sampling
from playground.models.sources.placement import find_placement
from playground.trace import load, to_json, validate
from tests.decoding.runs import tokens, trace_of
from tests.models.small import generated

OPENINGS = ["Once upon a time", "The letter began:"]


@pytest.fixture(scope="module")
def pair():
    torch.set_num_threads(1)
    return Models.named(placement=find_placement(dtype="float32")).load()


@pytest.fixture(scope="module")
def expected(pair):
    """`expected(prompt_ids, num_tokens, ...)`: what transformers writes; once, as every method is compared."""
    return cache(partial(generated, pair.target.model))


@pytest.mark.slow
@pytest.mark.parametrize("method", [name for name, each in methods().items() if each.reproduces == "target sampling"])
def test_greedy_equals_transformers_generate(pair, expected, method):
    """24 tokens, in float32, where near-ties do not flip.

    A wrong position, mask or cache shows within a round or two; on other models test_every_method.py asks the same.
    """
    request = Request(make_method(method), pair.target, OPENINGS[0], pair.draft, Sampling(0), max_new_tokens=24)
    assert tokens(request) == expected(tuple(request.prompt_ids), 24)


@pytest.mark.slow
@pytest.mark.parametrize("method", [name for name, each in methods().items() if each.reproduces == "beam search"])
@pytest.mark.parametrize(("width", "length_penalty", "end"), [(4, 1.0, None), (4, -1.0, ".")])
def test_beam_search_equals_transformers_generate(pair, expected, monkeypatch, method, width, length_penalty, end):
    """30 tokens after two openings; where a full stop ends a text, many end early and compete with live ones."""
    target = pair.target
    stop = target.vocabulary.encode(end)[-1] if end else next(iter(target.eos_ids))
    monkeypatch.setattr(target, "eos_ids", frozenset([stop]))
    for prompt in OPENINGS:
        beams = make_method(method, {"width": width, "length_penalty": length_penalty})
        request = Request(beams, target, prompt, pair.draft, Sampling(), max_new_tokens=30)
        searched = {"num_beams": width, "length_penalty": length_penalty, "eos_token_id": stop}
        assert tokens(request) == expected(tuple(request.prompt_ids), 30, **searched), prompt


@pytest.mark.slow
@pytest.mark.parametrize("method", methods())
def test_a_trace_stays_small(pair, monkeypatch, method):
    """Of 128 tokens, 400 kB and 80 kB packed at most: measured on an eighth, as it grows by the round."""
    monkeypatch.setattr(pair.target, "eos_ids", frozenset())  # else a story may end before
    trace = trace_of(Request(make_method(method), pair.target, "Once upon a time", pair.draft, max_new_tokens=16))
    validate(trace)
    assert trace.events[-1].num_tokens == 16
    text = to_json(trace).encode()
    assert len(text) < 50_000 and len(gzip.compress(text)) < 10_000


def test_recorded_runs_are_valid_small_and_made_as_the_index_says():
    """The flags in the index make each again. A new method needs none: its file is enough."""
    folder = Path("assets/traces")
    index = json.loads((folder / "index.json").read_text())
    assert {path.name for path in folder.glob("*.json*")} == {"index.json", *(entry["file"] for entry in index)}
    for entry in index:
        trace = load(folder / entry["file"])
        validate(trace)
        started, flags = trace.events[0], shlex.split(entry["run"])
        pairs = list(zip(flags, [*flags[1:], ""], strict=True))  # Some are a flag and its value.
        said = {flag: value for flag, value in pairs if flag.startswith("--")}  # The last of several --set is left.
        options = [value for flag, value in pairs if flag == "--set"]
        assert said["--method"] == started.method in methods() and said["--prompt"] in started.prompt
        assert ("--chat" in flags) == (said["--prompt"] != started.prompt)  # a chat template puts it into a turn
        assert int(said["--seed"]) == started.seed and int(said["--max-new-tokens"]) == started.max_new_tokens
        assert float(said["--temperature"]) == started.sampling["temperature"]
        for name, _, value in (option.partition("=") for option in options):
            assert started.options[name] == type(started.options[name])(value), (entry["file"], name)
        assert (folder / entry["file"]).stat().st_size < 40_000, entry["file"]
    assert sum(path.stat().st_size for path in folder.iterdir()) < 15_000 * len(index), "a run has 15 kB on average"
