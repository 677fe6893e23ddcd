"""A drafting head, from a target to the folder beside it, as a person makes it."""

from dataclasses import replace

import numpy as np
import torch

from playground.makers.training.export import export, read_exported
from playground.makers.training.features import AT_ONCE, LENGTH, make_features
from playground.makers.training.head import STREAM, HeadNetwork, accepted_by_step, divergence
from playground.makers.training.kinds import BESIDE
from playground.makers.training.network import Network, rotation
from playground.makers.training.pair.release import read_beside
from playground.makers.training.pair.runs import samples_folder
from playground.makers.training.text.sampled_text import read_samples
from playground.makers.training.text.tokenizer import read_tokenizer
from playground.models.drafters.choice import with_drafter
from playground.models.loading import Models
from playground.tree import TokenTree
from tests.makers.training.test_beside import TARGET, begin, train, work  # noqa: F401  # a fixture
from tests.makers.training.tiny import tiny_corpus
from tests.models.small import wild


def test_a_head_learns_to_draft_the_frequent_tokens_of_its_targets_own_chats(work):  # noqa: F811
    """Of a target with shared heads of keys and another base of positions, as real ones have them."""
    shape = replace(TARGET, layers=1, groups=1, rope_theta=1e5)
    folder = work / "models" / "target"
    export(wild(Network(shape), 0.1), work / "corpus" / "tokenizer.json", folder)
    (folder / "chat_template.jinja").write_text("Somebody: {{ messages[0]['content'] }}!")
    assert train("samples", "--work", work, "--teacher", folder, "--chat", "--tokens", 8000) == 0
    network = read_exported(folder)
    samples = read_samples(samples_folder(work, str(folder)), network).reshape(-1, 512)
    beginning = read_tokenizer(folder / "tokenizer.json").encode("Somebody: ").ids
    assert network.shape == shape and (samples[:, : len(beginning)] == beginning).all()
    assert begin("head", work, "--source", "samples", "--draft-vocabulary", 40, "--max-steps", 2) == 0
    assert train("export", "--work", work, "--out", work / "models", "--only", "head") == 0
    pair = with_drafter(Models(str(folder)).load(), "head")
    logits = pair.draft.forward(TokenTree([1, 2]), [1]).logits[0]
    count = np.bincount(samples.ravel()[: -round(0.05 * samples.size)], minlength=300)
    drafted = set(logits.isfinite().nonzero()[:, 0].tolist())
    assert len(drafted) == 40 and min(count[list(drafted)]) >= max(np.delete(count, list(drafted)))
    guesses = read_beside(BESIDE["head"], work / "models" / "head", network)
    assert 0 < accepted_by_step(network, guesses, torch.from_numpy(samples[:2, :64].astype(np.int64)), 1)[0] < 1


def test_a_head_may_begin_as_its_targets_last_layer():
    """With shared heads of keys, too: what its attention mixes is what the layer's would be."""
    shape = replace(TARGET, heads=4, groups=2)
    target, head = wild(Network(shape), 0.1), HeadNetwork(replace(shape, groups=None), tokens=torch.arange(9))
    layer = target.model.layers[-1]
    head.begin_as(layer)
    stream, (cos, sin) = torch.randn(2, 5, 16), rotation(5, 4)
    mask = torch.full((5, 5), -torch.inf).triu(1)
    expected = layer.self_attn(stream, cos, sin, mask) / STREAM
    assert torch.allclose(head.layer.self_attn(stream, cos, sin, []), expected, atol=1e-6)
    assert torch.allclose(head.layer.mlp(stream), layer.mlp(stream) / STREAM, atol=1e-6)


def test_a_head_that_says_what_the_target_says_has_nothing_to_learn(tmp_path):
    """Its loss is the divergence: zero where the guess of every step is the feature itself."""

    class Knowing(HeadNetwork):
        def forward(self, embedded, features, steps):
            return [features] * steps

    corpus, network = tiny_corpus(tmp_path), Network(TARGET)
    features = make_features(network, corpus.train, tmp_path / "kept", AT_ONCE * LENGTH, lambda _: None)
    assert abs(divergence(network, features, 2, Knowing(TARGET), torch.tensor([0, 3])).item()) < 1e-6
    assert sorted(features.order(16, 16, seed=0).tolist()) == list(range(16))
