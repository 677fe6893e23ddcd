"""What the recorder adds to a run: text that is whole, pieces that are printed once, masks that were used."""

import math
import random
import time

import msgspec
import numpy as np
import pytest
import torch

from playground.decoding import record as recorder
from playground.decoding.method import make_method, methods
from playground.decoding.printed import GrowingText
from playground.decoding.record import record, run
from playground.meters.reading import MeterReading
from playground.models.language_model import LanguageModel
from playground.models.loading import Models
from playground.models.sampling import Sampling
from playground.models.table_model import TableModel
from playground.trace.events import Committed, Drafted, RunStarted, Scored, Trace
from tests.decoding.runs import TARGET, request, trace_of
from tests.models.small import random_model


def test_text_in_pieces_is_the_text_decoded_at_once():
    """Whatever the rounds' lengths, and with characters split over tokens: 40 random cuts of a difficult text."""
    vocabulary = Models.named().load().target.vocabulary
    ids = vocabulary.encode('He said: "caf\u00e9 \u2014 na\u00efve \U0001f642\U0001f3f3\ufe0f\u200d\U0001f308"\n\n' * 6)
    whole = vocabulary.decode(ids)
    rng = random.Random(0)
    for _ in range(40):
        text, left, added = GrowingText(vocabulary), list(ids), ""
        while left:
            size = rng.randrange(1, 8)
            added += text.push(left[:size], last=size >= len(left))
            left = left[size:]
        assert added == whole


def test_tokens_become_the_text_that_transformers_makes_of_them():
    """The library behind the tokenizer is asked directly: half characters, special tokens and odd spaces included."""
    vocabulary = Models.named().load().target.vocabulary
    rng = random.Random(0)
    texts = [[rng.randrange(vocabulary.size) for _ in range(rng.randrange(12))] for _ in range(300)]
    for tokens in [*texts, [vocabulary.size - 1], vocabulary.encode(" a  ,b . n't \n")]:
        theirs = vocabulary.tokenizer.decode(tokens, skip_special_tokens=False, clean_up_tokenization_spaces=False)
        assert vocabulary.decode(tokens) == theirs


def test_every_token_is_printed_exactly_once():
    trace = trace_of(request(make_method("rsd_c")))
    printed = [token for event in trace.events for token in getattr(event, "pieces", {})]
    used = {token for event in trace.events if isinstance(event, Committed) for token in event.tokens}
    prompt = {token for event in trace.events if isinstance(event, RunStarted) for token in event.prompt_ids}
    assert len(printed) == len(set(printed)) and {str(token) for token in used | prompt} <= set(printed)


def test_a_branching_mask_is_the_ancestors_of_each_fed_node():
    """Recorded from what the model was given, compared with the tree's own parents."""
    models = {"target": random_model("llama", 1), "draft": random_model("llama", 2)}
    trace = trace_of(request(make_method("rsd_c"), **models, prompt=[3, 4, 5], length=12))
    parents = {}
    for event in trace.events:
        if type(event).__name__ == "Drafted":
            parents.update(zip(event.nodes, event.parents, strict=True))
        if isinstance(event, Scored):
            assert event.mask
            for fed, row in zip(event.fed, event.mask, strict=True):
                seen = {column for column, letter in zip(event.columns, row, strict=True) if letter == "1"}
                line = {fed}
                while (node := min(line)) in parents:
                    line.add(parents[node])
                assert seen == line & set(event.columns)


