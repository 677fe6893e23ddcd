"""Whole rounds, enumerated: every draw and every coin. What a round emits has exactly the target's law."""

import itertools
from functools import partial

import numpy as np
import pytest

from playground.decoding.constrained.constraint import TreeConstraint, Trie
from playground.decoding.decode import Request
from playground.decoding.drafting import growth
from playground.decoding.method import make_method
from playground.decoding.methods.lookahead import Memory
from playground.decoding.methods.sequoia import AcceptanceEstimate
from playground.decoding.reader import Reader
from playground.exactness.enumeration import Stream, courses
from playground.models.sampling import Sampling
from playground.models.table_model import TableModel
from playground.tree import TokenTree
from tests.decoding.runs import setting_of, texts_of_runs
from tests.decoding.verification.coins import Coins

# a first rejection leaves two tokens here, so that the second test has something to say
TARGET = TableModel.random(3, order=2, seed=6)
DRAFT = TableModel.random(3, order=1, seed=10)
OTHERS = [TableModel.random(3, order=1, seed=11), TableModel.random(3, order=2, seed=12)]
PROMPT, LENGTH = [0, 1], 3
PLAIN = Sampling()
BELOW_ONE = 1 - 1e-16


def order(probs, course):
    """In place of noise: values that put all tokens into one order, with that order's chance."""
    orders, chances = list(itertools.permutations(np.flatnonzero(probs).tolist())), []
    for tokens in orders:
        left, chance = 1.0, 1.0
        for x in tokens:
            chance *= float(probs[x]) / left
            left = max(left - float(probs[x]), 1e-300)
        chances.append(chance)
    values, drawn = np.zeros_like(probs), orders[course.choose(chances)]
    values[list(drawn)] = 1 / (1 + np.arange(len(drawn)))
    return values


def drafts(method, target, draft_model, memory, trie=None, prompt=PROMPT, sampling=PLAIN):
    """Every setting and draft of a first round, with its chance."""

    def play(course):
        tree = TokenTree(prompt)
        constraint = TreeConstraint(trie, tree) if trie else None
        models = [draft_model, *OTHERS][: method.num_draft_models]
        setting = setting_of(
            tree,
            Reader(target, sampling, tree, constraint),
            draft_models=[Reader(model, sampling, tree, constraint) for model in models],
            draft_rng=Stream(course),
            eos_ids=target.eos_ids,
            constraint=constraint,
            memory=memory() if memory else None,
        )
        return setting, method.draft(setting)

    for (setting, draft), chance in courses(play):
        yield setting, draft, chance


def verdicts(method, setting, draft):
    """Every verdict on a draft, with its chance, which the judgements say."""
    todo = [()]
    while todo:
        script = todo.pop()
        setting.verify_rng = Coins(itertools.chain(script, itertools.repeat(BELOW_ONE)))  # Only certainty passes it.
        verdict = method.verify(setting, draft)
        tests = [each for each in verdict.judgements if each.outcome != "not_tested"]
        chance = 1.0
        played = [0.0 if each.outcome == "accepted" else BELOW_ONE for each in tests]
        for turn, each in enumerate(tests):
            chance *= each.accept_prob if each.outcome == "accepted" else 1 - each.accept_prob
            if turn >= len(script) and each.outcome == "rejected" and each.accept_prob > 0:
                todo.append((*played[:turn], 0.0))
        yield verdict, chance


def law_of_a_round(
    method, target=TARGET, draft_model=DRAFT, memory=None, prompt=PROMPT, sampling=PLAIN, distribution_after=None
):
    """The joint law of the first tokens, when the round's are followed by the target's own. (V,) * LENGTH"""
    distribution_after = distribution_after or (lambda text, length: target.distribution([*prompt, *text], length))
    distribution = np.zeros((target.vocab_size,) * LENGTH)
    for setting, draft, drawn in drafts(method, target, draft_model, memory, prompt=prompt, sampling=sampling):
        for verdict, judged in verdicts(method, setting, draft):
            path = tuple(setting.tree.tokens[node] for node in verdict.accepted)[:LENGTH]
            if len(path) == LENGTH:
                distribution[path] += drawn * judged
                continue
            extra = verdict.extra_probs / verdict.extra_probs.sum()
            for x in range(target.vocab_size):
                rest = distribution_after([*path, x], LENGTH - len(path) - 1)
                distribution[(*path, x)] += drawn * judged * extra[x] * rest
    return distribution


