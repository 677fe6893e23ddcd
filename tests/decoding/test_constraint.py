"""A run that is confined to some sequences writes one of them; to its method this is only another pair of models."""

import dataclasses
import itertools

import numpy as np
import pytest
import torch

from playground.decoding.constrained.constraint import TreeConstraint, Trie, state_of
from playground.decoding.decode import MAX_NEW_TOKENS, Request, Round, decode
from playground.decoding.method import claims, make_method, methods
from playground.errors import PlaygroundError
from playground.exactness.beam_distributions import beam_search
from playground.models.forward import Forward
from playground.models.reading import Reading
from playground.models.sampling import Sampling
from playground.models.table_model import TableModel
from playground.trace.invariants import broken_invariants
from playground.trace.storage import from_json, to_json
from playground.tree import TokenTree
from tests.decoding.runs import tokens, trace_of

PROMPT = (0, 1, 2, 0, 1)  # repeats itself: prompt lookup copies what is not allowed
UNEVEN = [(0, 1, 2, 3), (0, 1, 3), (0, 2, 2, 1), (1, 0), (1, 3, 0, 0), (3,), (2, 2, 0, 2), (2, 2, 1), (2, 2, 2, 3)]
EVEN = [(0, 1, 2), (0, 1, 3), (0, 2, 2), (1, 3, 0), (3, 3, 3), (3, 0, 1), (2, 2, 0)]
TARGET = TableModel.random(5, order=2, seed=5)
DRAFT = TableModel.random(5, order=1, seed=6)
OTHERS = tuple(TableModel.random(5, order=1, seed=seed) for seed in (7, 8, 9))
CLAIMS = [(name, options) for name in methods() for options in claims(name)]
NAMES = [" ".join([name, *(f"{option}={value}" for option, value in options.items())]) for name, options in CLAIMS]


class Confined:
    """A model whose table is struck and renormalised beforehand: the reference, which knows nothing of tries.

    What is asked behind a sequence, or off all of them, is the plain model's.
    """

    def __init__(self, model, sequences):
        self.model, self.sequences = model, sequences
        self.__dict__.update({**vars(model), "eos_ids": frozenset()})

    def row(self, context):
        """The next token's distribution. (V,)"""
        written, plain = tuple(context[len(PROMPT) :]), self.model.row(list(context))
        size = len(written)
        allowed = {each[size] for each in self.sequences if each[:size] == written and len(each) > size}
        if not allowed:
            return plain
        struck = np.array([p if token in allowed else 0.0 for token, p in enumerate(plain.tolist())])
        return struck / struck.sum()

    def forward(self, tree, nodes):
        """As a table model's."""
        with np.errstate(divide="ignore"):
            rows = [torch.from_numpy(np.log(self.row(tree.context(node)))) for node in nodes]
        return Forward(torch.stack(rows), list(nodes), 0, [], None)

    facts = TableModel.facts
    cache_bytes = TableModel.cache_bytes
    max_positions = TableModel.max_positions


def request_for(method, *, seed=0, sampling=None, sequences=UNEVEN, length=4):
    """A request that is confined."""
    others, trie = OTHERS, Trie(sequences)
    return Request(method, TARGET, "", DRAFT, sampling or Sampling(), seed, length, PROMPT, others, trie)


def written(request):
    """The tokens of a run, and its last round."""
    *_, last = (item for item in decode(request) if isinstance(item, Round))
    return path(last.tree, last.best), last


def path(tree, node):
    """Tokens after the prompt."""
    return tuple(tree.tokens[each] for each in tree.path(node, below=len(PROMPT) - 1))


def texts(last, beams):
    return [path(last.tree, beam.node) for beam in beams]


