"""What every decoding method must hold to. Methods are discovered: a new file is tested by being there."""

import dataclasses
import itertools
from collections import Counter
from functools import cache

import msgspec
import numpy as np
import pytest
import torch

from playground.decoding import decode as loop
from playground.decoding import reader
from playground.decoding.decode import Finished, Started, decode
from playground.decoding.method import DecodingMethod, claims, make_method, methods
from playground.decoding.record import run
from playground.decoding.workings.records import kinds
from playground.errors import PlaygroundError
from playground.exactness.experiments import EXPERIMENTS
from playground.metrics.summary import summarise
from playground.models.sampling import Sampling
from playground.models.table_model import TableModel
from playground.trace import from_json, to_json, validate
from playground.trace.events import Committed, Drafted, RunStarted, Verified
from playground.trace.texts import best_text
from tests.decoding.runs import TARGET, request, tokens, trace_of
from tests.models.small import random_model

EVERY = sorted(methods())
LOSSLESS = [name for name in EVERY if methods()[name].reproduces == "target sampling"]
SEARCHES = [name for name in EVERY if methods()[name].reproduces == "beam search"]
DRAFTING = [name for name in EVERY if methods()[name].needs_draft_model]
MIXING = ["static_ensemble"]  # writes what only its draft model can, and of two certain rows makes a coin
BLIND_TO_Q = ["sample_and_match"]
COPYING = ["hybrid"]  # drafts what the target wrote, whatever the draft model would
GUESSING = ["lookahead"]  # begins with tokens at random
PURE = [name for name in EVERY if name not in MIXING]
BEAM_SAMPLERS = [
    (name, options)
    for name in EVERY
    for options in claims(name)
    if "beam sampling" in make_method(name, options).reproduces
]
WITHOUT_CHANCE = [  # Their text at temperature 0 is the greedy one, however many beams are sampled.
    *((name, {}) for name in LOSSLESS),
    *((name, {"width": 1}) for name in SEARCHES),
    *(
        (name, {}) for name in ("typical_acceptance", "mtad", "dsbd_one_cache")
    ),  # a one-hot target lets only its own choice pass
    *((name, options | {"width": width}) for name, options in BEAM_SAMPLERS for width in (1, 4)),
]
language_model = cache(random_model)  # every method's, as none changes its models


@pytest.mark.parametrize("name", EVERY)
def test_facts_are_declared(name):
    method = methods()[name]
    assert issubclass(method, DecodingMethod) and method.title and method.summary.endswith(".")
    assert method.approximates in EXPERIMENTS
    for options in claims(name):
        made = make_method(name, options)
        assert made.reproduces in {*EXPERIMENTS, "none"}, "a claim that `check` cannot measure"
    documentation = __import__(method.__module__, fromlist=["_"]).__doc__
    assert "Paper:" in documentation and "Differs from the paper:" in documentation
    for item in dataclasses.fields(method.Options):
        assert {"label", "help", "min", "max", "step", "unit"} <= item.metadata.keys()


@pytest.mark.parametrize("name", EVERY)
def test_a_rule_tests_what_it_says_it_tests(name):
    """By that word an acceptance is shown or blank: draws one by one until one is accepted, or only one of them."""
    trace = trace_of(request(make_method(name), length=40))
    assert trace.started.tests == methods()[name].tests
    for each in trace.rounds:
        verdicts = {}
        for node, outcome in zip(each.verified.nodes, each.verified.outcomes, strict=True):
            verdicts.setdefault(each.parent_of[node], []).append(outcome)
        for outcomes in verdicts.values():
            tested = [outcome for outcome in outcomes if outcome != "not_tested"]
            if trace.started.tests in ("draws", "selected draws"):
                assert "accepted" not in tested[:-1]
            if trace.started.tests == "selected draws":
                assert len(tested) <= 1