@pytest.fixture
def enumerable(monkeypatch):
    """Drafting by orders instead of noise."""
    monkeypatch.setattr(growth, "perturbed", lambda setting, probs: order(probs, setting.draft_rng.course))


METHODS = {
    "specinfer, two depths": ("specinfer", {"draft_length": 2, "first_draws": 2, "later_draws": 2}),
    "specinfer, two laws": (
        "specinfer",
        {"draft_length": 2, "first_draws": 2, "draft_temperature_factor": 0.7, "temperature_spread": 3.0},
    ),
    "specinfer, two laws twice": (
        "specinfer",
        {"draft_length": 2, "first_draws": 2, "later_draws": 2, "temperature_spread": 0.3},
    ),
    "specinfer, three laws": ("specinfer", {"draft_length": 1, "first_draws": 3, "temperature_spread": 4.0}),
    "specinfer, two models": ("specinfer", {"draft_length": 2, "first_draws": 2, "draft_models": 2}),
    "specinfer, two models twice": (
        "specinfer",
        {"draft_length": 2, "first_draws": 2, "later_draws": 2, "draft_models": 2, "temperature_spread": 0.5},
    ),
    "specinfer, three models": ("specinfer", {"draft_length": 1, "first_draws": 3, "draft_models": 3}),
    "specinfer, chains": ("specinfer", {"draft_length": 2, "chains": 3}),
    "specinfer, chains of two laws": (
        "specinfer",
        {"draft_length": 2, "chains": 2, "draft_temperature_factor": 0.7, "temperature_spread": 3.0},
    ),
    "specinfer, chains of two models": (
        "specinfer",
        {"draft_length": 3, "chains": 2, "draft_models": 2, "temperature_spread": 0.5},
    ),
    "spectr": ("spectr", {"draft_length": 2, "num_drafts": 2, "draft_temperature_factor": 1.5}),
    "rsd_c": ("rsd_c", {"draft_length": 2, "first_branching": 2, "second_branching": 2}),
}


REPEATING = [0, 1, 2, 0, 1, 0, 1, 1, 0, 1]  # "0 1" stood there three times, and went on with 2, 0 1 and 1
COPIED = {  # trees of certain draws, several below a node, in that text
    "suffix_decoding": ("suffix_decoding", {"num_nodes": 6, "per_token": 3}),
    "suffix_decoding, one guess": ("suffix_decoding", {"num_nodes": 1}),
    "hybrid that copies": ("hybrid", {"least_score": 0, "num_nodes": 5}),
    "hybrid that drafts": ("hybrid", {"least_score": 16, "draft_length": 2}),
}


LEARNED = [[0.6, 0.2, 0.1], [0.3, 0.3, 0.3], [0.1, 0.1, 0.8], [0.9, 0.0, 0.0], [0.0, 0.5, 0.5]]
REMEMBERING = {  # and what earlier rounds have left
    f"sequoia that plans by {vector}": (
        "sequoia",
        {"num_nodes": 4, "draft_length": 3},
        partial(AcceptanceEstimate, vector, [0] * 3, [0.0] * 3),
    )
    for vector in LEARNED
} | {
    "lookahead, candidates and predictions that coincide": (
        "lookahead",
        {"window": 3},
        partial(Memory, [[0, 1], [1, 2], [2, 0]], {1: [[0, 1], [2, 2], [0, 2]]}),
    )
}


@pytest.mark.parametrize("name", [*METHODS, *COPIED, *REMEMBERING])
def test_what_a_round_emits_has_exactly_the_targets_law(name, enumerable):
    """No samples, no noise. K-SEQ's factor is solved to 1e-12, all else is rounding."""
    method, options, *memory = (METHODS | COPIED | REMEMBERING)[name]
    prompt = REPEATING if name in COPIED else PROMPT
    distribution = law_of_a_round(make_method(method, options), memory=memory[0] if memory else None, prompt=prompt)
    assert np.abs(distribution - TARGET.distribution(prompt, LENGTH)).max() < (1e-10 if name == "spectr" else 1e-12)