STRAYS = {
    "at once": TableModel([DRAFT.table[0], [0, 0, 0, 0, 1], *DRAFT.table[2:]]),  # behind the prompt: only the token 4
    "later": TableModel([[0, 0, 0, 0, 1], *DRAFT.table[1:3], [0, 0, 0, 0, 1], [0, 0, 0, 0, 1]]),
}
DRAFTS = {"drafts": DRAFT, **STRAYS}
WARPS = Sampling(), Sampling(0.5, top_k=2, top_p=0.9), Sampling(0)


@pytest.mark.parametrize(("name", "options"), CLAIMS, ids=NAMES)
def test_every_method_writes_a_whole_allowed_sequence(name, options):
    """All of its beams too, and every trace keeps the laws; also with a draft that can write nothing allowed, here or
    there. Sequences have one to four tokens."""
    for draft, sampling, seed in itertools.product(DRAFTS, WARPS, range(2)):
        request = request_for(make_method(name, options), seed=seed, sampling=sampling)
        request = dataclasses.replace(request, draft_model=DRAFTS[draft])
        text, last = written(request)
        assert text in UNEVEN, (draft, sampling, seed)
        if last.verdict.beams:
            assert set(texts(last, last.verdict.beams.ended)) <= set(UNEVEN)
        trace = trace_of(request)
        assert broken_invariants(trace) == [] and trace.finished.finish_reason == "eos"
        assert from_json(to_json(trace)).started.num_allowed == len(UNEVEN)


@pytest.mark.parametrize(("name", "options"), CLAIMS, ids=NAMES)
@pytest.mark.parametrize("sampling", [Sampling(), Sampling(temperature=0.7, top_k=2)], ids=["plain", "warped"])
def test_a_constraint_is_another_pair_of_models(name, options, sampling):
    """Run for run the same tokens as of models whose tables were struck beforehand, so whatever law a method keeps on
    tables it keeps here. All sequences have one length, so that without a trie the budget ends the runs."""
    struck = {
        "target": Confined(TARGET, EVEN),
        "draft_model": Confined(DRAFT, EVEN),
        "other_drafts": tuple(Confined(other, EVEN) for other in OTHERS),
        "constraint": None,
    }
    for seed in range(3):
        request = request_for(make_method(name, options), seed=seed, sampling=sampling, sequences=EVEN, length=3)
        (text, first), (same, second) = written(request), written(dataclasses.replace(request, **struck))
        assert text == same
        if beams := first.verdict.beams:
            assert sorted(texts(first, beams.ended)) == sorted(texts(second, second.verdict.beams.live))


@pytest.mark.parametrize("name", ["beam_search", "atspeed_strict"])
@pytest.mark.parametrize("width", [1, 3, 8])
@pytest.mark.parametrize("draft", DRAFTS.values(), ids=DRAFTS)
def test_a_search_finds_the_best_sequences_by_their_renormalised_probabilities(name, width, draft):
    """More beams than sequences too; its own written-down twin knows no trie."""
    for seed in range(6):
        target = TableModel.random(5, order=3, seed=seed)
        request = dataclasses.replace(
            request_for(make_method(name, {"width": width}), sequences=EVEN, length=3), target=target, draft_model=draft
        )
        text, last = written(request)
        search = beam_search(_Searched(Confined(target, EVEN)), PROMPT, width=width, num_tokens=3)
        possible = [each for each in search.live if each in EVEN]
        assert texts(last, last.verdict.beams.ended) == possible and text == search.answer


class _Searched:
    """A table without zeros, of which a search written down plainly could take no logarithm."""

    def __init__(self, model):
        self.model, self.vocab_size, self.eos_ids = model, model.vocab_size, frozenset()

    def row(self, context):
        return np.maximum(self.model.row(context), 1e-200)


def test_a_trie_says_what_may_follow():
    trie = Trie([(4, 1), (4, 2, 3), (0,), (4, 1)])
    assert len(trie) == 3 and trie.longest == 3
    four = trie.root.below[4]
    assert list(trie.root.below) == [4, 0] and list(four.below) == [1, 2] and list(four.below[2].below) == [3]
    assert trie.root.below[0].below == {}


