"""What every decoding method must hold to. Methods are discovered: a new file is tested by being there."""

import dataclasses

import numpy as np
import pytest
import torch

from playground.decoding.decode import Finished, Started, decode
from playground.decoding.method import DecodingMethod, make_method, methods
from playground.decoding.sampling import Sampling
from playground.errors import PlaygroundError
from playground.metrics.summary import summarise
from playground.models.table_model import TableModel
from playground.trace import from_json, to_json, validate
from playground.trace.events import Committed, Judged, RunFinished
from playground.trace.texts import best_text
from tests.decoding.runs import DRAFT, TARGET, request, tokens, trace_of
from tests.models.small import random_model

EVERY = sorted(methods())
LOSSLESS = [name for name in EVERY if methods()[name].reproduces == "target sampling"]
BEAMS = [name for name in EVERY if methods()[name].reproduces in {"beam search", "i.i.d. beam sampling"}]
SEARCHES = [name for name in EVERY if methods()[name].reproduces == "beam search"]
DRAFTING = [name for name in EVERY if methods()[name].needs_draft_model]


@pytest.mark.parametrize("name", EVERY)
def test_facts_are_declared(name):
    method = methods()[name]
    assert issubclass(method, DecodingMethod) and method.title and method.summary.endswith(".")
    assert method.reproduces in {"target sampling", "beam search", "i.i.d. beam sampling", "none"}
    assert method.lossless == (method.reproduces != "none")
    documentation = __import__(method.__module__, fromlist=["_"]).__doc__
    assert "Paper:" in documentation and "Differs from the paper:" in documentation
    for item in dataclasses.fields(method.Options):
        assert {"label", "help", "min", "max", "step", "unit"} <= item.metadata.keys()


@pytest.mark.parametrize("name", LOSSLESS)
@pytest.mark.parametrize("seed", range(5))
def test_greedy_equals_autoregressive(name, seed):
    """Tables are float64, so no near-tie can flip an argmax."""
    target, draft = TableModel.random(6, order=2, seed=seed), TableModel.random(6, order=2, seed=seed + 100)
    greedy = {"target": target, "draft": draft, "sampling": Sampling(temperature=0), "length": 40, "seed": seed}
    assert tokens(request(make_method(name), **greedy)) == tokens(request(make_method("autoregressive"), **greedy))


@pytest.mark.parametrize("name", BEAMS)
@pytest.mark.parametrize("seed", range(5))
def test_beams_without_choice_equal_autoregressive(name, seed):
    """One beam searches greedily; and at temperature 0 every draw of a sampling beam is the most likely token."""
    target, draft = TableModel.random(6, order=2, seed=seed), TableModel.random(6, order=2, seed=seed + 100)
    greedy = {"target": target, "draft": draft, "sampling": Sampling(temperature=0), "length": 40, "seed": seed}
    expected = tokens(request(make_method("autoregressive"), **greedy))
    for options in [{"width": 1}] if name in SEARCHES else [{"width": 1}, {"width": 4}]:
        assert tokens(request(make_method(name, options), **greedy)) == expected


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("width", [1, 2, 3, 5])
@pytest.mark.parametrize("eos", [frozenset(), frozenset([3])], ids=["endless", "ending"])
def test_every_search_finds_what_beam_search_finds(name, width, eos):
    """Token for token, with texts that end and without; the sampling settings and the seed have no say."""
    for seed in range(10):
        target = TableModel(TableModel.random(6, order=2, seed=seed).table, eos_ids=eos)
        models = {"target": target, "draft": TableModel.random(6, order=2, seed=seed + 100), "length": 20}
        expected = tokens(request(make_method("beam_search", {"width": width}), **models))
        asked = request(make_method(name, {"width": width}), **models, seed=seed, sampling=Sampling(0.7, 3, 0.9))
        assert tokens(asked) == expected