SEQUENCES = [(0, 1, 2), (0, 1, 1, 0), (0, 2), (1, 0, 0), (1, 0, 1), (2,)]
OTHER_METHODS = {
    "speculative_sampling": ("speculative_sampling", {"draft_length": 2}),
    "prompt_lookup": ("prompt_lookup", {"draft_length": 3}),
    "dynamic_tree": ("dynamic_tree", {"depth": 3, "total_tokens": 5}),
    "hybrid": ("hybrid", {"draft_length": 2}),
}


# behind a 0 it writes another 0, which only (1, 0) may go on with; or it cannot begin at all, where 2 is not allowed
STRAY = TableModel([[1, 0, 0], *DRAFT.table[1:]])
LOST = TableModel([DRAFT.table[0], [0, 0, 1], DRAFT.table[2]])
CONFINED = {"drafts": (DRAFT, SEQUENCES), "stray": (STRAY, SEQUENCES), "lost": (LOST, SEQUENCES[:-1])}


def chance_of(sequence, sequences, start=0):
    """A product of struck and renormalised rows."""
    p = 1.0
    for index in range(start, len(sequence)):
        row = TARGET.row([*PROMPT, *sequence[:index]])
        allowed = {other[index] for other in sequences if tuple(other[:index]) == tuple(sequence[:index])}
        p *= row[sequence[index]] / sum(row[x] for x in allowed)
    return p


@pytest.mark.parametrize("kind", CONFINED)
@pytest.mark.parametrize("name", [*METHODS, *OTHER_METHODS])
def test_what_a_confined_round_emits_has_exactly_the_confined_targets_law(name, kind, enumerable):
    """Whole sequences of one to four tokens; also with a draft that cannot write what is allowed, here or there."""
    draft_model, sequences = CONFINED[kind]
    distribution = dict.fromkeys(sequences, 0.0)
    method = make_method(*(METHODS | OTHER_METHODS)[name])
    for setting, draft, drawn in drafts(method, TARGET, draft_model, None, Trie(sequences)):
        for verdict, judged in verdicts(method, setting, draft):
            path = tuple(setting.tree.tokens[node] for node in verdict.accepted)
            if verdict.extra_probs is None:
                distribution[path] += drawn * judged
                continue
            extra = (verdict.extra_probs / verdict.extra_probs.sum()).tolist()
            for sequence in [each for each in sequences if each[: len(path)] == path]:
                token = sequence[len(path)]
                distribution[sequence] += drawn * judged * extra[token] * chance_of(sequence, sequences, len(path) + 1)
    largest = max(abs(distribution[each] - chance_of(each, sequences)) for each in sequences)
    assert largest < (1e-10 if name == "spectr" else 1e-12)


IN_COURSES = {
    "block_verification": {"draft_length": 3},
    "sample_and_match": {"draft_length": 3, "stop_below": 0.4},
    "greedy_draft": {"draft_length": 3, "adapt": 1},
    "importance_sampling": {"draft_length": 2, "num_drafts": 2, "draft_models": 2, "temperature_spread": 0.3},
    "lookahead": {"window": 2, "ngram": 2, "candidates": 1},
}


@pytest.mark.parametrize("kind", CONFINED)
@pytest.mark.parametrize("name", IN_COURSES)
def test_what_a_confined_run_writes_has_exactly_the_confined_targets_law(name, kind):
    draft_model, sequences = CONFINED[kind]
    method, trie = make_method(name, IN_COURSES[name]), Trie(sequences)
    models = {"draft_model": draft_model, "other_drafts": OTHERS}
    distribution = texts_of_runs(
        Request(method, TARGET, "", **models, max_new_tokens=4, prompt_ids=PROMPT, constraint=trie)
    )
    assert set(distribution) == set(sequences)
    assert max(abs(distribution[each] - chance_of(each, sequences)) for each in sequences) < 1e-12
