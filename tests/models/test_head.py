"""A drafting head: it drafts as it was trained, whatever the tree, and whatever the target has read by then."""

import json
import random
from functools import cache

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from transformers import LlamaConfig, LlamaForCausalLM

from playground.decoding.method import make_method
from playground.errors import PlaygroundError
from playground.makers.training.head import HeadNetwork
from playground.makers.training.network import Shape
from playground.models.drafters import beside
from playground.models.drafters import head as head_module
from playground.models.drafters.beside import fingerprint
from playground.models.drafters.head import CONFIG, VOCABULARY, WEIGHTS, Head, load_head
from playground.models.language_model import LanguageModel
from playground.models.passes.lean_pass import LeanPass
from playground.tree import TokenTree
from tests.decoding.test_whole_rounds import LENGTH, PROMPT, enumerable, law_of_a_round  # noqa: F401, a fixture
from tests.models.small import Numbers, random_model, wild

SHAPE = Shape(layers=1, width=32, heads=4, feed_forward=24, vocab=61)


def network():
    return wild(HeadNetwork(SHAPE), 0.3)


def config(target):
    about = {"heads": SHAPE.heads, "feed_forward": SHAPE.feed_forward, "norm_eps": 1e-5, "rope_theta": 1e4}
    return about | {"fingerprint": fingerprint(target.model)}


def head_of(target, tokens=None):
    weights = {name: each.detach() for name, each in network().state_dict().items()}
    return Head(target, config(target), weights | ({VOCABULARY: torch.tensor(tokens)} if tokens else {}))


@torch.inference_mode()
def as_trained(target, text, num_read):
    """What training says after a text whose first `num_read` tokens the target has read. (V,)"""
    batch, steps = torch.tensor([text]), max(1, len(text) - num_read)
    features = target.model.model(batch).last_hidden_state
    guesses = network()(target.model.model.embed_tokens(batch), features, steps)
    return target.model.lm_head(guesses[-1][0, -1])


def assert_says_in_any_tree(target, drafter, expected_logits):
    """Grown, asked, verified and cut at random; the last token of a text is never read by the target before it.

    Args:
        expected_logits: of a text of which the target has read so many tokens.
    """
    rng, tree = random.Random(target.name), TokenTree([3, 1, 4, 1, 5])
    for _ in range(6):
        root = tree.trunk[-1]
        target.logits(tree, [tree.parents[root]])
        alive = [root]
        for _draft in range(rng.randrange(1, 7)):
            alive.append(tree.add(rng.choice(alive), rng.randrange(61)))
        for node in rng.sample(alive, rng.randrange(1, len(alive) + 1)):
            result = drafter.forward(tree, [node]).logits[0]
            expected = expected_logits(target, tree.context(node), tree.depths[root])
            assert torch.allclose(result, expected, atol=2e-4), float((result - expected).abs().max())
        leaf = rng.choice(alive)
        target.logits(tree, alive)
        tree.retain([tree.add(leaf, rng.randrange(61))])


@pytest.mark.parametrize("shape", ["llama", "tied llama with biases", "qwen3"])
def test_it_says_in_any_tree_what_it_was_trained_to_say(shape):
    target = random_model(shape, lean=True)
    assert_says_in_any_tree(target, head_of(target), as_trained)


def test_what_was_read_with_a_guess_is_read_again_when_the_target_knows():
    target = random_model("llama", lean=True)
    head, tree = head_of(target), TokenTree([3, 1, 4, 1, 5])
    target.logits(tree, [3])
    assert head.forward(tree, [3]).fed == [0, 1, 2, 3] and head.forward(tree, [4]).fed == [4]
    first = tree.add(4, 9)
    second = tree.add(first, 2)
    assert head.forward(tree, [second]).fed == [first, second]  # one pass each: the second takes the first one's guess
    target.logits(tree, [4, first, second])
    tree.retain([extra := tree.add(first, 7)])
    result = head.forward(tree, [extra])
    assert result.fed == [first, extra] and result.num_cached == 5
    assert head.cache_bytes(tree) == 7 * 2 * 4 * 8 * 4  # keys and values, heads, their size, bytes of a number