def test_the_known_state_may_be_as_far_away_as_the_longest_run():
    tree = TokenTree([0])
    [node] = tree.trunk
    states = {node: 0}
    for _ in range(MAX_NEW_TOKENS):
        node = tree.add(node, 1)
    assert state_of(states, tree, node, lambda state, token: state + token) == MAX_NEW_TOKENS == len(states) - 1


def test_rows_are_masked_where_the_tree_stands_in_the_trie_and_only_there():
    tree = TokenTree([0, 0])
    inside, whole, outside = tree.add(1, 4), tree.add(1, 2), tree.add(1, 3)
    logits, nodes = torch.arange(20.0).view(4, 5), [inside, whole, outside, 1]
    allowed = TreeConstraint(Trie([(4, 1), (4, 3), (2,)]), tree).allowed_after(nodes)
    assert allowed == {0: [1, 3], 3: [4, 2]}
    masked = Reading(nodes, Forward(logits, nodes, 0, [], None), 0.0, Sampling(), allowed).logits
    assert np.isfinite(masked[0]).tolist() == [False, True, False, True, False]
    assert np.isfinite(masked[3]).tolist() == [False, False, True, False, True]
    assert np.array_equal(masked[1:3], logits[1:3].numpy()) and logits.isfinite().all()


@pytest.mark.parametrize(
    ("sequences", "sentence"),
    [
        ([], "Nothing is allowed"),
        ([(1,), ()], "sequence 2 is empty"),
        ([(1, 2, 3), (0,), (1, 2)], "sequence 3 is the beginning of 1"),
        ([(1, 2), (1, 2, 3)], "sequence 1 is the beginning of 2"),
    ],
)
def test_sequences_that_say_nothing_clear_are_refused(sequences, sentence):
    with pytest.raises(PlaygroundError, match=sentence):
        Trie(sequences)


@pytest.mark.parametrize(
    ("sequences", "sentence"),
    [
        ([(1, 5)], "hold token 5; these models know 0 to 4"),
        ([(0, 1, 2, 3, 4)], "longest allowed sequence has 5 tokens, the run 4"),
    ],
)
def test_sequences_that_the_models_cannot_write_are_refused(sequences, sentence):
    with pytest.raises(PlaygroundError, match=sentence):
        request_for(make_method("autoregressive"), sequences=sequences)


def test_an_end_token_may_only_end_a_sequence():
    ending = TableModel(TARGET.table, eos_ids=frozenset([3]))
    with pytest.raises(PlaygroundError, match="end token inside"):
        dataclasses.replace(request_for(make_method("autoregressive")), target=ending, constraint=Trie([(1, 3, 0)]))
    request = dataclasses.replace(request_for(make_method("autoregressive")), target=ending, constraint=Trie([(1, 3)]))
    assert tokens(request) == [1, 3]


@pytest.mark.parametrize("name", methods())
def test_a_target_that_holds_all_of_it_for_impossible_is_named(name):
    never, draft = TableModel([[0.5, 0.5, 0.0]] * 3, name="never"), TableModel([[0.0, 0.0, 1.0]] * 3)
    request = Request(make_method(name), never, "", draft, Sampling(), 0, 4, (0,), (), Trie([(2,)]))
    with pytest.raises(PlaygroundError, match="never gives probability 0 to all that is allowed"):
        list(decode(request))


def test_where_the_target_never_comes_it_may_have_nothing_to_say():
    """The draft goes there at once: the only token that the target can write is 1."""
    target, draft = TableModel([[0.0, 1.0, 0.0]] * 3), TableModel([[0.0, 0.0, 1.0]] * 3)
    for name in methods():
        request = Request(make_method(name), target, "", draft, Sampling(), 0, 4, (0,), (), Trie([(2, 0), (1, 1)]))
        assert tokens(request) == [1, 1], name
