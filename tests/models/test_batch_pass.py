"""A pass over several sequences gives each what it gives one alone, whatever the others have read."""

import random

import pytest
import torch

from playground.errors import PlaygroundError
from playground.models.passes.batch_pass import BatchModel
from playground.models.passes.slots import BLOCK
from playground.models.products import compiled_kernel
from playground.tree import TokenTree
from tests.models.small import random_model
from tests.models.test_compiled_pass import compiled

SHAPES = ["llama", "tied llama with biases", "qwen3"]


def grown(tree, rng, leaf):
    """Nodes of a small tree below a leaf: a chain for some sequences, branches for others."""
    nodes = [leaf]
    for _ in range(rng.randrange(5)):
        nodes.append(tree.add(rng.choice(nodes), rng.randrange(61)))
    return nodes


class Held:
    """The calls of several sequences, collected until one pass answers all of them."""

    def __init__(self, model, *, padded):
        self.shared, self.padded, self.parts = BatchModel(model), padded, []
        self.answers = None

    def ask(self, part):
        """Hold the part back in a first pass; the second one has its logits."""
        if self.answers is None:
            self.parts.append(part)
            raise InterruptedError
        return self.answers.pop(0)

    def logits(self, models, trees, nodes):
        """Logits of every sequence at its nodes, by one pass."""
        self.parts, self.answers = [], None
        for model, tree, wanted in zip(models, trees, nodes, strict=True):
            with pytest.raises(InterruptedError):
                model.logits(tree, wanted)
        longest = max(len(part.tokens) for part in self.parts)
        self.answers = self.shared.run([part.padded(longest) for part in self.parts] if self.padded else self.parts)
        return [model.logits(tree, wanted) for model, tree, wanted in zip(models, trees, nodes, strict=True)]


@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", ["lean", "compiled"])
def test_each_sequence_reads_as_if_it_were_alone(shape, padded, kind):
    """To the last bit by the compiled pass, up to rounding by torch; over rounds, trees and a block's border."""
    if kind == "compiled" and not compiled_kernel():
        pytest.skip("the compiled pass takes numba")
    model, rng = compiled(shape) if kind == "compiled" else random_model(shape, lean=True), random.Random(shape)
    model.max_positions = 2 * BLOCK
    held = Held(model, padded=padded)
    lengths = (3, 40, BLOCK - 6)
    trees = [TokenTree([rng.randrange(61) for _ in range(length)]) for length in lengths]
    models, alone = [held.shared.alone(held.ask) for _ in trees], [model.by(model.forward_pass) for _ in trees]
    leaves = [tree.trunk[-1] for tree in trees]
    for _ in range(6):
        nodes = [grown(tree, rng, leaf) for tree, leaf in zip(trees, leaves, strict=True)]
        for tree, wanted, other, logits in zip(trees, nodes, alone, held.logits(models, trees, nodes), strict=True):
            expected = other.logits(tree, wanted)
            if kind == "compiled":
                assert torch.equal(logits, expected), (shape, wanted)
            else:
                assert torch.allclose(logits, expected, atol=2e-3, rtol=1e-4), (logits - expected).abs().max()
        for index, tree in enumerate(trees):
            leaves[index] = tree.add(rng.choice(nodes[index]), rng.randrange(61))
            tree.retain([leaves[index]])


def test_a_model_that_reads_one_sequence_at_a_time_is_refused():
    with pytest.raises(PlaygroundError, match=r"gpt2-0 reads one sequence at a time\. For a batch choose"):
        BatchModel(random_model("gpt2"))