@pytest.mark.parametrize("halved", [False, True])
def test_a_draft_vocabulary_leaves_its_rows_and_no_other_token(halved, monkeypatch):
    """What the head says of these tokens is what it says without one, but for the rounding of the rows to 16 bits."""
    monkeypatch.setattr(head_module, "reads_halves", lambda *_: halved)
    target, chosen = random_model("llama", lean=True), [40, 3, 17, 60]
    weights = {name: each.detach().half().float() for name, each in network().state_dict().items()}
    heads = [Head(target, config(target), weights | more) for more in ({}, {VOCABULARY: torch.tensor(chosen)})]
    rows = []
    for head in heads:
        tree = TokenTree([3, 1, 4, 1, 5])
        target.logits(tree, [3])
        rows.append(head.forward(tree, [4, tree.add(4, 9), tree.add(4, 40)]).logits)
    assert torch.allclose(rows[0][:, chosen], rows[1][:, chosen], atol=5e-3)
    assert rows[1].isneginf().sum(1).tolist() == [57, 57, 57] and rows[1].shape == rows[0].shape
    assert heads[1].facts()["draft_vocabulary"] == 4 and "draft_vocabulary" not in heads[0].facts()


def test_a_head_that_comes_with_the_playground_is_found_by_its_target(tmp_path, monkeypatch):
    target, other = random_model("llama", 1, lean=True), random_model("llama", 2, lean=True)
    monkeypatch.setattr(beside, "BUNDLED", tmp_path)
    folder = tmp_path / "some-chat-model" / "head"
    folder.mkdir(parents=True)
    (folder / CONFIG).write_text(json.dumps(config(target)))
    save_file(network().state_dict(), folder / WEIGHTS)
    assert load_head(target).name == f"head of {target.name}"
    for without in (other, random_model("gpt2")):
        with pytest.raises(PlaygroundError, match=r"no head\. Train one"):
            load_head(without)


class OfThree(LanguageModel):
    """A language model of three tokens, whose law can be written down."""

    def __init__(self):
        torch.manual_seed(5)
        sizes = {"hidden_size": 32, "intermediate_size": 16, "num_hidden_layers": 2, "num_attention_heads": 4}
        model = LlamaForCausalLM(LlamaConfig(vocab_size=3, bos_token_id=None, eos_token_id=None, **sizes)).float()
        with torch.no_grad():
            model.lm_head.weight.mul_(8)
        super().__init__(model, Numbers(), name="of three", forward_pass=LeanPass(model))
        self.row = cache(self._row)

    def _row(self, *context):
        with torch.inference_mode():
            return self.model(torch.tensor([context])).logits[0, -1].double().softmax(-1).numpy()

    def distribution(self, prompt, length):
        """The joint law of the next tokens. (3,) * length"""
        exact = np.ones((3,) * length)
        for path in np.ndindex(*exact.shape):
            exact[path] = np.prod([self.row(*prompt, *path[:placement])[x] for placement, x in enumerate(path)])
        return exact


ROUNDS = {
    "speculative_sampling": {"draft_length": 2},
    "dynamic_tree": {"depth": 2, "width": 2, "total_tokens": 4},
    "specinfer": {"draft_length": 2, "first_draws": 2},
}


@pytest.mark.parametrize("vocabulary", [None, [0, 2], [1]])
@pytest.mark.parametrize("method", ROUNDS)
def test_a_round_that_it_drafts_has_exactly_the_targets_law(method, vocabulary, enumerable):  # noqa: F811
    """Enumerated: every draw of the head's, every coin; also where it drafts some of the tokens only."""
    target = OfThree()
    head = head_of(target, tokens=vocabulary)
    distribution = law_of_a_round(make_method(method, ROUNDS[method]), target=target, draft_model=head)
    assert np.abs(distribution - target.distribution(PROMPT, LENGTH)).max() < 1e-5  # single precision


def test_its_law_is_one_whatever_else_was_asked():
    """q is drawn from and judged by, so it must not depend on the order of the questions."""
    target = random_model("llama", 1, lean=True)
    rows = []
    for order in ([5, 6, 7, 8], [8, 6, 5, 7], [7], [8]):
        head, tree = head_of(target), TokenTree([5, 7, 11, 2])
        target.logits(tree, [2])
        below = [tree.add(3, 9), tree.add(3, 4)]
        leaves = [tree.add(below[0], 1), tree.add(below[1], 1), tree.add(below[0], 6)]
        head.forward(tree, order)
        rows.append(head.forward(tree, [*below, *leaves][1:]).logits.numpy())
    assert max(np.abs(each - rows[0]).max() for each in rows) < 1e-4