@pytest.mark.parametrize("name", DRAFTING)
@pytest.mark.parametrize("temperature", [0, 1])
def test_a_draft_equal_to_the_target_is_accepted_whole(name, temperature):
    """A sampled draw has p = q here and may not be rejected; a deterministic one has q = 1, and may be where p < 1."""
    trace = trace_of(request(make_method(name), draft=TARGET, sampling=Sampling(temperature)))
    judged = [event for event in trace.events if isinstance(event, Judged)]
    rows = [row for e in judged for row in zip(e.outcomes, e.target_probs, e.draft_probs, strict=True)]
    assert "accepted" in {outcome for outcome, _, _ in rows}
    assert [(p, q) for outcome, p, q in rows if outcome == "rejected" and p >= q] == []


@pytest.mark.parametrize("name", EVERY)
def test_same_seed_same_trace_another_seed_another(name):
    def run(seed):
        asked = request(make_method(name), seed=seed, length=40)
        return [event.tokens for event in trace_of(asked).events if isinstance(event, Committed)]

    assert run(7) == run(7)
    assert (run(7) == run(8)) == (name in SEARCHES), "only a search leaves nothing to chance"


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("length", [1, 2, 3, 7])
def test_the_budget_is_met_exactly(name, length):
    assert len(tokens(request(make_method(name), length=length))) == length


@pytest.mark.parametrize("name", EVERY)
def test_the_text_ends_at_the_first_end_token(name):
    """With and without the end token inside a draft: 60 seeds, nothing after it, the reason said."""
    target = TableModel(TARGET.table, eos_ids=frozenset([3]))
    for seed in range(60):
        trace = trace_of(request(make_method(name), target=target, seed=seed, length=30))
        emitted = [word.token for word in best_text(trace)]
        assert 3 not in emitted[:-1]
        assert trace.events[-1].reason == ("eos" if emitted[-1] == 3 else "length")
        validate(trace)


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("sampling", [Sampling(), Sampling(0), Sampling(0.7, 3, 0.9), Sampling(2.0)])
def test_traces_obey_the_laws_and_survive_storage(name, sampling):
    for seed in range(10):
        trace = trace_of(request(make_method(name), sampling=sampling, seed=seed))
        validate(trace)
        validate(from_json(to_json(trace)))


@pytest.mark.parametrize("name", EVERY)
def test_totals_equal_the_summary(name):
    trace = trace_of(request(make_method(name)))
    summary, finished = summarise(trace), trace.events[-1]
    assert (summary["num_tokens"], summary["target_calls"]) == (finished.num_tokens, finished.target_calls)
    assert summary["perplexity"] == pytest.approx(finished.perplexity)


@pytest.mark.parametrize("name", EVERY)
def test_stopping_keeps_what_was_done(name):
    asked, rounds = request(make_method(name)), iter([False, False, True])
    trace = trace_of(asked, stop=lambda: next(rounds))
    assert isinstance(trace.events[-1], RunFinished) and trace.events[-1].reason == "stopped"
    assert trace.events[-1].rounds == 2
    validate(trace)


@pytest.mark.parametrize("name", EVERY)
def test_stopping_before_the_first_round_is_an_empty_run(name):
    trace = trace_of(request(make_method(name)), stop=lambda: True)
    assert trace.events[-1].num_tokens == 0 and trace.events[-1].perplexity is None
    validate(trace)


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("size", [2, 3])
def test_tiny_vocabularies(name, size):
    target, draft = TableModel.random(size, seed=1), TableModel.random(size, seed=2)
    assert len(tokens(request(make_method(name), target=target, draft=draft, prompt=(0,)))) == 24


@pytest.mark.parametrize("name", DRAFTING)
def test_disjoint_supports_accept_nothing(name):
    target, draft = TableModel([0.5, 0.5, 0, 0]), TableModel([0, 0, 0.5, 0.5])
    trace = trace_of(request(make_method(name), target=target, draft=draft))
    assert trace.events[-1].num_accepted == 0 and set(trace.events[-1].text) <= {"a", "b"}
    validate(trace)


@pytest.mark.parametrize("name", DRAFTING)
def test_a_missing_draft_model_is_said(name):
    with pytest.raises(PlaygroundError, match="needs a draft model"):
        request(make_method(name), draft=None)


