"""Passes in buckets are the lean pass: padding is seen by nobody and leaves nothing, and what cannot be captured runs.

A stand-in takes the place of CUDA's graphs: operations are noted with the memory they read and wrote, and done again
there. What only a GPU shows is in models/untried.py.
"""

import random

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from playground.decoding.method import make_method
from playground.models import proof
from playground.models.drafters.early_exit import EarlyExit
from playground.models.language_model import LanguageModel
from playground.models.passes import replayed_pass
from playground.models.passes.lean_pass import LeanPass
from playground.models.passes.replayed_pass import BUCKETS, CAPACITY, ReplayedPass
from playground.models.passes.slots import BLOCK
from playground.tree import TokenTree
from tests.decoding.runs import request, tokens
from tests.models.small import LEAN, Numbers, random_model
from tests.models.test_language_model import assert_exact_while_growing


class Operations(TorchDispatchMode):
    """Notes each operation, with the very tensors that it was given and came to."""

    def __init__(self):
        super().__init__()
        self.steps = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        answer = function(*args, **(kwargs or {}))
        self.steps.append((function, args, kwargs or {}, answer))
        return answer


class Graphs:
    """Captures as CUDA does: operations on fixed memory, done again without any of the code that they came from."""

    def __init__(self):
        self.captured = self.replayed = 0

    def __call__(self, compute):
        self.captured += 1
        with Operations() as noted:
            answer = compute()

        def replay():
            self.replayed += 1
            for function, args, kwargs, before in noted.steps:
                for old, new in zip(tensors(before), tensors(function(*args, **kwargs)), strict=True):
                    if old.data_ptr() != new.data_ptr():  # else a view, or written in place
                        old.copy_(new)
            return answer

        return replay


def tensors(answer):
    """Of an operation."""
    return [each for each in (answer if isinstance(answer, tuple | list) else [answer]) if each is not None]


def replayed(shape="llama", capture=None, seed=0):
    """(model, its graphs); the weights are those of `random_model`."""
    graphs = capture or Graphs()
    model = random_model(shape, seed, lean=shape in LEAN).model
    return LanguageModel(model, Numbers(), name=shape, forward_pass=ReplayedPass(model, graphs)), graphs


def assert_alike(found, expected):
    assert float((found - expected).abs().max()) < 1e-4 * float(expected.abs().max()) + 1e-4


@pytest.mark.parametrize("shape", LEAN)
def test_every_node_of_a_growing_tree(shape):
    """The lean pass's own test, against transformers' pass along each path."""
    model, graphs = replayed(shape)
    assert_exact_while_growing(model, 8, shape)
    assert graphs.replayed > graphs.captured


EDGES = sorted({size for bucket in BUCKETS for size in (bucket - 1, bucket, bucket + 1)} - {0})


@pytest.mark.parametrize("is_tree", [False, True])
@pytest.mark.parametrize("count", EDGES)
def test_every_edge_of_a_bucket(count, is_tree):
    """Captured, then replayed: a chain, or a tree in which every second node has a sibling."""
    (model, graphs), plain = replayed(), random_model("llama", lean=True)
    rng = random.Random(count)
    tree = TokenTree([rng.randrange(61) for _ in range(BUCKETS[-1] + 6)])  # its own pass is none of a bucket
    for each in (model, plain):
        each.logits(tree, [tree.trunk[-1]])
    for turn in range(2):
        fed, line = [] if turn == 0 else [tree.trunk[-1]], [tree.trunk[-1]]
        while len(fed) < count:
            node = tree.add(line[-2] if is_tree and len(line) > 2 and len(line) % 2 else line[-1], rng.randrange(61))
            if node not in line:
                line.append(node)
                fed.append(node)
        answer = model.forward(tree, fed)
        assert len(answer.fed) == count
        if count > 3:
            assert (answer.visible is not None) == is_tree
        assert_alike(answer.logits, plain.logits(tree, fed))
        tree.retain([tree.add(line[-1], 7)])
    in_a_bucket = count <= BUCKETS[-1]
    assert graphs.captured == in_a_bucket and graphs.replayed == 2 * in_a_bucket  # once to prove it


