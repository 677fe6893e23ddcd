"""An MTP layer that comes with a model says in any tree what its family's formula says, and drafts for its target."""

from functools import partial
from types import SimpleNamespace

import pytest
import torch

from playground.decoding.decode import Request
from playground.decoding.method import make_method
from playground.errors import PlaygroundError
from playground.models.drafters.choice import MTP, drafter_called, with_drafter
from playground.models.drafters.mtp import DESCRIPTIONS, MtpFolder
from playground.models.language_model import LoadedPair
from playground.models.passes.features import Recorder
from playground.models.sampling import Sampling
from playground.tree import TokenTree
from tests.decoding.runs import tokens
from tests.models.mtp import FAMILIES, save_family, says, target_of
from tests.models.small import generated, random_model
from tests.models.test_head import assert_says_in_any_tree

PROMPT, LENGTH = (5, 9, 17, 3), 20


@pytest.mark.parametrize("name", FAMILIES)
def test_it_says_in_any_tree_what_the_formula_of_its_family_says(name, tmp_path):
    """Also that its guesses are chained, and that the target's text is that of `generate` whatever it drafts."""
    larger, parts = save_family(name, tmp_path)
    target, drafter = target_of(name, tmp_path)
    wanted = partial(says, name, larger, parts)
    assert_says_in_any_tree(target, drafter, wanted)
    for method in ("speculative_sampling", "dynamic_tree"):
        request = Request(make_method(method), target, "", drafter, Sampling(0.0), 0, LENGTH, PROMPT)
        assert tokens(request) == generated(target.model, PROMPT, LENGTH)


def test_a_state_that_its_family_does_not_feed_gives_other_numbers(tmp_path):
    """So the test above would see a state before the norm where that after it is read."""
    save_family("Qwen3.5", tmp_path)
    target, drafter = target_of("Qwen3.5", tmp_path)
    other = target.mtp.description._replace(is_normed=False)
    target.recorder = Recorder(target.model, [2])
    wrong = MtpFolder(tmp_path, "it", other, target.mtp.names, target.config).set_on(target)
    tree = TokenTree([3, 1, 4, 1, 5])
    target.logits(tree, [3])
    right, unlike = (each.forward(tree, [4]).logits for each in (drafter, wrong))
    assert not torch.allclose(right, unlike, atol=0.05)


def test_it_is_chosen_by_a_word_and_by_the_name_that_a_trace_has(tmp_path):
    save_family("Qwen3.5", tmp_path)
    target, _ = target_of("Qwen3.5", tmp_path)
    pair = with_drafter(LoadedPair(target, None), MTP)
    facts = pair.draft.facts()
    assert facts["name"] == "MTP layer of it" and facts["kv_bytes_per_token"] == 2 * 2 * 8 * 4
    assert facts["forward_pass"] == "transformers" and "state_bytes" not in facts
    assert drafter_called(pair, facts["name"]).draft.name == facts["name"]
    with pytest.raises(PlaygroundError, match="has no MTP layer in its files"):
        with_drafter(LoadedPair(random_model("gpt2"), None), MTP)


def test_a_layer_that_lacks_a_weight_or_is_in_another_layout_is_refused_by_name(tmp_path):
    save_family("Qwen3.5", tmp_path)
    target, _ = target_of("Qwen3.5", tmp_path)
    names = {name: each for name, each in target.mtp.names.items() if "q_proj" not in name}
    broken = MtpFolder(tmp_path, "MTP layer of it", target.mtp.description, names, target.config)
    with pytest.raises(
        PlaygroundError, match=r"MTP layer of it cannot be read: missing: layers\.0\.mtp_block\..*q_proj"
    ):
        broken.set_on(target)
    assert MtpFolder.find(tmp_path / "none", "it", SimpleNamespace(num_hidden_layers=2)) is None
    (tmp_path / "config.json").write_text('{"architectures": ["DeepseekV3ForCausalLMNextN"]}')
    with pytest.raises(PlaygroundError, match="choose the drafter mtp"):
        MtpFolder.read(tmp_path, "it")
    assert len({each.prefix for each in DESCRIPTIONS}) == len(DESCRIPTIONS)
