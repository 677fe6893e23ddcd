"""Runs in a batch write what each writes alone, and the calls of the batch are counted as they were made."""

import threading
from dataclasses import replace
from functools import cache

import pytest
import torch

import playground
from playground.decoding.batch import LARGEST_BATCH, run_batch
from playground.decoding.decode import Request
from playground.decoding.method import make_method
from playground.decoding.record import run
from playground.errors import PlaygroundError
from playground.models.loading import Models
from playground.models.passes.lean_pass import LeanPass
from playground.models.passes.plain_pass import PlainPass
from playground.models.sampling import Sampling
from playground.trace import validate
from playground.trace.texts import written
from tests.models.small import random_model

METHODS = {
    "autoregressive": {},
    "speculative_sampling": {},
    "block_verification": {"draft_length": 3},
    "rsd_s": {},
    "specinfer": {},
    "prompt_lookup": {},
    "lookahead": {},
    "beam_search": {"width": 3},
}
PROMPTS = ((3, 1, 4), (1, 5), (9, 2, 6, 5, 3, 5, 9, 2, 6), (7,))


@cache
def models():
    """A target, and a draft that agrees with it now and then."""
    torch.set_num_threads(1)
    return random_model("llama", lean=True), random_model("llama", seed=1, lean=True)


def requests(method, options=None, temperature=1.0, lengths=(12, 20, 9, 15)):
    """Sequences of several lengths with prompts of several lengths, each with a seed of its own."""
    target, draft = models()
    return [
        Request(make_method(method, options), target, "", draft, Sampling(temperature), seed, length, prompt)
        for seed, (length, prompt) in enumerate(zip(lengths, PROMPTS, strict=True))
    ]


def emitted(batch):
    """Tokens of each sequence, round by round."""
    return [[event.tokens for event in trace.committed] for trace in batch.traces]


def outcomes(traces):
    """Verdicts of each sequence, round by round."""
    return [[each.verified.outcomes for each in trace.rounds] for trace in traces]


@pytest.mark.parametrize("temperature", [0.0, 1.0])
@pytest.mark.parametrize("method", METHODS)
def test_each_sequence_writes_and_accepts_what_it_does_alone(method, temperature):
    """Greedy and sampled, packed and padded. Rounding could flip a token about once in 10,000 such runs."""
    several = requests(method, METHODS[method], temperature)
    alone = [run(each) for each in several]
    for padded in (False, True):
        batch = run_batch(several, padded=padded)
        assert emitted(batch) == [[event.tokens for event in trace.committed] for trace in alone]
        assert outcomes(batch.traces) == outcomes(alone)
        for trace in batch.traces:
            validate(trace)


def test_the_bundled_pair_writes_what_transformers_own_pass_writes():
    prompts = ["Once upon a time", "Lily found a shiny red ball under the big tree. She", "Tom"]
    batch = playground.run_batch("speculative_sampling", prompts, temperature=0, max_new_tokens=12, draft_length=3)
    target = Models.named().load().target
    plain = target.by(PlainPass(target.model))
    for prompt, trace in zip(prompts, batch.traces, strict=True):
        alone = run(Request(make_method("autoregressive"), plain, prompt, sampling=Sampling(0), max_new_tokens=12))
        assert written(trace) == written(alone)


@pytest.mark.parametrize(
    "options",
    [
        {"top_k": 5, "top_p": 0.9, "min_p": 0.01},
        {"repetition_penalty": 1.2, "presence_penalty": 0.3, "frequency_penalty": 0.2, "logit_bias": {5: 1.0}},
        {"stop": ["a", "the"]},
        {"grammar": "[a-m ]*"},
        {"allow": ["yes", "no"]},
        {"dtype": "float32", "drafter": "other"},
    ],
    ids=" ".join,
)
def test_a_batch_takes_the_options_of_a_run_and_each_row_is_its_own_run(options):
    prompts = ["Once upon a time", "Tom", "The old dog ran to the"]
    batch = playground.run_batch("speculative_sampling", prompts, seed=5, max_new_tokens=10, draft_length=3, **options)
    alone = [
        playground.run("speculative_sampling", prompt, seed=5 + index, max_new_tokens=10, draft_length=3, **options)
        for index, prompt in enumerate(prompts)
    ]
    assert [written(trace) for trace in batch.traces] == [written(trace) for trace in alone]
    assert [trace.finished.text for trace in batch.traces] == [trace.finished.text for trace in alone]


def test_a_batch_with_layers_is_refused():
    with pytest.raises(PlaygroundError, match="A batch tells nothing of layers"):
        playground.run_batch("speculative_sampling", ["a"], layers=True)