@pytest.mark.parametrize(("name", "options"), WITHOUT_CHANCE, ids=str)
def test_greedy_equals_autoregressive(name, options):
    for seed in range(5):
        assert tokens(greedy(make_method(name, options), seed)) == plainly_greedy(seed), seed


@pytest.mark.parametrize("name", [name for name in PURE if name not in LOSSLESS])
def test_temperature_zero_leaves_nothing_to_chance(name):
    method = make_method(name)
    assert len({tuple(tokens(request(method, sampling=Sampling(0), seed=seed))) for seed in range(4)}) == 1


def greedy(method, seed):
    """A run at temperature 0. Tables are float64, so no near-tie can flip an argmax."""
    target, draft = TableModel.random(6, order=2, seed=seed), TableModel.random(6, order=2, seed=seed + 100)
    return request(method, target=target, draft=draft, sampling=Sampling(temperature=0), length=40, seed=seed)


@cache
def plainly_greedy(seed):
    """What plain decoding writes; once, as every method is compared with it."""
    return tokens(greedy(make_method("autoregressive"), seed))


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("width", [1, 2, 3, 5])
@pytest.mark.parametrize("eos", [frozenset(), frozenset([3])], ids=["endless", "ending"])
def test_every_search_finds_what_beam_search_finds(name, width, eos):
    """Token for token, with texts that end and without; the sampling settings and the seed have no say."""
    for seed in range(5):
        target = TableModel(TableModel.random(6, order=2, seed=seed).table, eos_ids=eos)
        models = {"target": target, "draft": TableModel.random(6, order=2, seed=seed + 100), "length": 20}
        expected = tokens(request(make_method("beam_search", {"width": width}), **models))
        run_request = request(make_method(name, {"width": width}), **models, seed=seed, sampling=Sampling(0.7, 3, 0.9))
        assert tokens(run_request) == expected


@pytest.mark.parametrize("name", sorted({*DRAFTING} - {*BLIND_TO_Q}))
@pytest.mark.parametrize("temperature", [0, 1])
def test_a_draft_equal_to_the_target_is_accepted_whole(name, temperature):
    """A sampled draw has p = q here and may not be rejected; a deterministic one has q = 1, and may be where p < 1."""
    trace = trace_of(request(make_method(name), draft=TARGET, sampling=Sampling(temperature)))
    judged = [event for event in trace.events if isinstance(event, Verified)]
    rows = [row for e in judged for row in zip(e.outcomes, e.target_probs, e.draft_probs, strict=True)]
    assert "accepted" in {outcome for outcome, _, _ in rows}
    assert [(p, q) for outcome, p, q in rows if outcome == "rejected" and p >= q] == []


@pytest.mark.parametrize("name", EVERY)
def test_same_seed_same_trace_another_seed_another(name):
    """By one method object: what a run has learned is no part of the next."""
    method = make_method(name)

    def run(seed):
        trace = trace_of(request(method, seed=seed, length=40))
        return [(event.nodes, event.tokens) for event in trace.events if isinstance(event, Drafted | Committed)]

    first, other = run(7), run(8)
    assert run(7) == first
    if methods()[name].lossless:  # one that claims no law may be a search without saying so
        assert (first == other) == (name in SEARCHES), "only a search leaves nothing to chance"


# After "a b" the draft model's best tokens are c d a b c d ..., and d ends texts. The target mostly agrees, also with
# what would come after the end.
ENDING = frozenset([3])
CYCLE = np.full((5, 5), 0.02) + 0.9 * np.eye(5)[[1, 2, 3, 0, 0]]
GREEDY = {"draft": TableModel(CYCLE, eos_ids=ENDING), "target": TableModel(0.8 * CYCLE + 0.04, eos_ids=ENDING)}
LONG = ("draft_length", "depth", "block_length")  # options that reach past the end token