@pytest.mark.parametrize("name", ["specinfer", "importance_sampling"])
def test_each_draws_q_is_that_of_the_law_it_came_from(name):
    """Three draws at temperatures 0.5, 1 and 2: to the last bit; and the overlap is the first one's."""
    target, draft = TableModel.random(5, seed=0), TableModel.random(5, seed=1)
    distributions = [Sampling(temperature) for temperature in (0.5, 1.0, 2.0)]
    options = {"draft_temperature_factor": 0.5, "temperature_spread": 4.0}
    trace = trace_of(request(make_method(name, options), target=target, draft=draft, prompt=(0,), length=60))

    def row(model, law, node):
        return law.probs_on_host(np.log(model.table[tokens[node]])[None])[0]

    tokens, num_repeated, num_overlaps = {0: 0}, 0, 0
    for event in trace.events:
        if isinstance(event, Drafted | Committed):
            tokens |= dict(zip(event.nodes, event.tokens, strict=True))
        if isinstance(event, Drafted):
            # below the root draw k has law k; further down a chain keeps its law, and a tree of one draw has the first
            own = event.depth == 1 or name == "importance_sampling"
            expected = [
                row(draft, distributions[index if own else 0], parent) for index, parent in enumerate(event.parents)
            ]
            assert event.draft_probs == [float(q[x]) for q, x in zip(expected, event.tokens, strict=True)]
            num_repeated += len(set(event.nodes)) < len(event.nodes)
        if isinstance(event, Scored) and event.overlaps[0] is not None:
            p, q = row(target, Sampling(), event.nodes[0]), row(draft, distributions[0], event.nodes[0])
            assert event.overlaps[0] == pytest.approx(float(np.minimum(p, q).sum()), abs=1e-12)
            num_overlaps += 1
    assert num_repeated > 3 and num_overlaps > 10


class CountingMeter:
    """Notes when it is asked, among other things that are noted."""

    def __init__(self, notes):
        self.notes = notes

    def begin(self):
        self.notes.append("begin")

    def end(self):
        self.notes.append("end")
        return MeterReading(1.5, "a test", None, 0.25, 0.01)


def test_energy_is_counted_around_the_rounds_and_never_inside_one():
    notes = []

    class Noting(type(make_method("rsd_c"))):
        def draft(self, setting):
            notes.append("round")
            return super().draft(setting)

        def verify(self, setting, draft):
            verdict = super().verify(setting, draft)
            notes.append("over")
            return verdict

    trace = Trace(tuple(e for batch in record(request(Noting()), meter=CountingMeter(notes)) for e in batch))
    rounds = ["round", "over"] * trace.events[-1].rounds
    assert notes == ["begin", *rounds, "end"]
    assert trace.events[-1].energy == {
        "joules": 1.5, "source": "a test", "reason": None, "window_s": 0.25, "resolution_s": 0.01,
    }  # fmt: skip


def test_a_run_without_a_counter_says_why_it_has_no_joules():
    energy = trace_of(request(make_method("autoregressive"))).events[-1].energy
    if energy["joules"] is None:  # a machine with readable counters has some
        assert "no energy counter" in energy["reason"] or "did not move" in energy["reason"]


def test_models_on_several_gpus_have_no_joules_of_one(monkeypatch):
    """The processor is no GPU: a draft that stays there leaves the target's board its counter."""
    gpus = [torch.device("cuda", number) for number in range(2)]
    run_request = request(make_method("autoregressive"), target=random_model("llama", 1))
    monkeypatch.setattr(recorder, "meter_of", lambda device: CountingMeter([]))
    for where, message in (({*gpus}, None), ({gpus[0], torch.device("cpu")}, 1.5)):
        monkeypatch.setattr(LanguageModel, "devices", property(lambda self, where=where: where))
        energy = run(run_request).events[-1].energy
        assert energy["joules"] == message
        assert (energy["reason"] or "").startswith("The models are on several GPUs") == (message is None)


def test_the_draft_models_work_is_what_it_was_asked_to_do():
    """Counted once more at the model itself, prefill left out."""
    draft = random_model("llama", 2)
    passes = []
    forward = draft.forward

    def watched(tree, nodes):
        answer = forward(tree, nodes)
        if answer.fed:
            passes.append((len(answer.fed), answer.num_cached + len(answer.fed)))
        return answer

    draft.forward = watched
    trace = trace_of(request(make_method("mtad"), target=random_model("llama", 1), draft=draft, prompt=[3, 4, 5]))
    works = [event.draft_work for event in trace.events if isinstance(event, Committed)]
    assert passes[0] == (2, 2)  # the prompt without its last token
    assert [sum(column) for column in zip(*works, strict=True)] == [
        len(passes) - 1, sum(fed for fed, _ in passes[1:]), sum(read for _, read in passes[1:]),
    ]  # fmt: skip


def untimed(trace):
    """All that a trace says but when and how fast."""
    fields = ("seconds", "created", "prefill_s", "draft_s", "verify_s", "other_s", "clock_s", "energy")
    return [
        (type(event).__name__, {k: v for k, v in msgspec.structs.asdict(event).items() if k not in fields})
        for event in trace.events
    ]