def test_a_text_that_grows_from_block_to_block_and_past_the_slots_of_the_graphs():
    """Captured once for every block; what is longer than all of them runs in slots of its own, and stays right."""
    (model, graphs), plain = replayed("qwen3"), random_model("qwen3", lean=True)
    rng, tree = random.Random(0), TokenTree([1, 2])
    captured = []
    for border in range(BLOCK, CAPACITY + BLOCK + 1, BLOCK):
        while tree.depths[tree.trunk[-1]] < border - 4:
            tree.retain([tree.add(tree.trunk[-1], rng.randrange(61))])
        for each in (model, plain):
            each.logits(tree, [tree.trunk[-1]])  # more than the largest bucket
        for _ in range(5):
            fork = [tree.add(tree.trunk[-1], token) for token in (1, 2)]
            requests = [*fork, tree.add(fork[1], 3)]
            assert_alike(model.logits(tree, requests), plain.logits(tree, requests))
            tree.retain([requests[-1]])
        captured.append(graphs.captured)
    assert captured[0] < captured[1] < captured[-2] == captured[-1]
    assert model.forward_pass.name == "lean, in CUDA graphs"


def test_nothing_is_captured_in_a_run_once_all_is_prepared():
    model, graphs = replayed()
    proof.warm_up(model)
    prepared, before = graphs.captured, graphs.replayed
    assert prepared == len(BUCKETS) * CAPACITY // BLOCK
    for name in ("autoregressive", "speculative_sampling", "rsd_s", "beam_search"):
        tokens(request(make_method(name), target=model, draft=random_model("llama", 1), prompt=[3, 4, 5]))
    assert graphs.captured == prepared and graphs.replayed > before + 20


def test_an_early_exit_shares_the_slots_of_the_graphs():
    options = {"prompt": [3, 4, 5], "length": 30}
    results = []
    for target in (random_model("llama", lean=True), replayed()[0]):
        results.append(tokens(request(make_method("rsd_s"), target=target, draft=EarlyExit(target, 2), **options)))
    assert results[0] == results[1]


@torch.inference_mode()
def test_padding_is_seen_by_nobody_and_leaves_nothing():
    """3 nodes in a bucket of 4. Slots that are not in use are marked: 3 are written, whatever the fourth token is."""
    (model, _), tree = replayed(), TokenTree([3, 1, 4])
    fork = [tree.add(2, token) for token in (5, 6)]
    model.logits(tree, [2])
    expected = model.logits(tree, [*fork, tree.add(fork[1], 8)])
    slots, size = model.cache_of(tree).keys_values, model.forward_pass._sizes[4, BLOCK]
    read, end = slots.length - 3, slots.length
    before = slots.filled[:, :, :read].clone()
    for mark, token, position in [(7.0, 0, 0), (-3.0, 17, 200), (1e30, 60, 5)]:
        slots.filled[:, :, read:], slots.features[read:] = mark, mark
        size.numbers[0, 3], size.numbers[1, 3] = token, position
        assert torch.equal(size.replay()[:3], expected)
        assert torch.equal(slots.filled[:, :, :read], before)
        assert not (slots.filled[:, :, read:end] == mark).any() and not (slots.features[read:end] == mark).any()
        assert (slots.filled[:, :, end:] == mark).all() and (slots.features[end:] == mark).all()


def test_a_second_tree_beside_the_first_has_slots_of_its_own():
    (model, graphs), plain = replayed(), random_model("llama", lean=True)
    first, second = TokenTree([3, 1]), TokenTree([5, 9])
    for _ in range(3):
        for tree in (first, second):
            leaf = tree.add(tree.trunk[-1], 4)
            assert_alike(model.logits(tree, [leaf]), plain.logits(tree, [leaf]))
            tree.retain([leaf])
    assert graphs.captured + graphs.replayed == 2 + 3  # the first tree's; the prompt's pass has two nodes
    del first, tree
    third = TokenTree([7, 7])
    assert_alike(model.logits(third, [1]), plain.logits(third, [1]))
    assert graphs.replayed == 4