def drafting_past_the_end(name, seed, sampling=None):
    """A run whose drafts have the end token inside, with depths to spare behind it."""
    known = {item.name: item.metadata["max"] for item in dataclasses.fields(methods()[name].Options)}
    options = {option: min(6, known[option]) for option in LONG if option in known}
    return trace_of(request(make_method(name, options), **GREEDY, sampling=sampling, seed=seed, length=30))


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("sampling", [Sampling(), Sampling(0)], ids=["sampled", "greedy"])
def test_a_drafted_end_token_ends_the_text(name, sampling):
    ended = 0
    for seed in range(12):
        trace = drafting_past_the_end(name, seed, sampling)
        validate(trace)
        emitted = [word.token for word in best_text(trace)]
        assert 3 not in emitted[:-1]
        assert trace.events[-1].finish_reason == ("eos" if emitted[-1] == 3 else "length")
        ended += emitted[-1] == 3
        token_of = {}
        for event in trace.events:
            if isinstance(event, Drafted):
                token_of |= dict(zip(event.nodes, event.tokens, strict=True))
                assert 3 not in {token_of.get(parent) for parent in event.parents}, "drafted below an end token"
    assert ended


@pytest.mark.parametrize("name", EVERY)
def test_the_budget_is_met_and_no_round_drafts_more_than_it_has_room_for(name):
    """The last token of a round is the target's own, so a round with room for n drafts n - 1 depths at most."""
    for length, seed in itertools.product((1, 2, 3, 12), range(3)):
        trace, left, depth = trace_of(request(make_method(name), length=length, seed=seed)), length, {}
        assert trace.finished.num_tokens == length
        for event in trace.events:
            if isinstance(event, RunStarted):
                depth = {event.frontier[0]: 0}
            elif isinstance(event, Drafted):
                assert event.depth <= left - 1, f"depth {event.depth} with room for {left}"
            elif isinstance(event, Committed):
                for node, parent in zip(event.nodes, event.parents, strict=True):
                    depth[node] = 1 + depth[parent]
                left = length - max(depth[node] for node in event.frontier)


@pytest.mark.parametrize("name", EVERY)
def test_with_every_option_at_its_ends_the_budget_is_met_and_no_round_drafts_more_nodes_than_are_said(name):
    """And by default. An end that contradicts the other options is refused by its name."""
    items = dataclasses.fields(methods()[name].Options)
    ends = [(item, item.metadata[end]) for item in items for end in ("min", "max")]
    for options in [{}, *({item.name: value} for item, value in ends)]:
        try:
            method = make_method(name, options)
        except PlaygroundError as refusal:
            labels = [item.metadata["label"].lower() for item, _ in ends if item.name in options]
            assert all(label in str(refusal).lower() for label in labels)
            continue
        assert len(tokens(request(method, length=2))) == 2  # less than a round
        trace = trace_of(request(method, length=12, sampling=Sampling(1.5)))
        assert trace.finished.num_tokens == 12
        validate(trace)
        drafted = Counter()
        for event in trace.events:
            if isinstance(event, Drafted):
                drafted[event.round] += len(event.nodes)
        assert max(drafted.values(), default=0) <= method.options.num_drafted, options
        assert drafted or method.options.num_drafted == 0 or 0 in options.values() or name == "bild", options


@pytest.mark.parametrize("name", PURE)
def test_an_end_that_only_one_model_sees(name):
    """A target that must end does, whatever was drafted; one that cannot end is not ended by its draft."""
    ends, never = TableModel([0, 0, 0, 1.0], eos_ids=frozenset([3])), TableModel([0.5, 0.3, 0.2, 0])
    ended = trace_of(request(make_method(name), target=ends, draft=never, prompt=(0,), length=9))
    assert ended.events[-1].text == "d" and ended.events[-1].finish_reason == "eos"
    endless = TableModel(never.table, eos_ids=frozenset([3]))
    goes_on = trace_of(request(make_method(name), target=endless, draft=TableModel([0, 0, 0, 1.0]), length=9))
    assert goes_on.events[-1].num_tokens == 9 and goes_on.events[-1].finish_reason == "length"
    for trace in (ended, goes_on):
        validate(trace)


