"""Multi-token joint decoding: blocks are the most probable there are, or have the target's law; labels are true."""

import dataclasses
import itertools

import numpy as np
import pytest

from playground.decoding.decode import Round, decode
from playground.decoding.method import make_method
from playground.models.sampling import Sampling
from playground.models.table_model import TableModel
from playground.trace.events import Committed, RunFinished, Scored, Verified
from tests.decoding.runs import enumerated, request, tokens, trace_of

PROMPT = (0, 1)


def model(seed, *, vocab_size=3, eos=frozenset()):
    """A memory long enough that no two blocks are equally probable for going through the same rows."""
    return TableModel(TableModel.random(vocab_size, order=4, seed=seed).table, eos_ids=eos)


def asked_for(target, *, sampling=None, length=8, seed=0, **options):
    method = make_method("mtjd", options)
    return request(method, target=target, draft=None, prompt=PROMPT, length=length, sampling=sampling, seed=seed)


def blocks(target, context, length):
    """Every block that can follow and its joint probability; one that ends is shorter."""

    def grow(block, probability):
        if len(block) == length or (block and block[-1] in target.eos_ids):
            yield block, probability
            return
        for token, p in enumerate(target.row([*context, *block])):
            yield from grow((*block, token), probability * p)

    return dict(grow((), 1.0))


def best_text(target, block_length, num_tokens):
    """Block by block, the most probable of all."""
    context = list(PROMPT)
    while (room := num_tokens + len(PROMPT) - len(context)) > 0:
        distribution = blocks(target, context, min(block_length, room))
        context += max(distribution, key=distribution.get)
        if context[-1] in target.eos_ids:
            break
    return context[len(PROMPT) :]


def text_of(rounds):
    """The tokens that a run has written at its last round."""
    *_, last = rounds
    return tuple(last.tree.tokens[node] for node in last.tree.path(last.best, below=len(PROMPT) - 1))


def searches(trace):
    return [work for event in trace.events if isinstance(event, Verified) for work in event.workings]


@pytest.mark.parametrize("eos", [frozenset(), frozenset([2])], ids=["endless", "ending"])
@pytest.mark.parametrize("block_length", [1, 2, 3, 4])
def test_blocks_are_the_most_probable_of_all(block_length, eos):
    """27 texts of three tokens are all kept, so width does not matter; the last block of eight tokens is cut short."""
    for seed in range(10):
        target = model(seed, eos=eos)
        run_request = asked_for(target, block_length=block_length, width=1)
        assert tokens(run_request) == best_text(target, block_length, 8)
        assert all(work["exact"] for work in searches(trace_of(run_request)))


@pytest.mark.parametrize("eos", [frozenset(), frozenset([2])], ids=["endless", "ending"])
def test_a_narrow_search_calls_itself_exact_only_where_it_is(eos):
    """Six tokens, blocks of four: 216 texts do not fit. What calls itself exact must be the best; others may be."""
    says, right = [], []
    for seed in range(60):
        target = model(seed, vocab_size=6, eos=eos)
        run_request = asked_for(target, block_length=4, width=3, length=4)
        says.append(searches(trace_of(run_request))[-1]["exact"])
        right.append(tokens(run_request) == best_text(target, 4, 4))
    assert not any(claim and not is_best for claim, is_best in zip(says, right, strict=True))
    assert any(says) and not all(right)


@pytest.mark.parametrize("sampling", [Sampling(), Sampling(0.7, 2)])
def test_one_token_drawn_at_a_time_is_plain_decoding_with_the_same_coins(sampling):
    for seed in range(10):
        target = model(seed)
        how = {"target": target, "prompt": PROMPT, "length": 8, "sampling": sampling, "seed": seed}
        drawn = asked_for(target, block_length=1, sample=1, sampling=sampling, seed=seed)
        assert tokens(drawn) == tokens(request(make_method("autoregressive"), **how))


@pytest.mark.parametrize("block_length", [1, 2, 3, 5])
def test_at_temperature_zero_every_block_length_is_greedy_decoding(block_length):
    target = model(1)
    greedy = request(make_method("autoregressive"), target=target, prompt=PROMPT, length=8, sampling=Sampling(0))
    for sample in (0, 1):
        run_request = asked_for(target, block_length=block_length, sample=sample, sampling=Sampling(0))
        assert tokens(run_request) == tokens(greedy)