@pytest.mark.parametrize("name", EVERY)
def test_greedy_on_language_models_equals_a_plain_loop(name):
    """Against argmax over plain forward passes without any cache, in float32."""
    target, draft = random_model("llama", 1), random_model("llama", 2)
    for seed in range(3):
        prompt = [5 + seed, 7, 11]
        method = make_method(name, {"width": 1} if name in SEARCHES else {})
        asked = request(method, target=target, draft=draft, prompt=prompt, sampling=Sampling(0), length=30, seed=seed)
        expected = list(prompt)
        with torch.inference_mode():
            for _ in range(30):
                expected.append(int(target.model(torch.tensor([expected])).logits[0, -1].argmax()))
        if methods()[name].lossless:
            assert tokens(asked) == expected[3:]


@pytest.mark.parametrize("name", EVERY)
def test_the_context_ends_a_run(name):
    target = random_model("llama", 1)
    draft = random_model("llama", 2)
    asked = request(make_method(name), target=target, draft=draft, prompt=[1] * 200, length=56)
    assert len(tokens(asked)) == 56
    with pytest.raises(PlaygroundError, match="read 256 in all"):
        request(make_method(name), target=target, draft=draft, prompt=[1] * 200, length=57)


@pytest.mark.parametrize("name", EVERY)
def test_inference_mode_does_not_leak_between_rounds(name):
    for item in decode(request(make_method(name))):
        assert not torch.is_inference_mode_enabled(), type(item).__name__


@pytest.mark.parametrize("name", EVERY)
def test_the_clock_stands_still_between_rounds(name):
    """A consumer that takes its time must not be in the measured time: the readings say so by themselves."""
    import time

    items = []
    for item in decode(request(make_method(name), length=6)):
        time.sleep(0.02)  # the consumer's own time
        items.append(item)
    assert isinstance(items[0], Started) and isinstance(items[-1], Finished)
    for item in items[1:-1]:
        assert item.clock_s < 0.02 * len(items) / 2, "20 ms a round would have been counted"
        assert item.draft_s >= 0 and item.verify_s >= 0 and item.other_s >= 0


@pytest.mark.parametrize("name", EVERY)
def test_every_option_at_both_ends(name):
    """The defaults but one, at its least and its greatest value; what contradicts another option is refused by name."""
    for item in dataclasses.fields(methods()[name].Options):
        for value in (item.metadata["min"], item.metadata["max"]):
            try:
                method = make_method(name, {item.name: value})
            except PlaygroundError as refusal:
                assert item.metadata["label"].lower() in str(refusal).lower()
                continue
            trace = trace_of(request(method, length=12))
            assert trace.events[-1].num_tokens == 12
            validate(trace)


def test_unknown_names_get_a_suggestion():
    with pytest.raises(PlaygroundError, match="Did you mean 'speculative_sampling'"):
        make_method("speculative_samplin")
    with pytest.raises(PlaygroundError, match="Did you mean 'draft_length'"):
        make_method("speculative_sampling", {"draft_lenght": 3})


@pytest.mark.parametrize("value", [-1, 33, "many", float("nan"), 2.5, True, None])
def test_impossible_option_values_are_refused(value):
    with pytest.raises(PlaygroundError, match="Draft length"):
        make_method("speculative_sampling", {"draft_length": value})


@pytest.mark.parametrize("changes", [{"length": 0}, {"length": 10**9}, {"seed": -1}])
def test_requests_out_of_range_are_refused(changes):
    with pytest.raises(PlaygroundError, match="Choose"):
        request(make_method("autoregressive"), **changes)


def test_an_empty_prompt_is_refused():
    with pytest.raises(PlaygroundError, match="The prompt is empty"):
        request(make_method("autoregressive"), prompt=())


def test_draft_and_verify_streams_are_separate():
    """A draft that draws more numbers must not change the coins of the first round."""
    coins = []
    for length in (2, 6):
        trace = trace_of(request(make_method("speculative_sampling", {"draft_length": length}), draft=DRAFT))
        coins.append(next(event.coins[0] for event in trace.events if isinstance(event, Judged)))
    assert coins[0] == coins[1] and np.isfinite(coins[0])