@pytest.mark.parametrize("name", EVERY)
def test_traces_obey_the_laws_and_survive_storage(name):
    """The summary has the totals of the trace; all workings are records of their kind, of tokens that are printed."""
    for seed, sampling in enumerate([Sampling(), Sampling(0), Sampling(0.7, 3, 0.9), Sampling(2.0)]):
        trace = trace_of(request(make_method(name), sampling=sampling, seed=seed))
        validate(trace)
        validate(from_json(to_json(trace)))
        summary, finished = summarise(trace), trace.finished
        assert (summary["num_tokens"], summary["target_calls"]) == (finished.num_tokens, finished.target_calls)
        assert summary["perplexity"] == pytest.approx(finished.perplexity)
        printed, known = set(), {0, 1}
        for event in trace.events:
            printed |= {int(token) for token in getattr(event, "pieces", {})}
            known |= set(event.nodes) if isinstance(event, Drafted) else set(getattr(event, "frontier", []))
            for working in getattr(event, "workings", []):
                assert msgspec.convert(working, kinds()[working["kind"]]).as_dict() == working
                assert set(working.get("tokens", [])) <= printed and working.get("node", 0) in known


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("num_rounds", [0, 2])
def test_stopping_keeps_what_was_done(name, num_rounds):
    before = iter([False] * num_rounds)
    trace = trace_of(request(make_method(name)), stop=lambda: next(before, True))
    assert trace.finished.finish_reason == "stopped" and trace.finished.rounds == num_rounds
    assert (trace.finished.num_tokens == 0) == (trace.finished.perplexity is None) == (num_rounds == 0)
    validate(trace)


@pytest.mark.parametrize("name", EVERY)
def test_tiny_vocabularies(name):
    for size in (2, 3):
        target, draft = TableModel.random(size, seed=1), TableModel.random(size, seed=2)
        assert len(tokens(request(make_method(name), target=target, draft=draft, prompt=(0,)))) == 24, size


class Stuck(np.random.Generator):
    """A stream whose uniform numbers are all the same one."""

    coin = 0.0

    def random(self, size=None):
        return self.coin if size is None else np.full(size, self.coin)


@pytest.mark.parametrize("name", PURE)
@pytest.mark.parametrize("coin", [0.0, float(np.nextafter(1, 0))], ids=["least", "greatest"])
def test_no_coin_gets_a_token_that_the_target_cannot_write(monkeypatch, name, coin):
    """The ends of the unit interval, with drafts that cover the target, equal it, miss it, or are one token."""
    monkeypatch.setattr(Stuck, "coin", coin)
    monkeypatch.setattr(loop.np.random, "Generator", Stuck)
    target = TableModel([0.5, 0.5, 0, 0])
    for draft in ([0.25] * 4, [0.5, 0.5, 0, 0], [0, 0, 0.5, 0.5], [0, 1, 0, 0]):
        trace = trace_of(request(make_method(name), target=target, draft=TableModel(draft), length=12))
        assert len(trace.finished.text) == 12 and set(trace.finished.text) <= {"a", "b"}, draft
        validate(trace)


@pytest.mark.parametrize("name", sorted({*EVERY} - {*GUESSING}))
def test_certain_tokens_leave_no_residual(name):
    """Target and draft are the same point mass everywhere: nothing is left of p after a draw, of q neither."""
    cycle = TableModel(np.roll(np.eye(3), 1, axis=1))
    trace = trace_of(request(make_method(name), target=cycle, draft=cycle, prompt=(0,), length=12))
    assert trace.events[-1].text == "bca" * 4
    assert "rejected" not in {outcome for each in trace.rounds for outcome in each.verified.outcomes}
    validate(trace)


@pytest.mark.parametrize("name", EVERY)
def test_models_that_differ_by_rounding_only(name):
    """The draft is the target in single precision: a residual of 1e-8, or none at all, must do."""
    rows = TARGET.table.astype(np.float32).astype(np.float64)
    draft = TableModel(rows / rows.sum(-1, keepdims=True))
    for seed in range(5):
        trace = trace_of(request(make_method(name), draft=draft, seed=seed))
        assert trace.events[-1].num_tokens == 24
        validate(trace)