def test_calls_of_plain_decoding_are_made_together_until_a_sequence_ends():
    batch = run_batch(requests("autoregressive", lengths=(2, 4, 1, 3)))
    assert [call.sequences for call in batch.calls] == [[0, 1, 2, 3], [0, 1, 3], [1, 3], [1]] and batch.num_idle == 6
    assert [call.tokens for call in batch.calls] == [[1] * 4, [1] * 3, [1] * 2, [1]] and batch.num_emitted == 10
    prompts = [[len(prompt) - 1 for prompt in PROMPTS if len(prompt) > 1]]
    assert [call.tokens for call in batch.prefill] == prompts and batch.prefill[0].padding == 0


def test_a_sequence_that_ends_early_leaves_the_others_as_they_are(monkeypatch):
    """Its text ends with a token that none of the others writes."""
    whole = emitted(run_batch(requests("speculative_sampling")))
    first, *others = [[token for tokens in rounds for token in tokens] for rounds in whole]
    ending = next(token for token in first if not any(token in other for other in others))
    monkeypatch.setattr(models()[0].config, "eos_token_id", ending)
    batch = run_batch(requests("speculative_sampling"))
    assert [trace.finished.finish_reason for trace in batch.traces] == ["eos", "length", "length", "length"]
    assert emitted(batch)[1:] == whole[1:] and emitted(batch)[0][-1][-1] == ending
    rounds = [len(trace.rounds) for trace in batch.traces]
    assert len(batch.steps) == max(rounds) and batch.num_idle == sum(max(rounds) - each for each in rounds)


def test_drafts_are_made_before_any_sequence_is_verified():
    """A sequence with one token left drafts none, and waits for the drafts of the others."""
    batch = run_batch(requests("speculative_sampling", {"draft_length": 2}, lengths=(1, 3, 3, 3)))
    first = batch.calls[:3]
    assert [(call.model, call.sequences) for call in first] == [(1, [1, 2, 3]), (1, [1, 2, 3]), (0, [0, 1, 2, 3])]
    assert first[-1].tokens == [1, 3, 3, 3]


def test_padding_is_what_the_longest_sequence_has_more():
    packed, padded = (
        run_batch(requests("speculative_sampling", {"draft_length": 2}, lengths=(1, 3, 3, 3)), padded=padded)
        for padded in (False, True)
    )
    assert sum(call.padding for call in packed.calls + packed.prefill) == 0
    for call in padded.calls + padded.prefill:
        assert call.padding == len(call.tokens) * max(call.tokens) - sum(call.tokens)
    assert [call.padding for call in padded.prefill] == [6 + 7, 6 + 7] and padded.calls[2].padding == 2


def test_clocks_of_a_batch_contain_its_calls():
    """A sequence's clock runs while others are waited for, so the calls of its rounds are all in it."""
    batch = run_batch(requests("speculative_sampling"))
    for index, trace in enumerate(batch.traces):
        own = [call for call in batch.calls if index in call.sequences]
        seconds = trace.rounds[-1].committed.clock_s
        assert sum(call.seconds for call in own) <= seconds <= batch.seconds
        assert sum(call.model == 0 for call in own) == len(trace.rounds)


def test_a_batch_that_is_stopped_keeps_what_it_has():
    rounds = iter([False] * 6 + [True] * 10)
    traces = run_batch(requests("speculative_sampling"), lambda: next(rounds)).traces
    assert [trace.finished.finish_reason for trace in traces] == ["stopped"] * 4
    assert [len(trace.rounds) for trace in traces] == [2, 2, 1, 1]


def test_a_failure_of_one_sequence_ends_all(monkeypatch):
    """And leaves no thread behind."""
    several = requests("speculative_sampling")
    failing = make_method("speculative_sampling")
    monkeypatch.setattr(failing, "verify", lambda setting, draft: 1 / 0)
    before = threading.active_count()
    with pytest.raises(ZeroDivisionError):
        run_batch([several[0], replace(several[1], method=failing), *several[2:]])
    assert threading.active_count() == before


def test_a_full_memory_is_one_sentence(monkeypatch):
    def full(*_):
        raise MemoryError

    monkeypatch.setattr(LeanPass, "run_batch", full)
    with pytest.raises(PlaygroundError, match="The memory of cpu is full"):
        run_batch(requests("autoregressive"))


def test_batches_that_cannot_be_are_refused():
    several = requests("speculative_sampling")
    with pytest.raises(PlaygroundError, match=r"A batch of 0 sequences is out of range\. Choose 1 to 8\."):
        run_batch([])
    with pytest.raises(PlaygroundError, match="A batch of 9 sequences"):
        run_batch(several[:1] * (LARGEST_BATCH + 1))
    other = replace(several[1], target=models()[1])
    with pytest.raises(PlaygroundError, match="different models"):
        run_batch([several[0], other])