def test_what_a_text_leaves_behind_cannot_spoil_the_next():
    """Numbers that are none would: no mask takes them out."""
    (model, _), tree = replayed(), TokenTree([3, 1])
    model.logits(tree, [1])
    model.cache_of(tree).keys_values.filled.fill_(torch.nan)
    del tree
    again = TokenTree([3, 1])
    model.logits(again, [1])
    assert model.logits(again, [again.add(1, 4)]).isfinite().all()


def refusing(compute):
    raise RuntimeError("operation not permitted when stream is capturing\nmore of it")


def in_the_middle(compute):
    compute()
    raise RuntimeError("operation not permitted when stream is capturing")


class Wrong(Graphs):
    """Its third pass comes to something else, or keeps something else."""

    def __init__(self, pass_of, spoil):
        super().__init__()
        self.pass_of, self.spoil = pass_of, spoil

    def __call__(self, compute):
        replay = super().__call__(compute)
        if self.captured < 3:
            return replay
        return lambda: self.spoil(self.pass_of(), replay())


def wrong(spoil):
    models = []
    model, _ = replayed(capture=Wrong(lambda: models[0].forward_pass, spoil))
    models.append(model)
    return model


def other_logits(_, answer):
    return answer + 0.5 * answer.abs().max()


def other_keys(held, answer):
    held._filled[0, 0, held._tenant().length - 1] += 9
    return answer


def no_numbers(_, answer):
    return answer * torch.nan


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: replayed(capture=refusing)[0], "operation not permitted when stream is capturing"),
        (lambda: replayed(capture=in_the_middle)[0], "operation not permitted when stream is capturing"),
        (lambda: wrong(other_logits), "they compute something else"),
        (lambda: wrong(other_keys), "they compute something else"),
        (lambda: wrong(no_numbers), "they compute something else"),
    ],
)
def test_a_pass_that_cannot_be_captured_runs_as_ever_and_says_why(make, reason):
    model, plain = make(), random_model("llama", lean=True)
    tree, rng = TokenTree([3, 1, 4]), random.Random(0)
    for _ in range(6):
        nodes = [tree.trunk[-1]]
        for _draft in range(rng.randrange(1, 8)):
            nodes.append(tree.add(rng.choice(nodes), rng.randrange(61)))
        assert_alike(model.logits(tree, nodes), plain.logits(tree, nodes))
        tree.retain([nodes[-1]])
    assert model.facts()["forward_pass"] == f"lean, not in CUDA graphs: {reason}"


@pytest.mark.parametrize("shape", ["llama", "qwen3", "tied llama with biases"])
def test_what_is_captured_takes_nothing_from_the_host_and_gives_it_nothing(shape):
    """A graph would repeat a number that was copied into it, and cannot be captured where the host waits for one."""

    def watched(compute):
        with Operations() as noted:
            compute()
        results.append([function.name() for function, *_ in noted.steps])
        return compute

    results = []
    model, _ = replayed(shape, watched)
    tree = TokenTree([3, 1, 4])
    model.logits(tree, [2])
    model.logits(tree, [tree.add(2, token) for token in (5, 6, 7)])
    assert len(results) == 1 and len(set(map(tuple, results))) == 1 and len(results[0]) > 30
    hosts = ("_local_scalar_dense", "lift_fresh", "_to_copy", "nonzero", "item", "is_nonzero", "equal")
    assert not [name for name in results[0] if any(name.split("::")[1].startswith(host) for host in hosts)]


def test_only_on_a_gpu_is_anything_captured():
    assert type(next(replayed_pass.lean_passes(random_model("llama").model))) is LeanPass
    assert type(proof.try_fast_pass(random_model("llama")).forward_pass) is LeanPass