@pytest.mark.parametrize("eos", [frozenset(), frozenset([2])], ids=["endless", "ending"])
@pytest.mark.parametrize("sampling", [Sampling(), Sampling(0.6), Sampling(1.0, 2)], ids=["plain", "cool", "top-2"])
@pytest.mark.parametrize(("block_length", "length"), [(3, 3), (2, 3), (4, 2)])
def test_blocks_drawn_out_of_all_there_are_have_the_targets_law(block_length, length, sampling, eos):
    """Enumerated. The joint law is the product of the warped rows, whatever the block."""
    target = model(3, eos=eos)
    options = {"block_length": block_length, "sample": 1}
    distribution = enumerated(asked_for(target, length=length, sampling=sampling, **options), text_of)
    warped = sampling.probs_on_host(np.log(target.table).reshape(-1, target.vocab_size)).reshape(target.table.shape)
    expected = {text: p for text, p in blocks(TableModel(warped, eos_ids=eos), PROMPT, length).items() if p > 0}
    assert distribution.keys() == expected.keys()
    assert max(abs(distribution[text] - expected[text]) for text in expected) < 1e-12


def test_a_block_drawn_from_a_narrow_search_has_not_the_targets_law():
    """Two texts are kept of six after the first token: it is labelled, and the distance is large."""
    target = model(2, vocab_size=9)
    run_request = asked_for(target, block_length=3, length=3, width=2, sample=1)
    assert [work["exact"] for work in searches(trace_of(run_request))] == [False, False, False]
    distribution = enumerated(run_request, text_of)
    expected = blocks(target, PROMPT, 3)
    assert sum(abs(distribution[text] - expected[text]) for text in expected) / 2 > 0.3


def test_every_target_call_is_counted_and_every_emitted_token_has_its_log_probability():
    target = model(4, vocab_size=6)
    trace = trace_of(asked_for(target, block_length=4, width=3, length=10))
    finished = trace.events[-1]
    assert isinstance(finished, RunFinished)
    assert finished.target_calls == finished.rounds == finished.num_tokens == 10
    assert len([event for event in trace.events if isinstance(event, Scored)]) == 10
    text = tokens(asked_for(target, block_length=4, width=3, length=10))
    exact = -sum(np.log(target.row([*PROMPT, *text[:index]])[token]) for index, token in enumerate(text))
    assert finished.perplexity == pytest.approx(np.exp(exact / 10))


def test_texts_stand_side_by_side_until_the_block_is_decided():
    target = model(5, vocab_size=6)
    trace = trace_of(asked_for(target, block_length=3, width=4, length=9))
    widths = [len(event.frontier) for event in trace.events if isinstance(event, Committed)]
    assert widths == [6, 36, 1] * 3, "all texts are kept: 36 lack only the last token"
    trace = trace_of(asked_for(target, block_length=4, width=4, length=8))
    widths = [len(event.frontier) for event in trace.events if isinstance(event, Committed)]
    assert widths == [4, 4, 4, 1] * 2
    assert [work["depth"] for work in searches(trace)] == [1, 2, 3, 4] * 2
    assert [work["num_candidates"] for work in searches(trace)] == [6, 24, 24, 24] * 2


def test_the_choice_is_told_with_its_joint_probability():
    target = model(6)
    trace = trace_of(asked_for(target, block_length=3, length=6))
    text = tokens(asked_for(target, block_length=3, length=6))
    chosen = [work["log_prob"] for work in searches(trace) if work["depth"] == 3]
    for index, log_prob in zip((0, 3), chosen, strict=True):
        distribution = blocks(target, [*PROMPT, *text[:index]], 3)
        assert log_prob == pytest.approx(np.log(distribution[tuple(text[index : index + 3])]))


def test_runs_of_one_method_do_not_share_a_block():
    """Two runs in turn, round by round: what a block has found so far belongs to its run."""
    first, second = (asked_for(model(seed), block_length=3) for seed in (7, 8))
    second = dataclasses.replace(second, method=first.method)
    alone = [tokens(first), tokens(second)]
    runs = [list(rounds) for rounds in zip(*itertools.zip_longest(decode(first), decode(second)), strict=True)]
    together = [list(text_of(item for item in items if isinstance(item, Round))) for items in runs]
    assert together == alone