@pytest.fixture(scope="module")
def models():
    return {"target": random_model("llama", 1, lean=True), "draft": random_model("llama", 2, lean=True)}


@pytest.mark.parametrize("name", sorted(methods()))
def test_rounds_written_together_are_the_rounds_written_one_by_one(models, name):
    """Bit for bit: what a round keeps, its workings included, must not change while it waits, though the models write
    into memory of their own."""
    for sampling in (Sampling(), Sampling(0), Sampling(0.7, 3, 0.9)):
        run_request = request(make_method(name), **models, prompt=[3, 4, 5, 3, 4], length=8, sampling=sampling)
        assert untimed(run(run_request)) == untimed(trace_of(run_request)), sampling


def test_a_round_that_need_not_wait_comes_at_once_and_others_wait_for_the_end():
    run_request = request(make_method("speculative_sampling"))
    at_once, at_the_end = list(record(run_request)), list(record(run_request, interval_s=math.inf))
    num_rounds = at_once[-1][-1].rounds
    assert len(at_once) == 1 + num_rounds + 1 and len(at_the_end) == 2 < num_rounds


def test_a_round_that_took_longer_than_rounds_may_wait_comes_at_once():
    class Slow(TableModel):
        def forward(self, tree, nodes):
            time.sleep(0.02)
            return super().forward(tree, nodes)

    slow = request(make_method("autoregressive"), target=Slow(TableModel.random(5).table), length=6)
    assert [len(batch) for batch in record(slow, interval_s=0.01)] == [1, 3, 3, 3, 3, 3, 3, 1]


def test_no_more_waits_than_the_memory_set_aside_for_it_holds(monkeypatch):
    run_request = request(make_method("autoregressive"), length=12)
    whole = untimed(run(run_request))
    monkeypatch.setattr(
        recorder, "HELD_BYTES", 4 * run_request.target.vocab_size * 2 * 5
    )  # five rounds of logits and p
    batches = list(record(run_request, interval_s=math.inf))
    assert [sum(isinstance(event, Committed) for event in batch) for batch in batches] == [0, 5, 5, 2]
    assert untimed(Trace(tuple(event for batch in batches for event in batch))) == whole
    drafting = request(make_method("speculative_sampling", {"draft_length": 1}), length=12)
    monkeypatch.setattr(recorder, "HELD_BYTES", 4 * drafting.target.vocab_size * 2 * 5)  # two rounds, with one q each
    batches = list(record(drafting, interval_s=math.inf))
    assert {sum(isinstance(event, Committed) for event in batch) for batch in batches[1:-1]} == {2}


@pytest.mark.parametrize("interval_s", [0.0, math.inf])
def test_what_happened_before_an_error_is_kept(interval_s):
    class Breaking(TableModel):
        calls = 0

        def forward(self, tree, nodes):
            self.calls += 1
            if self.calls > 5:  # the prompt, and four rounds
                raise RuntimeError("broken")
            return super().forward(tree, nodes)

    events = []
    broken = request(make_method("autoregressive"), target=Breaking(TableModel.random(5).table))
    with pytest.raises(RuntimeError, match="broken"):
        events.extend(event for batch in record(broken, interval_s=interval_s) for event in batch)
    assert sum(isinstance(event, Committed) for event in events) == 4


def test_raw_probabilities_are_the_targets_own_softmax_where_settings_change_it():
    """By the table, whatever bias and top-k leave; a removed token is named, and temperature alone records none."""
    method, removed = make_method("rsd_c"), 0
    trace = trace_of(request(method, sampling=Sampling(temperature=0.7, top_k=2, logit_bias="0=-100"), length=8))
    text = list(trace.started.prompt_ids)
    for scored, committed in ((each.scored, each.committed) for each in trace.rounds):
        raw = dict(zip(scored.nodes, map(dict, scored.raw_probs), strict=True))
        assert raw[scored.nodes[0]] == pytest.approx(dict(enumerate(TARGET.row(text))))
        removed += all(token != 0 for token, p, *_ in scored.alternatives[0] if p)
        text += committed.tokens
    assert removed == len(trace.rounds) > 1
    plain = trace_of(request(method, sampling=Sampling(temperature=0.7), length=8))
    assert not any(each.scored.raw_probs for each in plain.rounds)