@pytest.mark.parametrize("name", sorted({*DRAFTING} - {*MIXING, *COPYING}))
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
    if not methods()[name].lossless:
        pytest.skip("its text is another")
    target, draft = language_model("llama", 1, lean=True), language_model("llama", 2)
    method = make_method(name, {"width": 1} if name in SEARCHES else {})
    for prompt in ((5, 7, 11), (6, 7, 11)):
        run_request = request(method, target=target, draft=draft, prompt=prompt, sampling=Sampling(0), length=PLAIN)
        assert tokens(run_request) == by_a_plain_loop(prompt)


PLAIN = 16  # tokens


@cache
def by_a_plain_loop(prompt):
    """Return the text that the target above writes; made once, as every method is compared with it."""
    target, text = language_model("llama", 1, lean=True), list(prompt)
    with torch.inference_mode():
        for _ in range(PLAIN):
            text.append(int(target.model(torch.tensor([text])).logits[0, -1].argmax()))
    return text[len(prompt) :]


@pytest.mark.parametrize("name", EVERY)
def test_the_context_ends_a_run(name):
    models = {
        role: language_model("llama", seed, lean=True, context=48) for role, seed in (("target", 1), ("draft", 2))
    }
    assert len(tokens(request(make_method(name), **models, prompt=[1] * 36, length=13))) == 13  # the last is not read
    with pytest.raises(PlaygroundError, match="exceed the 48 that the target can read"):
        request(make_method(name), **models, prompt=[1] * 36, length=14)


@pytest.mark.parametrize("length", [4, 20])  # The prompt ends within the draft's context, or behind it.
@pytest.mark.parametrize("name", EVERY)
def test_a_draft_with_a_shorter_context_drafts_up_to_its_end(name, length):
    """GPT-2 has no position behind the last one: reading there is an error, not a worse guess."""
    target, draft = language_model("llama", 1, lean=True), language_model("gpt2", 2, context=16)
    run_request = request(make_method(name), target=target, draft=draft, prompt=[1] * length, length=16)
    trace = run(run_request)
    drafts, kind = [event for event in trace.events if isinstance(event, Drafted)], make_method(name)
    if kind.needs_draft_model:
        assert trace.started.draft["context"] == 16
        assert bool(drafts) == (length < 16) or name == "bild"  # BiLD may be confident of nothing.
        assert max((event.nodes[-1] for event in drafts), default=0) < trace.committed[-1].nodes[-1]
    if kind.reproduces == "target sampling":
        greedy = dataclasses.replace(run_request, sampling=Sampling(temperature=0))
        assert tokens(greedy) == by_a_plain_loop((1,) * length)


def test_a_draft_with_the_targets_context_is_told_without_one():
    models = {"target": language_model("llama", 1, lean=True), "draft": language_model("gpt2", 2), "prompt": [1] * 4}
    assert "context" not in run(request(make_method("speculative_sampling"), **models, length=1)).started.draft


@pytest.mark.parametrize("name", EVERY)
def test_between_rounds_the_clock_stands_still_and_inference_mode_is_off(name, monkeypatch):
    """A consumer that takes its time must not be in the measured time: here only the consumer's time passes."""
    now = [0.0]
    for module in (loop, reader):
        monkeypatch.setattr(module.time, "perf_counter", lambda: now[0])
    items = []
    for item in decode(request(make_method(name), length=6)):
        assert not torch.is_inference_mode_enabled(), type(item).__name__
        now[0] += 1000.0  # the consumer's own time
        items.append(item)
    assert isinstance(items[0], Started) and isinstance(items[-1], Finished)
    assert {time for item in items[1:-1] for time in (item.clock_s, item.draft_s, item.verify_s, item.other_s)} == {0}
